"""Clients that make the server hold memory before or without a response: all known kinds, at once, from 200 addresses.

Each kind is the bytes that one connection sends. It is opened once from every address, and again when the server has
closed it. Nothing is read, so that responses pile up as well. SECURITY.md lists the kinds with their bounds.
"""

import itertools

from . import http2
from .attacks import Attacker, hold, run_all

ADDRESSES = [f"127.1.{number // 100}.{1 + number % 100}" for number in range(200)]
STREAMS = 32
# Long, because this is about memory: parsing thirty thousand headers of a connection takes some milliseconds of CPU.
PAUSE_S = 20
# A reference to `age` of HPACK's static table: a byte on the wire, about a hundred in memory.
REFERENCE = bytes([0x80 | 21])
REFERENCES = 900
REGISTER = b"/api/v1/plans/register"


class Crowd(Attacker):
    """An attacker that uses each address in turn."""

    def __init__(self, server, seed):
        super().__init__(server, None, seed)
        self.turns = itertools.cycle(ADDRESSES)

    async def socket(self, receive_buffer=None):
        self.address = next(self.turns)
        return await super().socket(receive_buffer)


def heavy(stream, method, path, flags=http2.END_HEADERS):
    block = http2.request_block(path, method=method) + REFERENCE * REFERENCES
    return http2.frame(http2.HEADERS, flags, stream, block)


def opening(*frames, window=65_535):
    return http2.PREFACE + http2.settings(window=window) + b"".join(frames)


def streams(method, path, **settings):
    return opening(*(heavy(1 + 2 * number, method, path) for number in range(STREAMS)), **settings)


def crumbs(stream, number):
    """A body in pieces of one byte."""
    return http2.frame(http2.DATA, 0, stream, b"{") * number


def half_http1(method, path, *headers, body=b""):
    head = b"%s %s HTTP/1.1\r\nhost: soak\r\n%s\r\n" % (method, path, b"".join(line + b"\r\n" for line in headers))
    return head + body


KINDS = {
    "heads_that_wait_for_bodies": streams(b"POST", REGISTER),
    "heads_that_wait_for_forms": streams(b"POST", b"/pricing"),
    "open_gets": streams(b"GET", b"/pricing"),
    "open_gets_without_window": streams(b"GET", b"/docs/openapi.yaml", window=0),
    "unread_options": streams(b"OPTIONS", b"/api/v1/filings", window=0),
    "half_a_header_block": opening(heavy(1, b"POST", REGISTER, flags=0)),
    "half_a_frame": opening(heavy(1, b"POST", REGISTER), http2.frame(http2.DATA, 0, 1, b"{" * 16_384)[:-1]),
    "bodies_in_crumbs": opening(*(heavy(stream, b"POST", REGISTER) + crumbs(stream, 200) for stream in range(1, 33, 2))),
    "half_trailers": opening(heavy(1, b"POST", REGISTER), heavy(1, b"POST", REGISTER, flags=http2.END_STREAM)),
    "remembered_headers": opening(
        *(http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, 1 + 2 * turn, http2.request_block(b"/robots.txt") + b"\x40\x01%c\x00" % (97 + turn) * 100) for turn in range(20))
    ),
    "half_a_head": half_http1(b"GET", b"/health")[:-2] + b"x-slow: " + b"x" * 30_000,
    "half_a_body": half_http1(b"POST", REGISTER, b"content-length: 16000", body=b"{" * 15_000),
    "chunks_in_crumbs": half_http1(b"POST", REGISTER, b"transfer-encoding: chunked", body=b"1\r\n{\r\n" * 2000),
    "silent": b"",
    "idle": half_http1(b"GET", b"/robots.txt"),
    "pipelined": half_http1(b"GET", b"/docs/openapi.yaml", b"accept-encoding: identity") * 20,
}


async def run(server, seconds):
    """Runs every kind at once for this time and returns the tally of each."""
    crowds = {kind: Crowd(server, kind) for kind in KINDS}
    holding = [hold(crowd, len(ADDRESSES), KINDS[kind], receive_buffer=4096, pause=PAUSE_S) for kind, crowd in crowds.items()]
    await run_all(holding, seconds)
    return {kind: dict(crowd.tally) for kind, crowd in crowds.items()}

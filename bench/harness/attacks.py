"""Malicious clients, each with bounded connections and a bounded rate.

An attack is a coroutine that runs until it is cancelled and counts the outcomes of its attempts: `answered`, `refused`
(any 4xx, a 503, or a closed connection), `failed` (other 5xx).
Attacks that hold connections come from their own addresses, directly. Attacks that pretend to be many clients come from
127.0.0.1, which the server trusts as a proxy.
"""

import asyncio
import itertools
import json
import os
import random
import select
import socket
import string
import zlib
from collections import Counter

from . import http2

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
ASSET = "/docs/assets/scalar.js"
PROXY = "127.0.0.1"
ANSWER_PATIENCE_S = 20


async def within(seconds, awaited):
    """Awaits for at most this time.

    Before Python 3.12, `asyncio.wait_for` loses a cancellation that comes while the result does, and a client that
    always has something to read would never stop."""
    async with asyncio.timeout(seconds):
        return await awaited


class Attacker:
    """One attack: its target, its address and its tally."""

    def __init__(self, server, address, seed):
        self.server, self.address = server, address
        self.dice = random.Random(seed)
        self.tally = Counter()

    async def socket(self, receive_buffer=None):
        """Returns a connection, or None if it is refused."""
        sock = socket.socket()
        sock.setblocking(False)
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            sock.bind((self.address, 0))
            await within(5, asyncio.get_running_loop().sock_connect(sock, self.server))
            return sock
        except (OSError, TimeoutError):
            sock.close()
            self.tally["refused"] += 1
            return None

    async def connect(self):
        sock = await self.socket()
        return sock and await asyncio.open_connection(sock=sock, limit=1 << 16)

    def count(self, status):
        kind = "failed" if 500 <= status != 503 else "answered" if status < 400 else "refused"
        self.tally[kind] += 1


async def hold(attacker, connections, begin, drip=b"", receive_buffer=None, meanwhile=None, pause=2):
    """Keeps connections open: sends `begin`, then a byte of `drip` a second. Reads nothing, unless `meanwhile` does.

    Reopens a closed connection after up to `pause` seconds."""

    async def one():
        while True:
            await asyncio.sleep(attacker.dice.random() * pause)
            sock = await attacker.socket(receive_buffer)
            if sock:
                with sock:
                    await held(sock, begin, drip, meanwhile or (lambda sock: None))
                attacker.tally["refused"] += 1

    await asyncio.gather(*(one() for _ in range(connections)))


async def held(sock, begin, drip, meanwhile):
    """Runs until the server has closed the connection."""
    closed = select.poll()
    closed.register(sock, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    try:
        await within(ANSWER_PATIENCE_S, asyncio.get_running_loop().sock_sendall(sock, begin))
        for position in itertools.count():
            if closed.poll(0):
                return
            if drip:
                sock.send(drip[position % len(drip) :][:1])
            meanwhile(sock)
            await asyncio.sleep(1)
    except (OSError, TimeoutError):
        return


def acknowledge(sock):
    """Acknowledges every ping, as an idle client does."""
    try:
        received = sock.recv(1 << 16)
    except BlockingIOError:
        return
    for kind, flags, payload in http2.frames_in(received):
        if kind in (http2.PING, http2.SETTINGS) and not flags & http2.ACK:
            sock.send(http2.frame(kind, http2.ACK, 0, payload if kind == http2.PING else b""))


async def silent(attacker):
    await hold(attacker, 1500, b"")


async def half_a_preface(attacker):
    await hold(attacker, 200, http2.PREFACE[:12])


async def slow_header(attacker):
    await hold(attacker, 300, b"GET /health HTTP/1.1\r\nhost: soak\r\nx-slow: ", drip=b"slow")


async def slow_body(attacker):
    head = b"POST /api/v1/plans/register HTTP/1.1\r\nhost: soak\r\ncontent-length: 16000\r\n\r\n"
    await hold(attacker, 100, head, drip=b"{")


async def idle_http2(attacker):
    await hold(attacker, 200, http2.PREFACE + http2.settings(), meanwhile=acknowledge)


async def unread(attacker):
    request = f"GET {ASSET} HTTP/1.1\r\nhost: soak\r\naccept-encoding: identity\r\n\r\n".encode()
    await hold(attacker, 100, request * 8, receive_buffer=4096)


async def unread_http2(attacker):
    """Requests the largest response on every stream of every connection, with a window that never opens."""
    headers = ((b"accept-encoding", b"identity"),)
    streams = b"".join(http2.get(stream, ASSET.encode(), headers=headers) for stream in range(1, 501, 2))
    await hold(attacker, 8, http2.PREFACE + http2.settings(window=0) + streams)


async def flood(attacker, lanes, per_second, request):
    """Sends `per_second` requests in total, over keep-alive connections."""
    pause = lanes / per_second

    async def lane():
        opened = None
        while True:
            opened = opened or await attacker.connect()
            if not opened:
                await asyncio.sleep(1)
                continue
            began = asyncio.get_running_loop().time()
            status = await ask(*opened, request(attacker.dice))
            if status is None:
                opened[1].transport.abort()
                opened = None
                attacker.tally["refused"] += 1
            else:
                attacker.count(status)
            await asyncio.sleep(max(0, began + pause - asyncio.get_running_loop().time()))

    await asyncio.gather(*(lane() for _ in range(lanes)))


async def ask(reader, writer, request):
    """Sends a request, reads the whole response and returns its status; None if the connection ends before."""
    try:
        writer.write(request)
        head = await within(ANSWER_PATIENCE_S, reader.readuntil(b"\r\n\r\n"))
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        while length and not request.startswith(b"HEAD"):
            length -= len(await within(ANSWER_PATIENCE_S, reader.read(min(length, 1 << 16)))) or length
        return int(lines[0].split(b" ")[1])
    except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError, ValueError, IndexError):
        return None


def request(method, path, *headers, body=b""):
    lines = [f"{method} {path} HTTP/1.1", "host: soak", *headers, f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def some_address(dice):
    if dice.random() < 0.3:
        return "2001:db8:%x:%x::1" % (dice.getrandbits(16), dice.getrandbits(16))
    return ".".join(str(dice.randint(1, 254)) for _ in range(4))


def made_up_key(dice):
    """Returns a well-formed key that does not exist."""
    letters = "".join(dice.choices(ALPHABET, k=40))
    text = f"lastro_{letters[:8]}_{letters[8:]}"
    checksum, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = ALPHABET[digit] + digits
    return text + digits


async def many_addresses(attacker):
    await flood(attacker, 16, 400, lambda dice: request("GET", "/api/v1/market/overview", f"x-forwarded-for: {some_address(dice)}"))


async def registrations(attacker):
    def registration(dice):
        body = json.dumps({"name": "Soak", "email": f"soak{dice.getrandbits(40)}@example.com"}).encode()
        return request("POST", "/api/v1/plans/register", f"x-forwarded-for: {some_address(dice)}", body=body)

    await flood(attacker, 8, 100, registration)


async def made_up_keys(attacker):
    await flood(attacker, 16, 300, lambda dice: request("GET", "/api/v1/companies", f"x-api-key: {made_up_key(dice)}", f"x-forwarded-for: {some_address(dice)}"))


async def options(attacker):
    await flood(attacker, 16, 400, lambda dice: request("OPTIONS", "/api/v1/filings", f"x-api-key: {made_up_key(dice)}"))


async def assets(attacker):
    def asset(dice):
        return request(dice.choice(["HEAD", "GET", "HEAD"]), ASSET, f"accept-encoding: {dice.choice(['identity', 'gzip', 'br'])}")

    await flood(attacker, 16, 40, asset)


async def frames(attacker, connections, batch, pause=0.05):
    """Sends batches of frames on a few connections, and discards the responses."""

    async def one():
        while True:
            opened = await attacker.connect()
            if opened:
                await talk(attacker, *opened, batch, pause)
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(connections)))


async def talk(attacker, reader, writer, batch, pause):
    throwing_away = asyncio.ensure_future(throw_away(reader))
    try:
        writer.write(http2.PREFACE + http2.settings())
        for number in range(2000):
            writer.write(batch(attacker.dice, number))
            await within(ANSWER_PATIENCE_S, writer.drain())
            attacker.tally["answered"] += 1
            await asyncio.sleep(pause)
            if throwing_away.done():
                break
    except (OSError, TimeoutError):
        pass
    finally:
        attacker.tally["refused"] += 1
        throwing_away.cancel()
        writer.transport.abort()


async def throw_away(reader):
    try:
        while await reader.read(1 << 16):
            pass
    except OSError:
        pass


async def resets(attacker):
    def batch(_, number):
        streams = range(1 + 40 * number, 41 + 40 * number, 2)
        return b"".join(http2.get(stream, b"/api/v1/market/overview") + http2.reset(stream) for stream in streams)

    await frames(attacker, 4, batch)


async def pings(attacker):
    await frames(attacker, 4, lambda *_: http2.ping() * 50)


async def settings(attacker):
    await frames(attacker, 4, lambda dice, _: http2.settings(window=dice.randint(0, 1 << 20)) * 50)


async def control_frames(attacker):
    """Sends as many as the connection accepts: window updates, priorities, frames of an unknown kind."""
    kinds = (
        http2.frame(http2.WINDOW_UPDATE, 0, 0, b"\0\0\0\1"),
        http2.frame(http2.PRIORITY, 0, 3, b"\0\0\0\0\1"),
        http2.frame(0xFE, 0, 0, b""),
        http2.ping(),
    )
    await frames(attacker, 8, lambda dice, _: dice.choice(kinds) * 2000, pause=0)


async def continuations(attacker):
    """Sends a header that never ends."""
    def batch(_, number):
        if number == 0:
            return http2.frame(http2.HEADERS, http2.END_STREAM, 1, http2.request_block(b"/health"))
        return http2.frame(http2.CONTINUATION, 0, 1, http2.field(b"x-more", b"x" * 100) * 10)

    await frames(attacker, 4, batch)


async def garbage(attacker):
    async def one():
        while True:
            opened = await attacker.connect()
            if opened:
                reader, writer = opened
                start = attacker.dice.choice([b"", http2.PREFACE, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01"])
                try:
                    writer.write(start + os.urandom(attacker.dice.randint(1, 4000)))
                    await within(2, reader.read(1 << 12))
                except (OSError, TimeoutError):
                    pass
                attacker.tally["refused"] += 1
                writer.transport.abort()
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(8)))


async def compared_pages(attacker):
    """Requests pages of two series in every combination, each as a different client."""
    names = ("usd-brl", "eur-brl", "gbp-brl", "jpy-brl", "chf-brl")

    def page(dice):
        one, other = dice.sample(names, 2)
        return request("GET", f"/fx/{one}?compare={other}&x={dice.getrandbits(30)}", f"x-forwarded-for: {some_address(dice)}", "accept-encoding: br")

    await flood(attacker, 16, 600, page)


# Each group runs in its own process; each attack has its own address, so that the server can tell them apart.
GROUPS = (
    {silent: "127.0.1.1", half_a_preface: "127.0.1.2", slow_header: "127.0.1.3", slow_body: "127.0.1.4", idle_http2: "127.0.1.5"},
    {unread: "127.0.2.1", unread_http2: "127.0.2.2", assets: "127.0.2.3", options: "127.0.2.4"},
    {many_addresses: PROXY, registrations: PROXY, made_up_keys: PROXY, compared_pages: PROXY},
    {resets: "127.0.3.1", pings: "127.0.3.2", settings: "127.0.3.3", continuations: "127.0.3.4", garbage: "127.0.3.5", control_frames: "127.0.3.6"},
)


async def run(group, server, seconds):
    """Runs the attacks of a group for this time and returns the tally of each."""
    attackers = {attack: Attacker(server, address, attack.__name__) for attack, address in group.items()}
    await run_all([attack(attacker) for attack, attacker in attackers.items()], seconds)
    return {attack.__name__: dict(attacker.tally) for attack, attacker in attackers.items()}


async def run_all(attacks, seconds):
    """Runs the attacks for this time, then cancels them."""
    running = [asyncio.ensure_future(attack) for attack in attacks]
    await asyncio.wait(running, timeout=seconds)
    broken = [task.exception() for task in running if task.done() and not task.cancelled()]
    for task in running:
        task.cancel()
    await asyncio.wait(running)
    if broken:
        raise RuntimeError(f"an attack ended early: {broken}")

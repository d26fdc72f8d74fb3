"""Single searches, all different, one after the other on one connection: the latency and the processor time of each."""

import os
import re
import socket
import statistics
import time
from dataclasses import dataclass

from . import adversary, machine, report
from .questions import Question

HEADER_END = b"\r\n\r\n"
EXPLANATION = (
    "No question is asked twice, so no answer is a remembered one. Milliseconds as the client sees them, and of the server's processor; "
    "the worst one is the one that took most of the processor, with what it found:"
)
# Longer questions are truncated in the table.
SHOWN_LETTERS = 60


@dataclass(frozen=True)
class Asked:
    search: adversary.Search
    found: int
    seconds: float
    # Processor time, without the time of other processes.
    cpu_seconds: float


class Line:
    """One connection, with a minimal client."""

    def __init__(self, address, headers):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers) + f"Host: {address}\r\n\r\n"

    def ask(self, path):
        """Returns the seconds and the body."""
        request = f"GET {path} HTTP/1.1\r\n{self.head}".encode()
        began = time.perf_counter()
        self.socket.sendall(request)
        answer = self.receive()
        seconds = time.perf_counter() - began
        head, body = answer.split(HEADER_END, 1)
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{path}: {head.splitlines()[0].decode()}")
        return seconds, body

    def receive(self):
        answer = bytearray()
        while HEADER_END not in answer:
            answer += self.part()
        length = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", answer)[1])
        whole = answer.index(HEADER_END) + len(HEADER_END) + length
        while len(answer) < whole:
            answer += self.part()
        return bytes(answer)

    def part(self):
        return self.socket.recv(1 << 18) or machine.fail("the connection ended")


def run(station, size):
    """Searches on a running and otherwise idle server. Returns the results by family."""
    texts = adversary.texts_of(station.laboratory.database_file, station.laboratory.filings)
    families = adversary.families(texts, size)
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {machine.LOAD_CORE})
    try:
        line = Line(station.address, station.request(Question("", "search")).headers)
        return {title: [ask(station, line, search) for search in searches] for title, searches in families.items()}
    finally:
        os.sched_setaffinity(0, everywhere)


def ask(station, line, search):
    question = Question(search.words, "search", search.parameters)
    with machine.Stopwatch(station.process.pid) as cpu:
        seconds, body = line.ask(question.path)
    return Asked(search, int(re.search(rb'"total":(\d+)', body)[1]), seconds, cpu.seconds)


def table(asked):
    head = ["family", "questions", "found, median", "p50", "p99", "worst", "CPU p50", "CPU p99", "CPU worst", "the worst one"]
    rows = [row(title, family) for title, family in asked.items()]
    everything = [one for family in asked.values() for one in family]
    return report.table(head, [*rows, row("all", everything)])


def row(title, family):
    figures = [milliseconds(percentile([getattr(one, what) for one in family], share)) for what in ("seconds", "cpu_seconds") for share in (0.5, 0.99, 1)]
    worst = max(family, key=lambda one: one.cpu_seconds)
    return [title, f"{len(family):,}", f"{statistics.median_low(one.found for one in family):,}", *figures, shown(worst)]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def shown(one):
    words = one.search.words if len(one.search.words) <= SHOWN_LETTERS else one.search.words[: SHOWN_LETTERS - 1] + "…"
    place = f", from row {one.search.offset:,}" if one.search.offset else ""
    return f"`{words.replace('|', '¦').replace('`', '´')}`{place}: {one.found:,}"


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}"

"""A contestant: a server that is started, queried, paused while others are measured, and stopped."""

import dataclasses
import json
import os
import signal
import time
import urllib.error
import urllib.request

from . import load, machine
from .questions import Answer


@dataclasses.dataclass
class Asked:
    """A response: its answer, the time it took, the length of its body, and its headers."""

    answer: Answer
    elapsed: float
    length: int
    head: list


class Contestant:
    """A contestant with HTTP. Subclasses define preparation, start and requests."""

    name = ""
    # Whether it handles a key, a limit and the rest for every request, as Lastro does; most peers do not.
    has_duties = False

    def __init__(self, laboratory):
        self.laboratory = laboratory
        self.address = machine.free_address()
        self.process = None

    def prepare(self):
        """Installs the dependencies; raises `Unavailable` if that fails."""

    def launch(self):
        """Starts the process, on the server's core, and returns it."""
        raise NotImplementedError

    def request(self, question):
        """Returns the request for this question, or None if it cannot be expressed."""
        raise NotImplementedError

    def start(self):
        self.process = self.launch()
        machine.wait_for(f"http://{self.address}/", self.process)

    def stop(self):
        if self.process:
            machine.end(self.process)

    def pause(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.process.pid, signal.SIGCONT)

    def ask(self, question):
        """Sends the request once and returns the response."""
        request = self.request(question)
        sent = urllib.request.Request(request.url, headers=dict(request.headers), data=request.body.encode() or None)
        began = time.monotonic()
        try:
            with urllib.request.urlopen(sent, timeout=120) as response:
                body, head = response.read(), response.headers
        except urllib.error.HTTPError as refusal:
            body, head = refusal.read(), refusal.headers
            if not (request.refused and refusal.code == 429):
                raise machine.Unavailable(f"status {refusal.code}") from refusal
        elapsed, coding = time.monotonic() - began, head.get("Content-Encoding", "")
        if coding != question.coding:
            raise machine.Unavailable(f"coded as {coding or 'nothing'}, not {question.coding or 'nothing'}")
        # A compressed answer is not compared with another one.
        return Asked(Answer([]) if coding else self.read(json.loads(body)), elapsed, len(body), head.items())

    def read(self, body):
        """Converts the answer to the form of Lastro's."""
        if "data" in body:
            return Answer(body["data"], body.get("total"))
        return Answer([body])

    def measure(self, question, seconds, slow=False):
        request = self.request(question)
        with machine.Stopwatch(self.process.pid) as cpu:
            measured = None if slow else load.measure(request, seconds, self.laboratory.directory)
            # On a busy machine a round can end before the first of 64 responses arrives.
            if not measured or measured.answered == 0:
                measured = load.one_by_one(request, seconds)
        return dataclasses.replace(measured, cpu=cpu.seconds * 1e6 / measured.answered, system_share=cpu.system_share)

    def url(self, path):
        return f"http://{self.address}{path}"

    def log(self):
        return open(self.laboratory.directory / f"{self.name}.log", "ab")

"""Clients of a fleet, with the time and outcome of their requests. A broken connection is an outcome too: a failure."""

import http.client
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

CURRENT_SELIC = "/api/v1/market/selic/current"
WINDOW_S = 60


@dataclass(frozen=True)
class Answer:
    sent: float
    received: float
    # 0 if there was no response.
    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""

    @property
    def admitted(self):
        return self.status == 200

    @property
    def failed(self):
        return self.status == 0 or self.status >= 500


class Client:
    """One connection after the other, from a given address, which the limit by address counts as one client."""

    def __init__(self, port, key=None, address="127.0.0.1", host="127.0.0.1"):
        self.port, self.address, self.host = port, address, host
        self.headers = {"X-API-Key": key} if key else {}
        self.connection = None

    def ask(self, path=CURRENT_SELIC, method="GET", body=None, headers=()):
        sent = time.monotonic()
        try:
            self.connection = self.connection or self.connect()
            self.connection.request(method, path, body, {**self.headers, **dict(headers), **({"Content-Type": "application/json"} if body else {})})
            response = self.connection.getresponse()
            content = response.read()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(sent, time.monotonic(), response.status, headers, content)
        except (OSError, http.client.HTTPException):
            self.close()
            return Answer(sent, time.monotonic(), 0)

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=30, source_address=(self.address, 0))

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def at_once(ports, requests, key=None, address="127.0.0.1", connections=32):
    """Sends requests as fast as these connections can, spread over the ports in turn."""
    clients = [Client(ports[n % len(ports)], key, address) for n in range(min(connections, requests))]

    def share(n):
        return [clients[n].ask() for _ in range(n, requests, len(clients))]

    with ThreadPoolExecutor(len(clients)) as pool:
        found = [answer for answers in pool.map(share, range(len(clients))) for answer in answers]
    for client in clients:
        client.close()
    return found


class Stream:
    """Sends requests at a steady rate in the background, until it is stopped."""

    def __init__(self, port, per_second, key=None, address="127.0.0.1", connections=4, path=CURRENT_SELIC, method="GET"):
        self.answers, self.stopping, self.path, self.method = [], threading.Event(), path, method
        pause = connections / per_second
        clients = [Client(port, key, address) for _ in range(connections)]
        self.threads = [threading.Thread(target=self.run, args=(client, pause, n * pause / connections), daemon=True) for n, client in enumerate(clients)]

    def run(self, client, pause, offset):
        due = time.monotonic() + offset
        while not self.stopping.wait(max(0, due - time.monotonic())):
            self.answers.append(client.ask(self.path, self.method))
            due = max(due + pause, time.monotonic() - pause)
        client.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        self.answers.sort(key=lambda answer: answer.sent)

    @property
    def failures(self):
        return sum(answer.failed for answer in list(self.answers))


def slowest(answers):
    """Seconds that the client with the longest wait has waited."""
    return max((answer.received - answer.sent for answer in answers), default=0.0)


def most_in_a_window(answers, after=float("-inf"), before=float("inf")):
    """The most requests certainly admitted within one window, from sending the first to the response of the last."""
    admitted = [a for a in answers if a.admitted and a.sent >= after and a.received <= before]
    windows = ([a for a in admitted if a.sent >= first.sent and a.received < first.sent + WINDOW_S] for first in admitted)
    return max(map(len, windows), default=0)

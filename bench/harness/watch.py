"""Monitors a running server from outside: memory, descriptors, connections, and whether its admin port responds."""

import os
import threading
import time
import urllib.request
from dataclasses import dataclass

LOOK_S = 0.5
LIVEZ_PATIENCE_S = 3


@dataclass
class Look:
    at: float
    rss_mb: float
    descriptors: int
    connections: int
    alive: bool


class Watch:
    """Takes a sample twice a second, until it is stopped."""

    def __init__(self, process, admin):
        self.process, self.admin = process, admin
        self.looks = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(10)

    def run(self):
        while not self.over.wait(LOOK_S):
            if self.process.poll() is not None:
                self.looks.append(Look(time.monotonic(), 0, 0, 0, False))
                return
            self.looks.append(self.look())

    def look(self):
        alive = self.ask("/livez") is not None
        connections = [line for line in (self.ask("/metrics") or "").splitlines() if line.startswith("lastro_connections ")]
        return Look(
            at=time.monotonic(),
            rss_mb=resident_mb(self.process.pid),
            descriptors=len(os.listdir(f"/proc/{self.process.pid}/fd")),
            connections=int(connections[0].split()[1]) if connections else 0,
            alive=alive,
        )

    def ask(self, path):
        try:
            with urllib.request.urlopen(f"http://{self.admin[0]}:{self.admin[1]}{path}", timeout=LIVEZ_PATIENCE_S) as answer:
                return answer.read().decode()
        except OSError:
            return None

    def between(self, start, end):
        return [look for look in self.looks if start <= look.at <= end]


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))

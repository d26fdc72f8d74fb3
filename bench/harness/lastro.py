"""Lastro itself, with all its work on, and the bare server that marks the limit."""

import os
import subprocess

from . import machine
from .contestant import Contestant
from .load import Request


class Lastro(Contestant):
    name = "Lastro"

    def prepare(self):
        self.key = make_key(self.laboratory.database)

    def launch(self):
        return serve(self.laboratory.database, self.address, "off", stderr=self.log())

    def request(self, question):
        headers = () if question.refused else (("X-API-Key", self.key),)
        return Request(self.url(question.path), headers, refused=question.refused)


class Bare(Contestant):
    """hyper with a fixed body: told how long Lastro's answers are, before it starts."""

    name = "bare hyper"

    def __init__(self, laboratory):
        super().__init__(laboratory)
        self.lengths = {}

    def launch(self):
        lengths = sorted(set(self.lengths.values()))
        return machine.pinned([machine.binary("lastro-bench-bare"), self.address, *lengths], stderr=self.log())

    def request(self, question):
        # The same header to read, and the same to leave out.
        headers = () if question.refused else (("X-API-Key", self.laboratory.lastro.key),)
        return Request(self.url(f"/{self.lengths[question]}"), headers)

    def read(self, body):
        return None


def serve(database, address, admin, cores=str(machine.SERVER_CORE), **settings):
    arguments = [machine.binary("lastro"), "--database", database, "--listen", address, "--admin-listen", admin, "--sync", "off"]
    return machine.pinned(arguments, cores, env={**os.environ, "RUST_LOG": "warn"}, **settings)


def make_demo(database, filings):
    arguments = ["demo", "--companies", "2500", "--filings", str(filings), "--database", database]
    machine.quietly([machine.binary("lastro"), *arguments])


def make_key(database):
    arguments = ["keys", "create", "--database", database, "--plan", "platinum", "--name", "bench"]
    arguments += ["--email", "bench@example.com", "--rate-limit", "100000000"]
    return subprocess.run([machine.binary("lastro"), *arguments], check=True, capture_output=True, text=True).stdout.strip()

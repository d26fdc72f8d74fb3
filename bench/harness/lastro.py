"""Lastro itself, with all its features on, and the bare servers that mark the limit."""

import os
import subprocess
import urllib.request

from . import machine
from .contestant import Contestant
from .load import Request


class Lastro(Contestant):
    name = "Lastro"

    def prepare(self):
        self.key = make_key(self.laboratory)

    def launch(self):
        return serve(self.laboratory, self.address, "off", stderr=self.log())

    def request(self, question):
        headers = () if question.refused else (("X-API-Key", self.key),)
        if question.coding:
            headers += (("Accept-Encoding", question.coding),)
        return Request(self.url(question.path), headers, refused=question.refused)


class Bare(Contestant):
    """hyper with a fixed body of the length of Lastro's response, and one header; it receives the same requests as Lastro."""

    name = "leanest hyper"

    def __init__(self, laboratory):
        super().__init__(laboratory)
        # Lastro's answer to each question.
        self.model = {}

    def launch(self):
        return machine.pinned([machine.binary("lastro-bench-bare"), self.address], stderr=self.log())

    def request(self, question):
        lastro = self.laboratory.lastro.request(question)
        return Request(self.url(question.path), lastro.headers)

    def measure(self, question, seconds, slow=False):
        self.fix(self.model[question])
        return super().measure(question, seconds, slow)

    def fix(self, model):
        length, head = model.length, {f"x-set-{name}": value for name, value in self.head(model)}
        request = urllib.request.Request(self.url(f"/{length}"), method="PUT", headers=head)
        if len(urllib.request.urlopen(request, timeout=10).read()) != length:
            raise machine.Unavailable(f"no body of {length} bytes")

    def head(self, model):
        return []


class SameHead(Bare):
    """hyper with Lastro's headers as well."""

    name = "hyper, same head"

    def head(self, model):
        # hyper adds the first two itself. The third answers the single request of the check, which asks to close; under load it would make every
        # request open a connection.
        own = ("content-length", "date", "connection")
        return [(name, value) for name, value in model.head if name.lower() not in own]


def serve(laboratory, address, admin, cores=str(machine.SERVER_CORE), **settings):
    arguments = [laboratory.program, "--database", laboratory.database, "--listen", address, "--admin-listen", admin, "--sync", "off"]
    return machine.pinned(arguments, cores, env={**os.environ, "RUST_LOG": "warn"}, **settings)


def make_demo(program, database, filings):
    arguments = ["demo", "--companies", "2500", "--filings", str(filings), "--database", database]
    machine.quietly([program, *arguments])


def make_key(laboratory):
    arguments = ["keys", "create", "--database", laboratory.database, "--plan", "platinum", "--name", "bench"]
    arguments += ["--email", "bench@example.com", "--rate-limit", "100000000"]
    return subprocess.run([laboratory.program, *arguments], check=True, capture_output=True, text=True).stdout.strip()

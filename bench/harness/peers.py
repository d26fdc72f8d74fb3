"""The alternatives to Lastro, each set up as its own documentation advises. Their code is in `bench/peers`."""

import json
import os
import urllib.parse

from . import machine
from .contestant import Contestant
from .load import Request
from .questions import Answer


class Peer(Contestant):
    """A contestant with routes like Lastro's."""

    def request(self, question):
        return None if question.refused else Request(self.url(question.path))

    def host_and_port(self):
        return self.address.split(":")


class Fastify(Peer):
    name = "Fastify"

    def prepare(self):
        machine.command("node", "nodejs")
        self.place = machine.node_modules("fastify")

    def launch(self):
        return machine.pinned(self.command(), stderr=self.log())

    def command(self):
        return ["node", self.place / "server.js", self.laboratory.peers_database, *self.host_and_port()]


class FastifyWithDuties(Fastify):
    """The same server with a key, a limit, usage, request id and ETag: see `peers/fastify/duties.js`."""

    name = "Fastify with duties"
    has_duties = True
    key = "a-key-as-long-as-one-of-lastro-s-which-has-54-letters-"

    def command(self):
        return [*super().command(), self.key]

    def request(self, question):
        headers = () if question.refused else (("Authorization", f"Bearer {self.key}"),)
        return Request(self.url(question.path), headers, refused=question.refused)


class FastApi(Peer):
    name = "FastAPI"

    def prepare(self):
        self.programs = machine.virtual_environment("fastapi")

    def launch(self):
        host, port = self.host_and_port()
        arguments = [self.programs / "uvicorn", "--app-dir", machine.BENCH / "peers" / "fastapi", "--host", host, "--port", port]
        arguments += ["--workers", "1", "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning", "server:app"]
        environment = {**os.environ, "BENCH_DATABASE": str(self.laboratory.peers_database), "PYTHONDONTWRITEBYTECODE": "1"}
        return machine.pinned(arguments, env=environment, stderr=self.log())


class Datasette(Peer):
    """Canned queries over an immutable file. No route returns a count, so the count is a column."""

    name = "Datasette"

    def prepare(self):
        self.programs = machine.virtual_environment("datasette")

    def launch(self):
        host, port = self.host_and_port()
        arguments = [self.programs / "datasette", "serve", "--immutable", self.laboratory.peers_database, "--host", host, "--port", port]
        arguments += ["--metadata", machine.BENCH / "peers" / "datasette" / "metadata.json"]
        # Counting takes longer than the default timeout of one second.
        arguments += ["--setting", "sql_time_limit_ms", "60000", "--setting", "suggest_facets", "off"]
        return machine.pinned(arguments, stderr=self.log())

    def request(self, question):
        if question.refused:
            return None
        query = question.subject
        if query == "filings":
            query += "_by_category" if "category" in question.parameters else "_by_days"
        parameters = urllib.parse.urlencode({"_shape": "array", **question.parameters})
        return Request(self.url(f"/{self.laboratory.peers_database.stem}/{query}.json?{parameters}"))

    def read(self, body):
        return Answer(body, body[0].get("total") if body else None)


class Roapi(Peer):
    """REST for rows, SQL for counted pages. It has no full-text search."""

    name = "roapi"

    def prepare(self):
        self.programs = machine.virtual_environment("roapi")

    def launch(self):
        source = {"uri": f"sqlite://{self.laboratory.peers_database}"}
        tables = [{"name": name, **source, "option": {"format": "sqlite", "table": name}} for name in ("selic", "company", "filing")]
        addresses = {"http": self.address, "postgres": "127.0.0.1:0", "flight_sql": "127.0.0.1:0"}
        # JSON is YAML too.
        configuration = self.laboratory.directory / "roapi.yml"
        configuration.write_text(json.dumps({"addr": addresses, "tables": tables}))
        arguments = [self.programs / "roapi", "--config", configuration]
        return machine.pinned(arguments, env={**os.environ, "RUST_LOG": "warn"}, stderr=self.log())

    def request(self, question):
        asked = question.parameters
        if question.refused or question.subject == "search":
            return None
        if question.subject == "filings":
            return Request(self.url("/api/sql"), body=counted_page(asked))
        if question.subject == "company":
            return self.rows("company", {"filter[id]": f"'{asked['id']}'"})
        days = {"filter[date]gte": f"'{asked['from']}'", "filter[date]lte": f"'{asked['to']}'"} if asked else {}
        return self.rows("selic", {"columns": "date,value", **days, "sort": "-date", "limit": 20 if asked else 1})

    def rows(self, table, parameters):
        return Request(self.url(f"/api/tables/{table}?{urllib.parse.urlencode(parameters)}"))

    def read(self, body):
        for row in body:
            row["id"] = str(row.get("id"))
        return Answer(body, body[0].get("total") if body else None)


def counted_page(asked):
    where = f"date BETWEEN '{asked['from']}' AND '{asked['to']}T23:59:59'"
    if "category" in asked:
        where = f"category = '{asked['category']}' AND {where}"
    total = f"(SELECT COUNT(*) FROM filing WHERE {where}) AS total"
    return f"SELECT filing.*, {total} FROM filing WHERE {where} ORDER BY date DESC, id DESC LIMIT 20 OFFSET {asked['offset']}"

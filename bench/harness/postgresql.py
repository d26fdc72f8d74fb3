"""PostgreSQL alone, for search: its own cluster, queried by pgbench without HTTP."""

import csv
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

from . import machine
from .contestant import Contestant
from .load import Measured
from .questions import Answer

HERE = machine.BENCH / "peers" / "postgresql"
# Tuned for one core and short queries, so without parallel workers and JIT; the data need not be durable.
SETTINGS = {
    "shared_buffers": "1GB", "work_mem": "64MB", "maintenance_work_mem": "512MB", "effective_cache_size": "4GB", "jit": "off",
    "max_parallel_workers_per_gather": "0", "max_parallel_maintenance_workers": "0", "fsync": "off", "synchronous_commit": "off",
    "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "8GB", "autovacuum": "off",
    "listen_addresses": "", "max_connections": "32", "random_page_cost": "1.1",
}
CLIENTS = 8
COLUMNS = "id, company_id, company_name, category, date, description, type, reference_date, version, url"


class PostgreSql(Contestant):
    name = "PostgreSQL"

    def prepare(self):
        if not glob.glob("/usr/lib/postgresql/*/bin/initdb"):
            machine.install_packages("postgresql", "postgresql-contrib")
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.programs = Path(found[-1]) if found else machine.fail("no PostgreSQL in /usr/lib/postgresql")
        self.cluster = self.laboratory.directory / "postgresql"
        self.cluster.mkdir()
        # It refuses to run as root.
        if os.geteuid() == 0:
            shutil.chown(self.cluster, "postgres")
        self.as_owner([self.programs / "initdb", "-D", self.cluster / "data", "-A", "trust", "-U", "bench", "-E", "UTF8", "--no-locale", "-N"])
        lines = [f"{name} = '{value}'" for name, value in SETTINGS.items()] + [f"unix_socket_directories = '{self.cluster}'"]
        with open(self.cluster / "data" / "postgresql.conf", "a") as configuration:
            configuration.write("\n".join(lines) + "\n")

    def as_owner(self, arguments, **settings):
        return machine.quietly([*self.owner(), *arguments], cwd=self.cluster, **settings)

    def owner(self):
        return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def start(self):
        self.process = self.launch()
        self.fill()

    def launch(self):
        arguments = [*self.owner(), self.programs / "postgres", "-D", self.cluster / "data"]
        process = machine.pinned(arguments, cwd=self.cluster, stderr=self.log())
        for _ in range(300):
            if subprocess.run([self.programs / "pg_isready", "-q", "-h", self.cluster]).returncode == 0:
                return process
            time.sleep(0.1)
        machine.end(process)
        machine.fail("the cluster did not start")

    def fill(self):
        self.psql("-f", HERE / "schema.sql")
        copy = f"\\copy filing ({COLUMNS}) FROM pstdin (FORMAT csv)"
        loading = subprocess.Popen([*self.psql_command(), "-c", copy], stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
        database = sqlite3.connect(f"file:{self.laboratory.peers_database}?mode=ro", uri=True)
        rows = database.execute(f"SELECT {COLUMNS} FROM filing")
        csv.writer(loading.stdin).writerows(rows)
        loading.stdin.close()
        if loading.wait() != 0:
            machine.fail("the filings could not be loaded")
        self.psql("-f", HERE / "index.sql")

    def psql_command(self):
        return [self.programs / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.cluster, "-U", "bench", "-d", "postgres"]

    def psql(self, *arguments):
        return machine.quietly([*self.psql_command(), *arguments])

    def pause(self):
        """Does nothing: idle processes without autovacuum take no CPU, and each has its own process group."""

    def resume(self):
        """See `pause`."""

    def request(self, question):
        """Returns whether the question can be asked, instead of a request."""
        return question if question.subject == "search" else None

    def ask(self, question):
        count, select = (HERE / "search.sql").read_text().replace(":q", ":'q'").rstrip().rstrip(";").split(";")
        as_json = f"SELECT json_build_object('total', ({count}), 'data', (SELECT json_agg(hit) FROM ({select}) hit))"
        began = time.monotonic()
        # psql expands variables only in input from a file or standard input.
        out = machine.quietly([*self.psql_command(), "-tA", "-v", f"q={question.parameters['q']}"], input=as_json)
        elapsed = time.monotonic() - began
        body = json.loads(out)
        return Answer(body["data"] or [], body["total"]), elapsed, len(out)

    def measure(self, question, seconds, slow):
        clients = 1 if slow else CLIENTS
        arguments = ["taskset", "-c", str(machine.LOAD_CORE), self.programs / "pgbench", "-n", "-M", "prepared"]
        arguments += ["-c", str(clients), "-j", "1", "-T", str(seconds)]
        arguments += ["-D", f"q={question.parameters['q']}", "-f", HERE / "search.sql", "-h", self.cluster, "-U", "bench", "postgres"]
        out = machine.quietly(arguments)
        return Measured(float(re.search(r"tps = ([\d.]+)", out)[1]))

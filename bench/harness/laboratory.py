"""The laboratory: a temporary directory with Lastro's database and its copy for the peers."""

import sqlite3
import time
from pathlib import Path

from . import lastro, machine


class Laboratory:
    def __init__(self, directory, filings, program=machine.binary("lastro")):
        self.directory = Path(directory)
        self.program = program
        self.filings = filings
        self.database_file = self.directory / "lastro.db"
        self.database = f"sqlite:{self.database_file}"
        self.peers_database = self.directory / "peers.db"
        self.lastro = None

    def fill(self):
        # PostgreSQL runs as another user.
        self.directory.chmod(0o755)
        began = time.monotonic()
        lastro.make_demo(self.program, self.database, self.filings)
        machine.say(f"{self.filings:,} filings made in {time.monotonic() - began:.0f} s")

    def copy_for_peers(self):
        began = time.monotonic()
        copy = sqlite3.connect(self.peers_database)
        copy.execute("ATTACH ? AS lastro", (str(self.database_file),))
        copy.executescript((machine.BENCH / "peers" / "sqlite.sql").read_text())
        copy.close()
        machine.say(f"copied and indexed for the peers in {time.monotonic() - began:.0f} s")

"""A whole fleet as one context manager: databases, replicas and a balancer."""

import os
import subprocess
from pathlib import Path

from .balancers import HaProxy
from .parts import PgBouncer, Postgres, Redis, Replica, wait_until


class Fleet:
    """The whole fleet, as a context manager that always ends every process it started."""

    def __init__(self, directory, binary, replicas=3, settings=()):
        self.directory, self.binary = Path(directory), Path(binary)
        self.directory.mkdir(exist_ok=True)
        self.directory.chmod(0o755)
        self.postgres, self.redis = Postgres(directory), Redis(directory)
        self.bouncer = PgBouncer(directory, self.postgres)
        self.pepper = self.directory / "pepper"
        self.settings = list(settings)
        # A program of an earlier version, for a rolling upgrade.
        self.older = None
        self.replicas = [self.replica(f"r{n}") for n in range(1, replicas + 1)]
        self.balancer = HaProxy(directory, self.replicas)

    def replica(self, name, database=None, redis=None, more=(), **about):
        """A replica of this fleet, not started, with other addresses and settings if need be."""
        addresses = ["--database", database or self.database_url(), "--redis", redis or self.redis_url()]
        common = ["--pepper-file", str(self.pepper), "--sync", "off", "--trusted-proxies", "127.0.0.1/32"]
        return Replica(self.directory, name, self.binary, [*addresses, *common, *self.settings, *more], **about)

    def database_url(self):
        return self.postgres.url(self.bouncer.port)

    def redis_url(self):
        return self.redis.url()

    def start_databases(self):
        self.postgres.prepare()
        self.bouncer.start()
        self.redis.start()

    def other_parts(self):
        return [self.bouncer, self.redis, self.postgres]

    def __enter__(self):
        try:
            self.start_databases()
            self.write_pepper()
            self.start_replicas_at_once()
            self.balancer.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def write_pepper(self):
        self.pepper.write_text(os.urandom(32).hex())
        self.pepper.chmod(0o600)

    def start_replicas_at_once(self):
        """Starts all replicas at once on an empty database: all migrate it and check for the sample together."""
        for replica in self.replicas:
            with open(self.directory / f"{replica.name}.log", "ab") as log:
                replica.process = subprocess.Popen(replica.command(), stdout=log, stderr=log, start_new_session=True, env=replica.environment())
        for replica in self.replicas:
            wait_until(replica.is_up, replica.name)

    def __exit__(self, *_):
        for part in [self.balancer, *self.replicas, *self.other_parts()]:
            part.kill()

    def lastro(self, *arguments):
        """Runs a command of the operator."""
        command = [str(self.binary), *arguments, "--database", self.database_url(), "--pepper-file", str(self.pepper)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()

    def make_key(self, plan, rate_limit=None):
        limit = ["--rate-limit", str(rate_limit)] if rate_limit else []
        return self.lastro("keys", "create", "--plan", plan, "--name", "Fleet", "--email", "fleet@example.com", *limit)

    def wait_for_each_other(self):
        """Waits until every replica has seen all others, so that each knows its share."""
        wanted = [len(self.replicas)] * len(self.replicas)
        wait_until(lambda: self.live_as_each_sees_it() == wanted, "all replicas see each other")

    def live_as_each_sees_it(self):
        return [int(replica.metric("lastro_replicas").get("", 0)) for replica in self.replicas]

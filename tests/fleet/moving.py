"""The promise of docs/from-one-machine-to-three.md: its commands, run in order, move a service without a loss.

Machines are directories, and the addresses of the page are loopback addresses. `systemctl`, `scp` and `sudo` are small
stand-ins (moving.sh); everything else is what the page says.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from .clients import CURRENT_SELIC, Client
from .observed import Observed
from .parts import Postgres, Redis, Unavailable, free_port, wait_until

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGE = REPOSITORY / "docs/from-one-machine-to-three.md"
BLOCK = re.compile(r"^```sh\n# on (?P<where>[^\n]*)\n(?P<commands>.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = {"the first machine": [1], "the second machine": [2], "the third machine": [3], "the second and the third machine": [2, 3],
         "every machine": [1, 2, 3], "the balancer": ["balancer"], "the machine of PostgreSQL": ["database"], "the machine of Redis": ["redis"]}
REQUESTS = 7


class Site:
    """The machines of the page."""

    def __init__(self, directory, binary):
        self.directory, self.binary = directory, binary
        self.directory.mkdir()
        self.postgres, self.redis = Postgres(directory, name="database", user="postgres"), Redis(directory)
        # Loopback addresses of its own, so that the page's ports are free.
        self.network = f"127.{random.randrange(1, 255)}.{random.randrange(1, 255)}."
        self.balancer_port = free_port()

    def __enter__(self):
        for machine in (1, 2, 3, "balancer"):
            for place in ("etc/lastro", "etc/haproxy", "etc/systemd/system", "var/lib/lastro"):
                (self.root(machine) / place).mkdir(parents=True)
        try:
            self.postgres.make_cluster()
            self.redis.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for file in self.directory.glob("*/pid.*"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(file.read_text()), signal.SIGKILL)
        self.redis.kill()
        self.postgres.kill()

    def root(self, machine):
        return self.directory / f"machine-{machine}"

    def address(self, machine, port):
        return f"{self.network}{10 + machine}:{port}"

    def here(self, commands, machine):
        """The commands with the paths and addresses of this machine in place of those of the page."""
        replaced = {
            r"root@10\.0\.0\.1(\d):(/etc/\S+)": lambda found: f"{self.root(found[1])}{found[2]}",
            r"10\.0\.0\.2:8080": f"127.0.0.1:{self.balancer_port}",
            r"10\.0\.0\.2/32": "127.0.0.1/32",
            r"10\.0\.0\.": self.network,
            r"(?<![\w/.-])/(etc|var/lib)/(?=lastro|systemd|haproxy)": f"{self.root(machine)}/\\1/",
            r"(?<=:)/(etc|var/lib)/(?=lastro)": f"{self.root(machine)}/\\1/",
            r"db\.internal": f"127.0.0.1:{self.postgres.port}",
            r"redis\.internal:6379": f"127.0.0.1:{self.redis.port}",
        }
        for pattern, text in replaced.items():
            commands = re.sub(pattern, text, commands)
        # Nothing may reach the real directories of this machine.
        for path in re.findall(r"""[^\s=:'">]*/(?:etc|var/lib)/(?:lastro|systemd|haproxy)""", commands):
            if not path.startswith(str(self.directory)):
                raise Unavailable(f"{PAGE.name}: no place on this machine for {path}")
        return commands

    def run(self, commands, machine):
        script = f". {Path(__file__).with_name('moving.sh')}\n{self.here(commands, machine)}"
        known = {"MACHINE": str(self.root(machine)), "BINARY": str(self.binary), "REDIS_PORT": str(self.redis.port),
                 "PGHOST": "127.0.0.1", "PGPORT": str(self.postgres.port), "PGUSER": "postgres", "NO_COLOR": "1"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=REPOSITORY, env={**os.environ, **known}, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Unavailable(f"on machine {machine}: {(done.stderr or done.stdout).strip().splitlines()[-1:]} after: {commands.strip().splitlines()[0]}")
        return done.stdout


def from_one_machine_to_three(fleet):
    page = PAGE.read_text()
    blocks = BLOCK.findall(page)
    if len(blocks) != page.count("```sh"):
        raise Unavailable(f"a block of {PAGE.name} does not say on which machine it is run")
    with Site(fleet.directory / "site", fleet.binary) as site:
        key, used = one_machine(site)
        began = None
        for where, commands in blocks:
            began = time.monotonic() if "systemctl stop lastro" in commands else began
            for machine in NAMES[where.partition(":")[0]]:
                run_until_ready(site, commands, machine)
        return judged(site, key, used, len(blocks), time.monotonic() - began)


def one_machine(site):
    """The service as it was before: the unit of deploy/, SQLite, a customer with usage."""
    listen = f"LASTRO_LISTEN={site.address(1, 8081)}\nLASTRO_ADMIN_LISTEN={site.address(1, 9091)}\n"
    (site.root(1) / "etc/lastro/environment").write_text(listen + "LASTRO_SYNC=off\n")
    for machine in (2, 3):
        (site.root(machine) / "etc/lastro/environment").write_text("LASTRO_SYNC=off\n")
    (site.root(1) / "etc/lastro/pepper").write_text(os.urandom(32).hex())
    shutil.copy(REPOSITORY / "deploy/systemd/lastro.service", site.root(1) / "etc/systemd/system/lastro.service")
    site.run("systemctl enable --now lastro", 1)
    run_until_ready(site, f"lastro health --admin-listen {site.address(1, 9091)}", 1)
    key = site.run("lastro keys create --database sqlite:/var/lib/lastro/lastro.db --pepper-file /etc/lastro/pepper --plan gold --name Page --email page@example.com", 1).strip()
    client = Client(8081, key, host=site.address(1, 8081).split(":")[0])
    for _ in range(REQUESTS):
        assert client.ask(CURRENT_SELIC).status == 200
    return key, total(client)


def total(client):
    return json.loads(client.ask("/api/v1/plans/usage").body)["total"]


def run_until_ready(site, commands, machine):
    """Runs the commands of a block, again while a machine that they ask is still loading, as the page says."""
    last = None

    def succeeds():
        nonlocal last
        try:
            site.run(commands, machine)
            return True
        except Unavailable as error:
            last = error
            if "lastro health" not in commands:
                raise
            return False

    try:
        wait_until(succeeds, f"the commands on machine {machine}")
    except Unavailable:
        raise last from None


def judged(site, key, used, blocks, paused):
    balancer = Client(site.balancer_port, key)
    replicas = [Client(8080, key, host=f"{site.network}{10 + machine}") for machine in (1, 2, 3)]
    statuses = [client.ask().status for client in (*replicas, balancer)]
    listed = len(json.loads(site.run("lastro replicas --json --database-file /etc/lastro/database", 1)))
    # The counts of other replicas arrive within two seconds.
    time.sleep(3)
    after = total(balancer)
    kept = statuses == [200] * 4 and listed == 3 and after == used + 1 + len(statuses)
    text = f"{blocks} blocks run; paused {paused:.1f} s; the old key works at {statuses.count(200)} of 4 addresses; {listed} replicas; usage {used} before, {after} after 5 more"
    return Observed(text, kept)

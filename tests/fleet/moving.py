"""The promise of docs/from-one-machine-to-three.md: its commands, run in order, move a service without a loss.

Machines are directories, and the addresses of the page are loopback addresses. `systemctl`, `scp` and `sudo` are small
stand-ins (moving.sh); everything else is what the page says. Its last section, the way back, is run after the fleet was
judged.
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
WAY_BACK = "## 7. The way back"
# In force at the beginning and again after the way back, and a mistake in between.
FIRST_PROXY = "192.0.2.1/32"


class Site:
    """The machines of the page."""

    def __init__(self, directory, binary):
        self.directory, self.binary = directory, directory / "lastro"
        self.directory.mkdir()
        # Where the user of the unit can run it.
        shutil.copy(binary, self.binary)
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
    there, found, back = PAGE.read_text().partition(WAY_BACK)
    if not found:
        raise Unavailable(f"{PAGE.name} has no section {WAY_BACK}")
    with Site(fleet.directory / "site", fleet.binary) as site:
        key, used = one_machine(site)
        moved, paused = run_blocks(site, there)
        observed, used = judged(site, key, used)
        returned, _ = run_blocks(site, back)
        observed_back = judged_again(site, key, used)
    text = f"{moved} blocks run; paused {paused:.1f} s; {observed.text}; {returned} blocks back; {observed_back.text}"
    return Observed(text, observed.kept and observed_back.kept)


def run_blocks(site, text):
    """Runs the blocks of this part of the page; their number, and the seconds since the service was stopped."""
    blocks, began = BLOCK.findall(text), time.monotonic()
    if len(blocks) != text.count("```sh"):
        raise Unavailable(f"a block of {PAGE.name} does not say on which machine it is run")
    for where, commands in blocks:
        began = time.monotonic() if "systemctl stop lastro" in commands else began
        for machine in NAMES[where.partition(":")[0]]:
            run_until_ready(site, commands, machine)
    return len(blocks), time.monotonic() - began


def one_machine(site):
    """The service as it was before: the unit of deploy/, SQLite, a customer with usage."""
    listen = f"LASTRO_LISTEN={site.address(1, 8081)}\nLASTRO_ADMIN_LISTEN={site.address(1, 9091)}\n"
    (site.root(1) / "etc/lastro/environment").write_text(f"{listen}LASTRO_SYNC=off\nLASTRO_TRUSTED_PROXIES={FIRST_PROXY}\n")
    (site.root(1) / "etc/lastro/pepper").write_text(os.urandom(32).hex())
    shutil.copy(REPOSITORY / "deploy/systemd/lastro.service", site.root(1) / "etc/systemd/system/lastro.service")
    site.run("systemctl enable --now lastro", 1)
    wait_for_one_machine(site)
    key = site.run("lastro keys create --database sqlite:/var/lib/lastro/lastro.db --pepper-file /etc/lastro/pepper --plan gold --name Page --email page@example.com", 1).strip()
    client = client_of_one_machine(site, key)
    for _ in range(REQUESTS):
        assert client.ask(CURRENT_SELIC).status == 200
    return key, total(client)


def wait_for_one_machine(site):
    run_until_ready(site, f"lastro health --admin-listen {site.address(1, 9091)}", 1)


def client_of_one_machine(site, key):
    return Client(8081, key, host=site.address(1, 8081).split(":")[0])


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


def judged(site, key, used):
    """The fleet, and the usage of the key at the end."""
    balancer = Client(site.balancer_port, key)
    replicas = [Client(8080, key, host=f"{site.network}{10 + machine}") for machine in (1, 2, 3)]
    statuses = [client.ask().status for client in (*replicas, balancer)]
    listed = len(json.loads(site.run("lastro replicas --json --database-file /etc/lastro/database", 1)))
    apart = clients_are_told_apart(site)
    # The counts of other replicas arrive within two seconds.
    time.sleep(3)
    after = total(balancer)
    kept = statuses == [200] * 4 and listed == 3 and apart and after == used + 1 + len(statuses)
    text = (
        f"the old key works at {statuses.count(200)} of 4 addresses; {listed} replicas, which {'trust' if apart else 'do NOT trust'} the balancer; "
        f"usage {used} before, {after} after 5 more"
    )
    return Observed(text, kept), after


def clients_are_told_apart(site):
    """Whether two clients of the balancer have a quota each, because replicas believe whom it names."""
    first, second = (Client(site.balancer_port, address=address) for address in ("127.0.0.71", "127.0.0.72"))
    left = [int(client.ask().headers["x-ratelimit-remaining"]) for client in (first, first, second)]
    return left[0] == left[2] > left[1]


def judged_again(site, key, used):
    """The one machine, at the address and with the proxies that it had before."""
    wait_for_one_machine(site)
    client = client_of_one_machine(site, key)
    status, after = client.ask().status, total(client)
    # What an address says about its client is not believed if that address is no longer trusted.
    anonymous = Client(8081, host=client.host)
    left = [int(anonymous.ask(headers={"X-Forwarded-For": f"198.51.100.{n}"}).headers["x-ratelimit-remaining"]) for n in (1, 2)]
    kept = status == 200 and after == used + 2 and left[1] == left[0] - 1
    return Observed(f"the key gets {status} at the old address; usage {after}; the balancer is {'no longer' if left[1] < left[0] else 'STILL'} trusted", kept)

"""The cost of a fleet: a replica on PostgreSQL and Redis beside the same program on SQLite alone, in one run."""

import contextlib
import http.client
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import lastro, load, machine, report

sys.path.insert(0, str(machine.ROOT / "tests"))

from fleet.fleet import Fleet  # noqa: E402
from fleet.parts import Replica  # noqa: E402
from fleet.promises import synchronise  # noqa: E402
from fleet.publisher import Publisher  # noqa: E402

PATH = "/api/v1/market/selic/current"
# Number of Platinum keys, with 2,000 requests a minute each. A caller's turn is one second of six, so that no quota is
# used up below 200,000 requests a second.
KEYS = 1_000
BOTH_CORES = (machine.SERVER_CORE, machine.LOAD_CORE)
# Pairs of turns for each round of the contest. The two are so similar that fewer pairs would only show machine noise.
PAIRS = 5
# A pair in which the hypervisor took more than this share of a core does not count and is repeated, up to ATTEMPTS
# times the pairs in all: a request of a fleet needs both cores one after the other, one on SQLite only one core.
MOST_STOLEN = 0.02
ATTEMPTS = 4
PACKAGES = {"redis-server": "redis-server", "pgbouncer": "pgbouncer", "haproxy": "haproxy"}


@dataclass
class Turn:
    per_second: float
    cpu_us: float
    redis_us: float
    stolen: float


def run(filings, rounds, seconds):
    for program, package in PACKAGES.items():
        machine.command(program, package)
    with tempfile.TemporaryDirectory(prefix="lastro-fleet-") as directory:
        Path(directory).chmod(0o755)
        return "\n\n".join([beside_sqlite(directory, rounds * PAIRS, seconds), several(directory, seconds), loads(directory, filings)])


def beside_sqlite(directory, pairs, seconds):
    """Measures one replica with three kinds of callers, in turns with the same on SQLite."""
    cores = (machine.SERVER_CORE,)
    with replicas(directory, "beside", 1, cores) as fleet, single(directory, cores) as alone:
        made = {kind: [] for kind in KINDS}
        keys = {kind: make_keys(kind, fleet, alone) for kind in KINDS}
        places = [("SQLite", alone.replica, None), ("fleet", fleet.replicas[0], fleet.redis)]
        for number in range(ATTEMPTS * pairs):
            for kind in KINDS:
                # Alternates the order.
                in_turn = places[:: -1 if number % 2 else 1]
                pair = {place: turn(replica, keys[kind][place], seconds, redis) for place, replica, redis in in_turn}
                made[kind].append((pair["SQLite"], pair["fleet"]))
            if all(len(undisturbed(pairs_made)) >= pairs for pairs_made in made.values()):
                break
    head = ["caller", "pairs", "SQLite, req/s", "PostgreSQL and Redis, req/s", "ratio", "ratio by the replica's CPU", "Redis CPU µs a request"]
    note = (
        f"{report.conditions()} Pairs of turns of {seconds} s; the replica has one core, the load and the servers the other. Medians of the "
        f"pairs in which the hypervisor took at most {MOST_STOLEN:.0%} of a core, and below them of all that were made.\n\n"
    )
    counted = [row(kind, undisturbed(pairs_made)) for kind, pairs_made in made.items()]
    return note + report.table(head, [*counted, *(row(f"{kind}, all pairs", pairs_made) for kind, pairs_made in made.items())])


def undisturbed(pairs):
    return [pair for pair in pairs if all(turn.stolen <= MOST_STOLEN for turn in pair)]


KINDS = {"keys at their plan's limit": None, "a key with 100,000,000 a minute": 100_000_000, "refusals": 0}


def make_keys(kind, fleet, alone):
    limit = KINDS[kind]
    if limit == 0:
        return {"SQLite": [None], "fleet": [None]}
    count = 1 if limit else KEYS
    keys = {"SQLite": [alone.make_key(limit) for _ in range(count)], "fleet": [fleet.make_key("platinum", limit) for _ in range(count)]}
    for place, replica in (("SQLite", alone.replica), ("fleet", fleet.replicas[0])):
        ask_once(replica.port, keys[place])
    return keys


def ask_once(port, keys):
    """Sends one request with each key, so that none has to be looked up under load."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        for key in keys:
            connection.request("GET", PATH, headers={"X-API-Key": key})
            connection.getresponse().read()


def row(kind, pairs):
    if not pairs:
        return [kind, 0, *["–"] * 5]
    return [
        kind,
        len(pairs),
        report.rate(statistics.median(a.per_second for a, _ in pairs)),
        report.rate(statistics.median(f.per_second for _, f in pairs)),
        report.ratio(statistics.median(f.per_second / a.per_second for a, f in pairs)),
        report.ratio(statistics.median(a.cpu_us / f.cpu_us for a, f in pairs)),
        f"{statistics.median(f.redis_us for _, f in pairs):.1f}",
    ]


def turn(replica, keys, seconds, redis=None):
    """Runs one turn of load, each request with the next key."""
    before = redis.cpu_seconds() if redis else 0
    with machine.Theft() as theft, machine.Stopwatch(replica.process.pid) as cpu:
        per_second, answered = ask([replica.port], keys, seconds)
    spent = redis.cpu_seconds() - before if redis else 0
    return Turn(per_second, cpu.seconds * 1e6 / answered, spent * 1e6 / answered, theft.share)


def ask(ports, keys, seconds, cores=(machine.LOAD_CORE,)):
    """Returns responses a second and in total; each request has the next key."""
    callers = [machine.binary("lastro-bench-callers"), seconds, load.CONNECTIONS, PATH, *(f"127.0.0.1:{port}" for port in ports)]
    names = "\n".join(key for key in keys if key)
    with confined_to(cores):
        out = machine.quietly(callers, input=names, timeout=seconds + 60)
    admitted, refused = (int(told.split()[0]) for told in out.split(", "))
    answered, others = (admitted, refused) if names else (refused, admitted)
    if not answered or others > (0 if names else load.FREE_QUOTA):
        raise machine.Unavailable(f"of the requests were {out.strip()}")
    return answered / seconds, answered


def several(directory, seconds):
    """Measures two replicas beside one on the same cores, and the time until three serve a publication."""
    with replicas(directory, "several", 3, BOTH_CORES) as fleet:
        key = [fleet.make_key("platinum", 100_000_000)]
        for replica in fleet.replicas:
            ask_once(replica.port, key)
        one, _ = ask([fleet.replicas[0].port], key, seconds, BOTH_CORES)
        two, _ = ask([r.port for r in fleet.replicas[:2]], key, seconds, BOTH_CORES)
        published = statistics.median(publication(fleet, n) for n in range(5))
    return "\n".join([
        f"Two replicas ÷ one, on {len(BOTH_CORES)} cores that the load shares: {report.ratio(two / one)} "
        f"({report.rate(two)} and {report.rate(one)} req/s).",
        f"From a publication to its service on all three replicas: {published:.2f} s (median of 5).",
    ])


def publication(fleet, number):
    publisher = Publisher()
    try:
        publisher.correct(f"0.{51 + number}")
        synchronise(fleet, publisher)
        began = time.monotonic()
        newest = int(fleet.postgres.psql("SELECT edition FROM source_state WHERE source = 'ipca'"))
        while any(r.metric("lastro_edition")['{source="ipca"}'] < newest for r in fleet.replicas):
            time.sleep(0.01)
        return time.monotonic() - began
    finally:
        publisher.close()


def loads(directory, filings):
    """Measures the first start over a filled database, without a saved index, from PostgreSQL and from SQLite."""
    with replicas(directory, "loads", 1, BOTH_CORES) as fleet:
        fleet.replicas[0].end()
        fleet.lastro("demo", "--companies", "2500", "--filings", str(filings))
        from_postgres = started(fleet.replicas[0])
    with single(directory, BOTH_CORES, filings) as alone:
        alone.replica.end()
        from_sqlite = started(alone.replica)
    return (
        f"First load of {filings:,} filings: {from_postgres:.1f} s from PostgreSQL, {from_sqlite:.1f} s from SQLite, "
        f"ratio {report.ratio(from_postgres / from_sqlite)}."
    )


def started(replica):
    began = time.monotonic()
    start(replica, BOTH_CORES)
    return time.monotonic() - began


@contextlib.contextmanager
def replicas(directory, name, count, cores):
    """Starts replicas on these cores; their servers share the core of the load."""
    place = Path(directory) / name
    place.mkdir()
    with contextlib.ExitStack() as stack:
        with confined_to((machine.LOAD_CORE,)):
            fleet = stack.enter_context(Fleet(place, machine.binary("lastro"), count))
        for replica in fleet.replicas:
            replica.end()
            start(replica, cores)
        yield fleet


@contextlib.contextmanager
def single(directory, cores, filings=0):
    place = Path(tempfile.mkdtemp(dir=directory))
    alone = Single(place, filings)
    try:
        start(alone.replica, cores)
        yield alone
    finally:
        alone.replica.kill()


def start(replica, cores):
    """Starts a replica on these cores at once, because it creates one worker per core."""
    with confined_to(cores):
        replica.start(seconds=180)


@contextlib.contextmanager
def confined_to(cores):
    """Confines processes started meanwhile, and their children, to these cores."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)


class Single:
    """The same program on SQLite."""

    def __init__(self, place, filings):
        self.database = f"sqlite:{place}/lastro.db"
        if filings:
            lastro.make_demo(machine.binary("lastro"), self.database, filings)
        # The index cannot be saved in this directory, so that every start is a first one.
        arguments = ["--database", self.database, "--sync", "off", "--index-dir", "/dev/null/none"]
        self.replica = Replica(place, "alone", machine.binary("lastro"), arguments)

    def make_key(self, limit):
        agreed = ["--rate-limit", str(limit)] if limit else []
        command = [machine.binary("lastro"), "keys", "create", "--database", self.database, "--plan", "platinum", "--name", "bench"]
        return machine.quietly([*command, "--email", "bench@example.com", *agreed]).strip()

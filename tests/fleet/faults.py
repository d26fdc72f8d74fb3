"""Promises about replicas that are neither well nor gone: hung, slow, cut off, with a wrong clock or a full disk."""

import contextlib
import email.utils
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

from .balancers import Nginx
from .clients import CURRENT_SELIC, Client, Stream, at_once, slowest
from .observed import AMPLE, BRONZE, Observed, skipped, usage
from .parts import wait_until
from .wire import Wire

# The promise to clients of a balancer while one replica does not answer.
LONGEST_WAIT_S = 5
EXPORT = "/api/v1/export/filings?format=csv"


def a_hung_replica_behind_haproxy(fleet):
    return while_hung(fleet, fleet.balancer, seconds=8)


def a_replica_hung_for_30_s(fleet):
    return while_hung(fleet, fleet.balancer, seconds=30)


def a_hung_replica_behind_nginx(fleet):
    if not shutil.which("nginx"):
        return skipped("not tested: nginx is not installed")
    with Nginx(fleet.directory, fleet.replicas) as nginx:
        # nginx cannot cut off an export that has begun on the replica; deploy/nginx/nginx.conf says so.
        return while_hung(fleet, nginx, seconds=30, exports=False)


def a_silent_postgres_behind_nginx(fleet, seconds=20):
    """The pooler is stopped, so that every connection stays open and none is answered. A key that replicas do not know comes in
    once a second: none of these requests may make nginx take a replica for dead."""
    if not shutil.which("nginx"):
        return skipped("not tested: nginx is not installed")
    warm, cold = fleet.make_key("gold", AMPLE), fleet.make_key("gold", AMPLE)
    with Nginx(fleet.directory, fleet.replicas) as nginx:
        for replica in fleet.replicas:
            assert Client(replica.port, warm).ask().status == 200
        with fleet.bouncer.frozen(), Stream(nginx.port, 50, key=warm, connections=8) as known, Stream(nginx.port, 1, key=cold) as unknown:
            time.sleep(seconds)
        back = wait_until(lambda: Client(nginx.port, cold).ask().status == 200, "the new key works")
    told = sum(a.status == 503 and "retry-after" in a.headers and b"the key cannot be checked" in a.body for a in unknown.answers)
    kept = not known.failures and slowest(known.answers) < 1 and told == len(unknown.answers) and slowest(unknown.answers) < 2.5
    text = (
        f"{known.failures} of {len(known.answers)} reads failed, slowest {slowest(known.answers):.1f} s; {told} of {len(unknown.answers)} "
        f"with a new key got Lastro's 503, slowest {slowest(unknown.answers):.1f} s; it works {back:.1f} s after the return"
    )
    return Observed(text, kept)


def while_hung(fleet, balancer, seconds, exports=True):
    with clients_of(fleet, balancer, exports) as streams:
        time.sleep(2)
        with fleet.replicas[1].frozen():
            time.sleep(seconds)
        back = answers_again(fleet.replicas[1], balancer)
    return judged(streams, back)


def a_slow_replica_behind_haproxy(fleet, seconds=20):
    """The replica runs for a twentieth of the time, in pieces, as on a machine that is out of memory or processor."""
    replica, stop = fleet.replicas[1], threading.Event()

    def slow_down():
        while not stop.is_set():
            with replica.frozen():
                time.sleep(0.95)
            time.sleep(0.05)

    with clients_of(fleet, fleet.balancer, exports=True) as streams:
        time.sleep(1)
        slowing = threading.Thread(target=slow_down)
        slowing.start()
        time.sleep(seconds)
        stop.set()
        slowing.join()
        back = answers_again(replica, fleet.balancer)
    return judged(streams, back)


@contextlib.contextmanager
def clients_of(fleet, balancer, exports):
    """Streams of GETs, which may be sent twice, of requests that may not, and of exports."""
    key = fleet.make_key("platinum", AMPLE)
    streams = {
        "GETs": Stream(balancer.port, 100, key=key, connections=8),
        "POSTs": Stream(balancer.port, 10, key=key, connections=4, method="POST"),
    }
    if exports:
        streams["exports"] = Stream(balancer.port, 4, key=key, connections=2, path=EXPORT)
    with contextlib.ExitStack() as stack:
        for stream in streams.values():
            stack.enter_context(stream)
        yield streams


def judged(streams, back):
    """GETs never fail; others may, because nobody can know whether they were done."""
    lines = [f"{s.failures} of {len(s.answers)} {name} failed, slowest {slowest(s.answers):.1f} s" for name, s in streams.items()]
    kept = not streams["GETs"].failures and all(s.answers and slowest(s.answers) < LONGEST_WAIT_S for s in streams.values())
    return Observed(f"{'; '.join(lines)}; in use again after {back:.1f} s", kept)


def answers_again(replica, balancer):
    """Seconds until new requests through the balancer reach this replica."""
    began = time.monotonic()
    # Requests that waited for it are answered first.
    time.sleep(0.3)
    before = requests_of(replica)
    wait_until(lambda: requests_of(replica) > before + 3, f"{replica.name} is in use behind {balancer.name}")
    return time.monotonic() - began


def requests_of(replica):
    return sum(replica.metric("lastro_requests_total").values())


def a_partition_fails_nobody(fleet, seconds=25):
    """One replica loses PostgreSQL and Redis at once, without a closed connection; the others have both."""
    key, limited = fleet.make_key("gold", AMPLE), fleet.make_key("bronze")
    wires = Wire(fleet.postgres.port), Wire(fleet.redis.port)
    database, redis = (url.replace(str(port), str(wire.port)) for url, port, wire in zip(
        (fleet.postgres.url(), fleet.redis.url()), (fleet.postgres.port, fleet.redis.port), wires))
    replica = fleet.replica("cut-off", database=database, redis=redis)
    with replica:
        with Stream(replica.port, 50, key=key) as stream:
            time.sleep(4)
            at_once([replica.port], 5, key=limited)
            with wires[0].cut(), wires[1].cut():
                seen = at_once([replica.port, *[r.port for r in fleet.replicas]], 400, key=limited)
                time.sleep(seconds)
                away = replica.metric("lastro_store_reachable")[""]
            back = wait_until(lambda: replica.metric("lastro_store_reachable")[""] == 1, "PostgreSQL answers again", 60)
        answered, counted = sum(a.admitted for a in stream.answers), usage(fleet, key)
        replica.end()
    for wire in wires:
        wire.close()
    admitted = 5 + sum(a.admitted for a in seen)
    share = -(-BRONZE // (len(fleet.replicas) + 1))
    kept = not stream.failures and not any(a.failed for a in seen) and away == 0 and admitted <= BRONZE + share and counted == answered
    text = (
        f"{stream.failures} of {len(stream.answers)} reads failed, slowest {slowest(stream.answers):.2f} s; {admitted} of a limit of {BRONZE}; "
        f"PostgreSQL again after {back:.1f} s; {counted} of {answered} counted"
    )
    return Observed(text, kept)


def a_wrong_clock_is_not_shown(fleet, hours=1):
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if not library:
        return skipped("not tested: the Debian package libfaketime is not installed")
    told = []
    for sign in ("+", "-"):
        variables = {"LD_PRELOAD": str(library), "FAKETIME": f"{sign}{hours}h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        with fleet.replica(f"clock{sign}{hours}h", variables=variables) as replica:
            offset = replica.metric("lastro_clock_offset_seconds")[""]
            answer, now = Client(replica.port, address="127.0.0.60").ask(CURRENT_SELIC), time.time()
            replica.end()
        date = email.utils.parsedate_to_datetime(answer.headers["date"]).timestamp()
        told.append((offset, date - now, int(answer.headers["x-ratelimit-reset"]) - now))
    kept = all(abs(offset) > 3500 and abs(date) < 5 and -5 < reset < 66 for offset, date, reset in told)
    return Observed("; ".join(f"clock {-offset:+.0f} s: Date {date:+.0f} s, Reset in {reset:.0f} s" for offset, date, reset in told), kept)


def a_full_cache_disk_stops_nothing(fleet, filings=12_000):
    """The index of these filings, which is worth keeping, does not fit into the file system that it is kept on."""
    place = fleet.directory / "full-disk"
    place.mkdir()
    if not can_mount(place):
        return skipped("not tested: no file system may be mounted here")
    fleet.postgres.psql("CREATE DATABASE full_disk", database="postgres")
    database = fleet.postgres.url(database="full_disk")
    subprocess.run([fleet.binary, "demo", "--database", database, "--filings", str(filings)], check=True, capture_output=True)
    wrapper = ["unshare", "--mount", *own_user(), "sh", "-c", f"mount -t tmpfs -o size=256k tmpfs {place} && exec \"$@\"", "sh"]
    with fleet.replica("full-disk", database=database, more=["--index-dir", str(place / "index")], wrapper=wrapper) as replica:
        wait_until(lambda: "cannot be saved" in replica.log(), "the log tells of the full disk")
        client = Client(replica.port, address="127.0.0.61")
        paths = [CURRENT_SELIC, "/health", "/api/v1/market/overview"]
        statuses = [client.ask(path).status for path in paths]
        room, saved = room_left(replica, place), replica.metric("lastro_index_saved")[""]
        replica.end()
    told = replica.log().count("cannot be saved")
    return Observed(f"{statuses.count(200)} of {len(paths)} answered; {told} warning(s); {room} KB free afterwards", statuses == [200] * len(paths) and told == 1 and saved == 0)


def room_left(replica, place):
    """Kilobytes that are free in the file system which only this process sees."""
    own = ["--user", "--preserve-credentials"] if own_user() else []
    df = ["nsenter", "--mount", *own, f"--target={replica.process.pid}", "df", "--output=avail", str(place)]
    return subprocess.run(df, check=True, capture_output=True, text=True).stdout.split()[-1]


def own_user():
    return [] if os.geteuid() == 0 else ["--map-root-user"]


def can_mount(place):
    trial = ["unshare", "--mount", *own_user(), "mount", "-t", "tmpfs", "tmpfs", str(place)]
    return subprocess.run(trial, capture_output=True).returncode == 0

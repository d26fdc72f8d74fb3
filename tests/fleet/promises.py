"""The promises of a fleet in its usual life: limits, replicas that end, databases that are away, publications."""

import contextlib
import json
import subprocess
import time

from .clients import CURRENT_SELIC, WINDOW_S, Client, Stream, at_once, most_in_a_window, slowest
from .observed import AMPLE, BRONZE, FREE, Observed, usage
from .parts import wait_until
from .publisher import Publisher
from .receiver import Receiver

# Seconds of counts that a killed replica may lose: it flushes them every second.
FLUSH_S = 1.5


def replicas_know_each_other(fleet):
    fleet.wait_for_each_other()
    wanted, listed = len(fleet.replicas), json.loads(fleet.lastro("replicas", "--json"))
    return Observed(f"each sees {wanted}, `lastro replicas` lists {len(listed)}", len(listed) == wanted)


def one_sample_on_an_empty_database(fleet):
    editions = int(fleet.postgres.psql("SELECT value FROM counter WHERE name = 'edition'"))
    sources = int(fleet.postgres.psql("SELECT count(*) FROM source_state WHERE row_count > 0"))
    return Observed(f"{editions} editions of {sources} sources", editions == sources)


def same_answers_everywhere(fleet):
    key = fleet.make_key("platinum", AMPLE)
    paths = [CURRENT_SELIC, "/api/v1/market/cdi?limit=50", "/api/v1/companies?limit=20", "/api/v1/filings?limit=20", "/api/v1/search?q=relevante"]
    differing = []
    for path in paths:
        seen = [Client(replica.port, key).ask(path) for replica in fleet.replicas]
        if len({(a.status, a.body, a.headers.get("etag")) for a in seen}) != 1 or seen[0].status != 200:
            differing.append(path)
    return Observed(f"{len(paths) - len(differing)} of {len(paths)} paths alike {' '.join(differing)}".strip(), not differing)


def anonymous_limit_is_exact(fleet):
    # In unequal parts, because with a fixed share for each replica the sum would stay below the limit.
    first, *others = [replica.port for replica in fleet.replicas]
    seen = at_once([first, first, first, first, *others], 95, address="127.0.0.95")
    admitted = sum(a.admitted for a in seen)
    return Observed(f"{admitted} of 95", admitted == FREE and not any(a.failed for a in seen))


def bronze_limit_is_exact(fleet):
    seen = at_once([fleet.balancer.port], 300, key=fleet.make_key("bronze"))
    admitted = sum(a.admitted for a in seen)
    return Observed(f"{admitted} of 300", admitted == BRONZE and not any(a.failed for a in seen))


def a_trickle_never_exceeds_the_limit(fleet, seconds=130):
    with Stream(fleet.balancer.port, 1.5 * BRONZE / WINDOW_S, key=fleet.make_key("bronze")) as stream:
        time.sleep(seconds)
    most, admitted = most_in_a_window(stream.answers), sum(a.admitted for a in stream.answers)
    least = int(BRONZE * (seconds // WINDOW_S) * 0.98)
    return Observed(f"at most {most} in 60 s, {admitted} in {seconds} s", most <= BRONZE and admitted >= least and not stream.failures)


def a_killed_replica_is_not_noticed(fleet):
    key = fleet.make_key("gold", AMPLE)
    victim = fleet.replicas[1]
    with Stream(fleet.balancer.port, 200, key=key, connections=8) as stream:
        time.sleep(3)
        victim.kill()
        killed = time.monotonic()
        time.sleep(4)
    victim.start()
    answered = sum(a.admitted for a in stream.answers)
    most_lost = sum(a.admitted and killed - FLUSH_S < a.received < killed + 0.5 for a in stream.answers)
    counted = usage(fleet, key)
    kept = not stream.failures and answered - most_lost <= counted <= answered
    return Observed(f"{stream.failures} of {len(stream.answers)} failed; {counted} of {answered} counted", kept)


def postgres_away_is_not_noticed_by_readers(fleet):
    key = fleet.make_key("gold", AMPLE)
    with Stream(fleet.balancer.port, 100, key=key) as stream:
        time.sleep(2)
        fleet.postgres.stop_at_once()
        refused = register(fleet)
        time.sleep(5)
        fleet.postgres.start()
        registered = wait_until(lambda: register(fleet).status == 201, "registration works again")
        time.sleep(2)
    answered = sum(a.admitted for a in stream.answers)
    counted = usage(fleet, key)
    told = refused.status == 503 and "retry-after" in refused.headers
    kept = not stream.failures and told and counted == answered
    text = f"{stream.failures} of {len(stream.answers)} reads failed; registration {refused.status}, again after {registered:.1f} s; {counted} of {answered} counted"
    return Observed(text, kept)


def register(fleet):
    body = json.dumps({"name": "Fleet", "email": "fleet@example.com"})
    return Client(fleet.balancer.port, address="127.0.0.77").ask("/api/v1/plans/register", "POST", body)


def a_lost_redis_gives_nothing_away(fleet, outage=70):
    key = fleet.make_key("bronze")
    with Stream(fleet.balancer.port, 3 * BRONZE / WINDOW_S, key=key, connections=8) as stream:
        time.sleep(20)
        lost = time.monotonic()
        fleet.redis.kill()
        time.sleep(outage)
        fleet.redis.start()
        back = time.monotonic()
        time.sleep(2 * WINDOW_S + 10)
    around = most_in_a_window(stream.answers, before=lost + WINDOW_S)
    inside = most_in_a_window(stream.answers, lost + 1, back)
    after = most_in_a_window(stream.answers, back + WINDOW_S)
    exact = sum(a.admitted for a in stream.answers if back + WINDOW_S + 5 <= a.sent < back + 2 * WINDOW_S + 5)
    kept = around <= 2 * BRONZE and inside <= BRONZE and after <= BRONZE and exact >= BRONZE * 0.95 and not stream.failures
    text = f"most in 60 s: {around} around the loss, {inside} inside, {after} after; {stream.failures} failed; slowest {slowest(stream.answers) * 1000:.0f} ms"
    return Observed(text, kept)


def a_slow_redis_delays_nobody(fleet):
    key = fleet.make_key("bronze")
    fleet.redis.ask("CLIENT", "PAUSE", "4000", "ALL")
    seen = at_once([fleet.balancer.port], 60, key=key, connections=8)
    longest = slowest(seen)
    time.sleep(5)
    failed, admitted = sum(a.failed for a in seen), sum(a.admitted for a in seen)
    return Observed(f"{failed} of 60 failed, {admitted} admitted, slowest {longest * 1000:.0f} ms", not failed and 0 < admitted <= BRONZE and longest < 1)


def a_publication_reaches_all_and_is_told_once(fleet):
    key = fleet.make_key("platinum", AMPLE)
    with told(fleet, key) as (publisher, receiver), Stream(fleet.balancer.port, 50, key=key) as stream:
        publisher.correct("0.61")
        synchronise(fleet, publisher)
        began = time.monotonic()
        newest = int(fleet.postgres.psql("SELECT edition FROM source_state WHERE source = 'ipca'"))
        wait_until(lambda: all(r.metric("lastro_edition")['{source="ipca"}'] == newest for r in fleet.replicas), "all serve it")
        served = time.monotonic() - began
        wait_until(lambda: receiver.ids, "a webhook is told")
        time.sleep(5)
    kept = len(receiver.ids) == 1 and not stream.failures
    return Observed(f"on all replicas after {served:.1f} s; told {len(receiver.ids)} time(s); {stream.failures} reads failed", kept)


def a_message_outlives_its_dispatcher(fleet):
    key = fleet.make_key("platinum", AMPLE)
    with told(fleet, key) as (publisher, receiver):
        receiver.hangs.set()
        publisher.correct("0.62")
        synchronise(fleet, publisher)
        wait_until(lambda: receiver.ids, "a delivery begins")
        dispatcher = next(r for r in fleet.replicas if r.process.pid == owner_of(receiver.peers[0]))
        dispatcher.kill()
        receiver.hangs.clear()
        wait_until(lambda: len(receiver.ids) > 1, "it is delivered again", seconds=90)
        dispatcher.start()
        time.sleep(3)
    return Observed(f"{len(receiver.ids)} deliveries of {len(set(receiver.ids))} id", len(receiver.ids) == 2 and len(set(receiver.ids)) == 1)


def owner_of(port):
    """The process at the other end of a connection."""
    lines = subprocess.run(["ss", "-tnpH", "sport", "=", f":{port}"], check=True, capture_output=True, text=True).stdout
    return int(lines.split("pid=")[1].split(",")[0])


@contextlib.contextmanager
def told(fleet, key):
    """A series that was synchronised once, and a webhook for its changes."""
    publisher, receiver = Publisher(), Receiver()
    try:
        synchronise(fleet, publisher)
        body = json.dumps({"url": receiver.url, "events": ["ipca.updated"]})
        made = Client(fleet.balancer.port, key).ask("/api/v1/webhooks", "POST", body)
        assert made.status == 201, made.body
        yield publisher, receiver
    finally:
        identifier = json.loads(made.body)["id"]
        Client(fleet.balancer.port, key).ask(f"/api/v1/webhooks/{identifier}", "DELETE")
        receiver.close()
        publisher.close()


def synchronise(fleet, publisher):
    fleet.lastro("sync", "--source", "ipca", "--sgs-url", publisher.url)


def a_rolling_restart_fails_nobody(fleet):
    key = fleet.make_key("gold", AMPLE)
    with Stream(fleet.balancer.port, 100, key=key, connections=8) as stream:
        for replica in fleet.replicas:
            replica.end()
            replica.start()
            time.sleep(1.5)
    return Observed(f"{stream.failures} of {len(stream.answers)} failed", not stream.failures)

"""Promises about databases that fail over: a promoted PostgreSQL standby, and a Redis that Sentinel promotes."""

import contextlib
import time

from .balancers import DEPLOY
from .clients import WINDOW_S, Stream, most_in_a_window, slowest
from .fleet import Fleet
from .observed import AMPLE, BRONZE, Observed, usage
from .parts import Part, Postgres, Redis, wait_until
from .promises import register

# A replica notices a primary that is gone at once, and a promoted standby when it next connects.
WRITES_AGAIN_S = 15


class PairFleet(Fleet):
    """A fleet on a primary and a synchronous standby, which it knows by one address."""

    def __init__(self, directory, binary, **about):
        self.standby = Postgres(directory, name="standby")
        super().__init__(directory, binary, **about)

    def database_url(self):
        hosts = f"127.0.0.1:{self.postgres.port},127.0.0.1:{self.standby.port}"
        return f"postgres://lastro@{hosts}/lastro?target_session_attrs=read-write"

    def start_databases(self):
        self.postgres.prepare()
        self.standby.follow(self.postgres)
        # A transaction that was confirmed is on both.
        self.postgres.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.postgres.psql("SELECT pg_reload_conf()")
        self.redis.start()

    def other_parts(self):
        return [self.redis, self.postgres, self.standby]


def postgres_failover(fleet):
    with PairFleet(fleet.directory / "pair", fleet.binary, settings=fleet.settings) as pair:
        key = pair.make_key("gold", AMPLE)
        with Stream(pair.balancer.port, 100, key=key, connections=8) as stream:
            time.sleep(2)
            pair.postgres.stop_at_once()
            refused = register(pair).status
            time.sleep(3)
            pair.standby.promote()
            registered = wait_until(lambda: register(pair).status == 201, "registration works again", 60)
            rejoined = rejoin(pair)
        answered, counted = sum(a.admitted for a in stream.answers), usage(pair, key)
    kept = not stream.failures and refused == 503 and counted == answered and registered < WRITES_AGAIN_S and rejoined == 201
    text = (
        f"{stream.failures} of {len(stream.answers)} reads failed, slowest {slowest(stream.answers):.1f} s; registration {refused}, again "
        f"{registered:.1f} s after the promotion; {counted} of {answered} counted; {rejoined} with the old primary as standby"
    )
    return Observed(text, kept)


def rejoin(pair):
    """The old primary comes back as a standby at its address, and a replica that starts now passes it over."""
    returned = Postgres(pair.directory, name="returned")
    returned.port = pair.postgres.port
    with contextlib.ExitStack() as stack:
        stack.callback(returned.kill)
        returned.follow(pair.standby)
        for replica in pair.replicas:
            replica.end()
            replica.start()
        return register(pair).status


class Sentinel(Part):
    """One Sentinel. A real installation has three, which agree before they promote."""

    name = "sentinel"

    def __init__(self, directory, primary):
        super().__init__(directory)
        self.primary = primary

    def command(self):
        path = self.directory / "sentinel.conf"
        path.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.directory}\nsentinel monitor lastro 127.0.0.1 {self.primary.port} 1\n"
            "sentinel down-after-milliseconds lastro 1000\nsentinel failover-timeout lastro 5000\n"
        )
        return ["redis-server", str(path), "--sentinel"]


class RedisProxy(Part):
    """HAProxy from deploy/haproxy/redis.cfg, which passes connections on to the primary."""

    name = "redis-proxy"

    def __init__(self, directory, servers):
        super().__init__(directory)
        self.servers = servers

    def command(self):
        text = (DEPLOY / "haproxy/redis.cfg").read_text().replace("bind :6379", f"bind 127.0.0.1:{self.port}")
        for number, server in enumerate(self.servers, start=1):
            text = text.replace(f"redis-{number}:6379", f"127.0.0.1:{server.port}")
        path = self.directory / "redis-proxy.conf"
        path.write_text(text)
        return ["haproxy", "-db", "-f", str(path)]


class SentinelFleet(Fleet):
    """A fleet whose Redis is a pair, watched by Sentinel, behind HAProxy."""

    def __init__(self, directory, binary, **about):
        self.redis_pair = [Redis(directory, "redis-1"), Redis(directory, "redis-2")]
        self.sentinel = Sentinel(directory, self.redis_pair[0])
        self.redis_proxy = RedisProxy(directory, self.redis_pair)
        super().__init__(directory, binary, **about)

    def redis_url(self):
        return f"redis://127.0.0.1:{self.redis_proxy.port}"

    def start_databases(self):
        self.postgres.prepare()
        self.bouncer.start()
        primary, replica = [redis.start() for redis in self.redis_pair]
        replica.ask("REPLICAOF", "127.0.0.1", str(primary.port))
        wait_until(lambda: "master_link_status:up" in replica.ask("INFO", "replication"), "Redis is replicated")
        self.sentinel.start()
        self.redis_proxy.start()

    def other_parts(self):
        return [self.redis_proxy, self.sentinel, *self.redis_pair, self.bouncer, self.postgres]


def redis_failover(fleet):
    with SentinelFleet(fleet.directory / "sentinel", fleet.binary, settings=fleet.settings) as pair:
        primary, replica = pair.redis_pair
        wait_until(lambda: "slaves=1" in pair_seen(pair), "Sentinel knows the replica", 60)
        key = pair.make_key("bronze")
        with Stream(pair.balancer.port, 3 * BRONZE / WINDOW_S, key=key, connections=8) as stream:
            time.sleep(15)
            primary.kill()
            lost = time.monotonic()
            promoted = wait_until(lambda: "role:master" in replica.ask("INFO", "replication"), "Sentinel promotes", 60)
            wait_until(lambda: all(answers_calls(r) for r in pair.replicas), "replicas use the new primary")
            back = time.monotonic()
            time.sleep(2 * WINDOW_S + 5)
        shared = all(r.metric("lastro_limiter_mode")['{class="keys",mode="shared"}'] == 1 for r in pair.replicas)
    around, after = most_in_a_window(stream.answers, before=lost + WINDOW_S), most_in_a_window(stream.answers, back + WINDOW_S)
    kept = around <= 2 * BRONZE and after <= BRONZE and shared and not stream.failures
    text = (
        f"promoted after {promoted:.1f} s, in use after {back - lost:.1f} s; most in 60 s: {around} around, {after} after; "
        f"{stream.failures} of {len(stream.answers)} failed, slowest {slowest(stream.answers) * 1000:.0f} ms"
    )
    return Observed(text, kept)


def pair_seen(pair):
    sentinel = Redis(pair.directory)
    sentinel.port = pair.sentinel.port
    return sentinel.ask("INFO", "sentinel")


def answers_calls(replica):
    """Whether calls to Redis are answered now."""
    before = replica.metric("lastro_limiter_shared_calls_total")['{outcome="answered"}']
    time.sleep(0.5)
    return replica.metric("lastro_limiter_shared_calls_total")['{outcome="answered"}'] > before

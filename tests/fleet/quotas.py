"""Promises about limits when Redis answers and yet cannot count: emptied, or read-only after a failover elsewhere."""

from .clients import Client, at_once
from .observed import BRONZE, Observed
from .parts import Redis, free_port, wait_until


def an_emptied_redis(fleet):
    return after(fleet, "emptied", lambda redis: redis.ask("FLUSHALL"))


def a_read_only_redis(fleet):
    # A replica of a server that does not exist keeps its data and refuses writes.
    return after(fleet, "read-only", lambda redis: redis.ask("REPLICAOF", "127.0.0.1", str(free_port())))


def after(fleet, name, harm):
    """Two replicas with a Redis of their own, and Bronze keys that have used up their limit when the fault comes."""
    with Redis(fleet.directory, f"redis-{name}") as redis:
        replicas = [fleet.replica(f"{name}-{n}", redis=redis.url()) for n in (1, 2)]
        with replicas[0], replicas[1]:
            ports = [replica.port for replica in replicas]
            keys = {"spread": (fleet.make_key("bronze"), ports), "all at one replica": (fleet.make_key("bronze"), ports[:1])}
            before = [at_once(where, 2 * BRONZE, key=key) for key, where in keys.values()]
            harm(redis)
            later = [at_once(ports, 2 * BRONZE, key=key) for key, _ in keys.values()]
            told = wait_until(lambda: all(tells(replica, keys) for replica in replicas), "the metric tells of it", 15)
    seen = [answer for answers in (*before, *later) for answer in answers]
    failed = sum(answer.failed for answer in seen)
    over = [sum(a.admitted for a in (*first, *second)) - BRONZE for first, second in zip(before, later)]
    exact = all(sum(a.admitted for a in answers) == BRONZE for answers in before)
    texts = [f"{count} over the limit if its requests had been {how}" for count, how in zip(over, keys)]
    return Observed(f"{'; '.join(texts)}; {failed} of {len(seen)} failed; told by the metric after {told:.1f} s", exact and not failed and max(over) < BRONZE)


def tells(replica, keys):
    """Whether the metric shows limits by shares. A replica learns of the fault with its next call, so it gets requests."""
    for key, _ in keys.values():
        Client(replica.port, key).ask()
    return replica.metric("lastro_limiter_mode")['{class="keys",mode="share"}'] == 1

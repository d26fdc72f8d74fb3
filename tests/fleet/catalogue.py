"""All promises, in the order of testing: a promise that leaves the limits to shares for a minute comes late."""

from . import failover, faults, moving, promises, quotas, upgrade

PROMISES = [
    ("three starts on an empty database: one sample", promises.one_sample_on_an_empty_database),
    ("replicas know each other", promises.replicas_know_each_other),
    ("the same answers everywhere", promises.same_answers_everywhere),
    ("95 anonymous requests over all replicas: exactly 30", promises.anonymous_limit_is_exact),
    ("300 at once on a Bronze key: exactly 100", promises.bronze_limit_is_exact),
    ("a slow Redis: nobody waits, nobody fails", promises.a_slow_redis_delays_nobody),
    ("kill -9 of a replica: no failed request, ≤ 1 s uncounted", promises.a_killed_replica_is_not_noticed),
    ("a replica hangs behind HAProxy: no failed GET, nobody waits 5 s, it comes back", faults.a_hung_replica_behind_haproxy),
    ("PostgreSQL away 5 s: reads go on, registration 503, all counted", promises.postgres_away_is_not_noticed_by_readers),
    ("a publication: on all replicas, told once", promises.a_publication_reaches_all_and_is_told_once),
    ("rolling restart: no failed request", promises.a_rolling_restart_fails_nobody),
    ("a clock that is an hour off: the right Date and X-RateLimit-Reset", faults.a_wrong_clock_is_not_shown),
    ("no room for the cache: starts and answers, and says so", faults.a_full_cache_disk_stops_nothing),
    ("from one machine to three, by the commands of the page", moving.from_one_machine_to_three),
    ("a replica hangs for 30 s behind HAProxy: the same", faults.a_replica_hung_for_30_s),
    ("a slow replica behind HAProxy: no failed GET, nobody waits 5 s", faults.a_slow_replica_behind_haproxy),
    ("a replica hangs for 30 s behind nginx: no failed GET, nobody waits 5 s", faults.a_hung_replica_behind_nginx),
    ("PostgreSQL silent behind nginx, a new key every second: reads go on, the new key gets 503 in 2 s", faults.a_silent_postgres_behind_nginx),
    ("a replica cut off from PostgreSQL and Redis: answers, ≤ limit + share, all counted", faults.a_partition_fails_nobody),
    ("a dispatcher dies: told again with the same id", promises.a_message_outlives_its_dispatcher),
    ("a promoted standby, multi-host address: reads go on, writes again in 15 s, all counted", failover.postgres_failover),
    ("Redis fails over behind HAProxy: none fails, ≤ 200 around, exact after", failover.redis_failover),
    ("1.5 × the limit: never more than 100 in any 60 s", promises.a_trickle_never_exceeds_the_limit),
    ("replicas of the version before, replaced under load, mixed for a minute", upgrade.a_rolling_upgrade_fails_nobody),
    ("Redis emptied: less than 100 over the limit, none fails", quotas.an_emptied_redis),
    ("Redis read-only: less than 100 over the limit, none fails", quotas.a_read_only_redis),
    ("Redis lost for 70 s: ≤ 200 around, ≤ 100 inside, exact after", promises.a_lost_redis_gives_nothing_away),
]
# Promises that take half a minute or more, which `--quick` leaves out.
LONG = (
    faults.a_replica_hung_for_30_s,
    faults.a_slow_replica_behind_haproxy,
    faults.a_hung_replica_behind_nginx,
    faults.a_silent_postgres_behind_nginx,
    faults.a_partition_fails_nobody,
    failover.postgres_failover,
    failover.redis_failover,
    upgrade.a_rolling_upgrade_fails_nobody,
    promises.a_trickle_never_exceeds_the_limit,
    promises.a_lost_redis_gives_nothing_away,
    promises.a_message_outlives_its_dispatcher,
)

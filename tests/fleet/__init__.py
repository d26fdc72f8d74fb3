"""A whole fleet on this machine: three replicas behind HAProxy, on PostgreSQL through PgBouncer, and Redis."""

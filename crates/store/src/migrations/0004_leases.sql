-- Who does a piece of work that only one process may do at a time, and until when.

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    ends_at BIGINT NOT NULL
);

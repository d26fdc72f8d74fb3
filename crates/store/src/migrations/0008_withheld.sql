-- Points that a publisher gave and that are not believed yet.

CREATE TABLE withheld (
    source TEXT NOT NULL,
    -- Empty for a point of a series.
    pair TEXT NOT NULL,
    day INTEGER NOT NULL,
    -- The rate, or what is bid for the currency.
    value TEXT NOT NULL,
    -- What is asked for the currency.
    sell TEXT,
    first_seen BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (source, pair, day)
);

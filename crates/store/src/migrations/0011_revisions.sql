-- What became of the points of series and exchange rates after they were first published.

-- Up to which edition all of it is written down, and since when. A source without a row, or whose row names another
-- edition than the one that stands, is known since that one was published.
CREATE TABLE recording (
    source TEXT PRIMARY KEY,
    since BIGINT NOT NULL,
    edition BIGINT NOT NULL
);

CREATE TABLE revision (
    source TEXT NOT NULL,
    edition BIGINT NOT NULL,
    day INTEGER NOT NULL,
    -- Empty for a point of a series.
    pair TEXT NOT NULL,
    -- The rate, or what is bid for the currency; missing where the point was added.
    old_value TEXT,
    -- What is asked for the currency.
    old_sell TEXT,
    -- The same of what took its place; missing where the point was withdrawn.
    new_value TEXT,
    new_sell TEXT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (source, edition, day, pair)
);

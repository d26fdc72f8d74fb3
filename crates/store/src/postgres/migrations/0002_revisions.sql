-- What became of the points of series and exchange rates after they were first published.

-- Up to which edition all of it is written down, and since when. A source without a row, or whose row names another
-- edition than the one that stands because a replica of an earlier version published, is known since that one was
-- published.
CREATE TABLE recording (
    source TEXT COLLATE "C" PRIMARY KEY,
    since BIGINT NOT NULL,
    edition BIGINT NOT NULL
);

CREATE TABLE revision (
    source TEXT COLLATE "C" NOT NULL,
    edition BIGINT NOT NULL,
    day INTEGER NOT NULL,
    -- Empty for a point of a series.
    pair TEXT COLLATE "C" NOT NULL,
    -- The rate, or what is bid for the currency; missing where the point was added.
    old_value TEXT COLLATE "C",
    -- What is asked for the currency.
    old_sell TEXT COLLATE "C",
    -- The same of what took its place; missing where the point was withdrawn.
    new_value TEXT COLLATE "C",
    new_sell TEXT COLLATE "C",
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (source, edition, day, pair)
);

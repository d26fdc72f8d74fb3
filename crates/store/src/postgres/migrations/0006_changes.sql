-- The history of rows that publishers withdraw, and the log of changes.

-- Missing for rows that were held before; withdrawn_at only for those that the publisher no longer lists.
ALTER TABLE company ADD COLUMN first_seen_at BIGINT;
ALTER TABLE company ADD COLUMN withdrawn_at BIGINT;
ALTER TABLE filing ADD COLUMN first_seen_at BIGINT;
ALTER TABLE filing ADD COLUMN withdrawn_at BIGINT;

-- The filings of a year, to find those that its file no longer lists.
CREATE INDEX filing_listed ON filing (delivered_on, id) WHERE withdrawn_at IS NULL;

-- Filings that the file of another year than that of their delivery lists.
CREATE TABLE listed_elsewhere (
    id TEXT COLLATE "C" PRIMARY KEY,
    year INTEGER NOT NULL
);

-- The editions of the log. The first is the one that it starts after.
CREATE TABLE change_edition (
    edition BIGINT PRIMARY KEY,
    source TEXT COLLATE "C" NOT NULL,
    published_at BIGINT NOT NULL,
    change_count BIGINT NOT NULL
);

INSERT INTO change_edition (edition, source, published_at, change_count)
    SELECT COALESCE(MAX(edition), 0), COALESCE(MAX(source), 'selic'), COALESCE(MAX(published_at), 0), 0
    FROM source_state WHERE edition > 0 AND edition = (SELECT MAX(edition) FROM source_state);

-- Up to a hundred changes each, as JSON. A negative edition is a publication under way.
CREATE TABLE change_batch (
    edition BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    changes TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (edition, last_position)
);

-- A digest of the way in which the rows of a source were last shown.
CREATE TABLE shown_as (
    source TEXT COLLATE "C" PRIMARY KEY,
    digest TEXT COLLATE "C" NOT NULL
);

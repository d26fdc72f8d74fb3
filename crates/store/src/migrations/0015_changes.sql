-- The history of rows that publishers withdraw, and the log of changes.

-- Missing for rows that were held before; withdrawn_at only for those that the publisher no longer lists.
ALTER TABLE company ADD COLUMN first_seen_at BIGINT;
ALTER TABLE company ADD COLUMN withdrawn_at BIGINT;
ALTER TABLE filing ADD COLUMN first_seen_at BIGINT;
ALTER TABLE filing ADD COLUMN withdrawn_at BIGINT;

-- The filings of a year, to find those that its file no longer lists.
CREATE INDEX filing_listed ON filing (delivered_on, id) WHERE withdrawn_at IS NULL;

-- To count them: there are few.
CREATE INDEX filing_withdrawn ON filing (id) WHERE withdrawn_at IS NOT NULL;

-- The files that list a filing, by their years, where it is not just the file of the year of its delivery.
CREATE TABLE listed_elsewhere (
    id TEXT NOT NULL,
    year INTEGER NOT NULL,
    PRIMARY KEY (id, year)
);

-- Years whose file was read before this was written down. Until it is read again, it may list what the files beside
-- it lack. All of them are.
CREATE TABLE unread_year (
    year INTEGER PRIMARY KEY
);

INSERT INTO unread_year (year) SELECT DISTINCT CAST(substr(url, -8, 4) AS INTEGER) FROM read_file
    WHERE source = 'filings' AND row_count > 0 AND url GLOB '*_[0-9][0-9][0-9][0-9].zip';
UPDATE read_file SET etag = NULL, last_modified = NULL, sha256 = '' WHERE source = 'filings';

-- The editions of the log. The first is the one that it starts after.
CREATE TABLE change_edition (
    edition BIGINT PRIMARY KEY,
    source TEXT NOT NULL,
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
    changes TEXT NOT NULL,
    PRIMARY KEY (edition, last_position)
);

-- A digest of the way in which the rows of a source were last shown.
CREATE TABLE shown_as (
    source TEXT PRIMARY KEY,
    digest TEXT NOT NULL
);

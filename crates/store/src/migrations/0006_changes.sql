-- Which filings each edition changed, so that whoever has an earlier one need not read them all again.

-- The editions since which the changes are known, up to the one that stands.
CREATE TABLE filing_edition (
    edition BIGINT PRIMARY KEY,
    row_count BIGINT NOT NULL,
    newest_day INTEGER,
    published_at BIGINT NOT NULL,
    -- How many filings it added or changed.
    change_count BIGINT NOT NULL
);

CREATE TABLE filing_change (
    edition BIGINT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (edition, id)
);

-- When it was published was not written down.
INSERT INTO filing_edition (edition, row_count, newest_day, published_at, change_count)
    SELECT edition, row_count, newest_day, 0, 0 FROM source_state WHERE source = 'filings' AND edition > 0;

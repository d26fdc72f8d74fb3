-- Names that companies had before, from the same forms as their tickers.
CREATE TABLE former_name (
    company_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    reference_day INTEGER NOT NULL,
    checksum BIGINT,
    PRIMARY KEY (company_id, name)
);

-- The forms that were read without them are read again.
UPDATE read_file SET etag = NULL, last_modified = NULL, sha256 = '' WHERE source = 'tickers';

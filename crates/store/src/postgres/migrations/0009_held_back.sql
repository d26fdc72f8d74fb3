-- Rows that can be read and are not served yet: filings of days to come. They are no rejects.
ALTER TABLE read_file ADD COLUMN withheld_count BIGINT NOT NULL DEFAULT 0;

-- The newest filing is one that is listed.
UPDATE source_state SET newest_day = (SELECT MAX(delivered_on) FROM filing WHERE withdrawn_at IS NULL)
    WHERE source = 'filings';

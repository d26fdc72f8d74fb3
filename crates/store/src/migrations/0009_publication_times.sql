-- When the edition that stands was published: a database that was restored from a copy comes to the same numbers again,
-- but not at the same times.

ALTER TABLE source_state ADD COLUMN published_at BIGINT NOT NULL DEFAULT 0;

UPDATE source_state SET published_at = COALESCE(
    (SELECT filing_edition.published_at FROM filing_edition WHERE filing_edition.edition = source_state.edition), 0)
    WHERE source = 'filings';

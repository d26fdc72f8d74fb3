ALTER TABLE filing ADD PRIMARY KEY (id);
CREATE INDEX filing_words ON filing USING gin (words) WITH (fastupdate = off);
VACUUM (ANALYZE) filing;

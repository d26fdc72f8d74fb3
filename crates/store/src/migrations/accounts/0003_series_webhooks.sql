-- What `series.updated` is wanted of. Beside the other events and filters and not among them, because earlier versions
-- do not know it; a webhook that wants nothing else has the name `ping` there, which is told to nobody.

ALTER TABLE webhook ADD COLUMN series_updated SMALLINT NOT NULL DEFAULT 0;

-- JSON: the ids of the series; an empty list asks for all.
ALTER TABLE webhook ADD COLUMN series_ids TEXT NOT NULL DEFAULT '[]';

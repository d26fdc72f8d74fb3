-- How often the owner asked for a message again: what became of an earlier delivery says nothing about a later request.

ALTER TABLE message ADD COLUMN asked BIGINT NOT NULL DEFAULT 0;

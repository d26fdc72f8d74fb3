-- A checksum of the values of each published row, so that bits that changed by themselves are found out. Rows of earlier
-- versions have none until they change.

ALTER TABLE rate ADD COLUMN checksum BIGINT;
ALTER TABLE fx ADD COLUMN checksum BIGINT;
ALTER TABLE company ADD COLUMN checksum BIGINT;
ALTER TABLE filing ADD COLUMN checksum BIGINT;
ALTER TABLE traded_security ADD COLUMN checksum BIGINT;

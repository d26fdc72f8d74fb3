-- The upstream files that the rows came from, and the rows in them that could not be read.

CREATE TABLE read_file (
    source TEXT NOT NULL,
    url TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    sha256 TEXT NOT NULL,
    row_count BIGINT NOT NULL,
    -- Exact, also where only the first rejects are kept.
    reject_count BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (source, url)
);

CREATE TABLE reject (
    source TEXT NOT NULL,
    url TEXT NOT NULL,
    position INTEGER NOT NULL,
    file TEXT NOT NULL,
    line BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (source, url, position),
    FOREIGN KEY (source, url) REFERENCES read_file (source, url) ON DELETE CASCADE
);

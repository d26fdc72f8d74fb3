-- What companies' securities are traded under, each code once for a company. A code may pass from one company to another, so
-- that two may have it; which of them is shown is for whoever reads.
CREATE TABLE traded_security (
    ticker TEXT NOT NULL,
    company_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    class TEXT,
    segment TEXT,
    trading_from INTEGER,
    trading_to INTEGER,
    reference_day INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (ticker, company_id)
);

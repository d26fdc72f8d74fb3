-- What companies' securities are traded under, each code once for a company. A code may pass from one company to another, so
-- that two may have it; which of them is shown is for whoever reads.
CREATE TABLE traded_security (
    ticker TEXT COLLATE "C" NOT NULL,
    company_id BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    class TEXT COLLATE "C",
    segment TEXT COLLATE "C",
    trading_from INTEGER,
    trading_to INTEGER,
    reference_day INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (ticker, company_id)
);

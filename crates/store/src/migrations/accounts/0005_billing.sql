-- What is known of the payments of accounts, and the processor's events that were handled. Times are milliseconds since
-- 1970 UTC.

CREATE TABLE billing_customer (
    account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- The processor's ids: its customer, the checkout that may still be paid, the subscription that counts.
    customer TEXT,
    checkout TEXT,
    subscription TEXT,
    status TEXT NOT NULL,
    price TEXT,
    period_end BIGINT,
    cancel_at_period_end SMALLINT NOT NULL,
    -- The subscription, status and price that the plan was last set by.
    applied TEXT,
    checked_at BIGINT NOT NULL,
    -- Grows with every change of the row.
    version BIGINT NOT NULL
);

CREATE UNIQUE INDEX billing_customer_by_customer ON billing_customer (customer);
CREATE UNIQUE INDEX billing_customer_by_checkout ON billing_customer (checkout);

CREATE TABLE billing_event (
    id TEXT PRIMARY KEY,
    received_at BIGINT NOT NULL
);

CREATE INDEX billing_event_by_age ON billing_event (received_at);

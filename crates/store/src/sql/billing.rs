//! Statements for the payments of accounts, in the database of accounts.

macro_rules! select_billing {
    ($rest:literal) => {
        concat!(
            "SELECT account, customer, checkout, subscription, status, price, period_end, cancel_at_period_end, ",
            "applied, checked_at, version FROM billing_customer ",
            $rest
        )
    };
}

pub(crate) const BILLING: &str = select_billing!("WHERE account = $1");

pub(crate) const BILLING_VERSION: &str = "SELECT version FROM billing_customer WHERE account = $1";

/// The row of a customer, or else of a checkout.
pub(crate) const FIND_BILLING: &str = select_billing!(
    "WHERE customer = $1 OR checkout = $2 ORDER BY CASE WHEN customer = $1 THEN 0 ELSE 1 END LIMIT 1"
);

pub(crate) const ALL_BILLING: &str = select_billing!("ORDER BY account");

pub(crate) const BILLING_DUE: &str = select_billing!(
    "WHERE account > $1 AND ((checkout IS NOT NULL AND checked_at < $2)
        OR (status NOT IN ('none', 'canceled', 'incomplete_expired') AND checked_at < $3))
    ORDER BY account LIMIT $4"
);

pub(crate) const COUNT_BILLING: &str =
    "SELECT status, COUNT(*) FROM billing_customer WHERE status <> 'none' GROUP BY status ORDER BY status";

pub(crate) const INSERT_BILLING: &str =
    "INSERT INTO billing_customer (customer, checkout, subscription, status,
        price, period_end, cancel_at_period_end, applied, checked_at, account, version)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1) ON CONFLICT (account) DO NOTHING";

/// Does nothing if the row has another version.
pub(crate) const UPDATE_BILLING: &str = "UPDATE billing_customer SET customer = $1, checkout = $2,
        subscription = $3, status = $4, price = $5, period_end = $6, cancel_at_period_end = $7, applied = $8,
        checked_at = $9, version = version + 1
    WHERE account = $10 AND version = $11";

pub(crate) const KNOWS_BILLING_EVENT: &str = "SELECT COUNT(*) FROM billing_event WHERE id = $1";

pub(crate) const REMEMBER_BILLING_EVENT: &str =
    "INSERT INTO billing_event (id, received_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";

pub(crate) const FORGET_BILLING_EVENTS: &str = "DELETE FROM billing_event WHERE received_at < $1";

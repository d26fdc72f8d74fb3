//! Statements for webhooks and their messages.

macro_rules! select_webhooks {
    ($rest:literal) => {
        concat!(
            "SELECT webhook.id, webhook.account, url, description, events, filters, webhook.created_at, disabled_by, ",
            "failing_since, last_failure, account.plan, series_updated, series_ids, more_events, q ",
            "FROM webhook JOIN account ON account.id = webhook.account ",
            $rest
        )
    };
}

pub(crate) const WEBHOOK: &str = select_webhooks!("WHERE webhook.id = $1");
pub(crate) const WEBHOOKS_OF: &str =
    select_webhooks!("WHERE webhook.account = $1 ORDER BY webhook.created_at, webhook.id");
pub(crate) const ALL_WEBHOOKS: &str = select_webhooks!("ORDER BY webhook.created_at, webhook.id");
pub(crate) const SUBSCRIBERS: &str = select_webhooks!(
    "WHERE disabled_by IS NULL AND EXISTS (SELECT 1 FROM api_key
        WHERE api_key.account = webhook.account AND revoked = 0 AND (ends_at IS NULL OR ends_at > $1))
    ORDER BY webhook.id"
);

/// Webhooks with a due message and no delivery in progress. Times after `$2` were written by a clock that was ahead
/// and count as past. The plans are a list with a comma before and after each.
pub(crate) const CLAIMABLE: &str = select_webhooks!(
    "WHERE disabled_by IS NULL AND (leased_until <= $1 OR leased_until > $2)
        AND EXISTS (SELECT 1 FROM message
            WHERE message.webhook = webhook.id AND (due_at <= $1 OR due_at > $2))
        AND EXISTS (SELECT 1 FROM api_key
            WHERE api_key.account = webhook.account AND revoked = 0 AND (ends_at IS NULL OR ends_at > $1))
        AND $3 LIKE '%,' || account.plan || ',%'
    ORDER BY (SELECT MIN(due_at) FROM message WHERE message.webhook = webhook.id AND due_at IS NOT NULL), webhook.id
    LIMIT $4"
);

pub(crate) const COUNT_WEBHOOKS_OF: &str = "SELECT COUNT(*) FROM webhook WHERE account = $1";

/// Inserts a webhook that no process holds a lease on.
pub(crate) const INSERT_WEBHOOK: &str = "INSERT INTO webhook (id, account, url, description, events, filters,
        series_updated, series_ids, more_events, q, created_at, disabled_by, failing_since, last_failure, lease_holder,
        leased_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, '', 0)";

pub(crate) const UPDATE_WEBHOOK: &str =
    "UPDATE webhook SET url = $1, description = $2, filters = $3, series_ids = $4, q = $5, disabled_by = $6,
        failing_since = $7, last_failure = $8
    WHERE id = $9";

pub(crate) const SET_EVENTS: &str =
    "UPDATE webhook SET events = $1, series_updated = $2, more_events = $3 WHERE id = $4";

pub(crate) const DELETE_WEBHOOK: &str = "DELETE FROM webhook WHERE id = $1";

/// The secret without an end is the newest, even if a clock was set back.
pub(crate) const SECRETS: &str =
    "SELECT seed, ends_at FROM webhook_secret WHERE webhook = $1 ORDER BY ends_at IS NOT NULL, made_at DESC";

pub(crate) const INSERT_SECRET: &str =
    "INSERT INTO webhook_secret (webhook, seed, made_at, ends_at) VALUES ($1, $2, $3, $4)";

pub(crate) const END_SECRETS: &str = "UPDATE webhook_secret SET ends_at = $1
    WHERE webhook = $2 AND (ends_at IS NULL OR ends_at > $1)";

/// Deletes the secrets that no longer sign, and all but the newest `$3` of the others.
pub(crate) const DROP_SECRETS: &str = "DELETE FROM webhook_secret WHERE webhook = $1 AND (ends_at <= $2
    OR seed NOT IN (SELECT seed FROM webhook_secret WHERE webhook = $1
        ORDER BY ends_at IS NOT NULL, made_at DESC LIMIT $3))";

pub(crate) const EVENTS_WANTED: &str =
    "SELECT DISTINCT events || ',' || more_events FROM webhook WHERE disabled_by IS NULL";

/// The series lists of webhooks that want the event shared by all series, each list once.
pub(crate) const SERIES_WANTED: &str =
    "SELECT DISTINCT series_ids FROM webhook WHERE disabled_by IS NULL AND series_updated = 1";

pub(crate) const ADDRESSED: &str = "SELECT value FROM counter WHERE name = 'addressed'";

/// Does nothing if another process was faster.
pub(crate) const ADDRESS: &str = "UPDATE counter SET value = $1 WHERE name = 'addressed' AND value < $1";

pub(crate) const NEXT_MESSAGE: &str =
    "UPDATE counter SET value = value + 1 WHERE name = 'message' RETURNING value";

/// Does nothing if the webhook is gone.
pub(crate) const INSERT_MESSAGE: &str =
    "INSERT INTO message (id, webhook, number, event, body, created_at, tries, due_at, delivered)
    SELECT $1, webhook.id, $2, $3, $4, $5, 0, $6, $7 FROM webhook WHERE webhook.id = $8";

pub(crate) const NEXT_DUE: &str = "SELECT id, body, tries, due_at, asked FROM message
    WHERE webhook = $1 AND (due_at <= $2 OR due_at > $3)
    ORDER BY due_at, number LIMIT 1";

/// Does nothing if another process was faster.
pub(crate) const LEASE: &str = "UPDATE webhook SET lease_holder = $1, leased_until = $2
    WHERE id = $3 AND disabled_by IS NULL AND (leased_until <= $4 OR leased_until > $5)";

/// Releases the lease. A pause is stored as a lease without a holder.
pub(crate) const RELEASE: &str =
    "UPDATE webhook SET lease_holder = '', leased_until = $1, failing_since = $2,
        last_failure = $3, disabled_by = COALESCE(disabled_by, $4)
    WHERE id = $5 AND lease_holder = $6";

/// Ends a pause. A delivery in progress keeps its lease.
pub(crate) const LEAVE_ALONE_NO_LONGER: &str =
    "UPDATE webhook SET leased_until = 0 WHERE id = $1 AND lease_holder = ''";

/// Does nothing if the message was settled before, or a redelivery was requested during its delivery.
pub(crate) const SETTLE_MESSAGE: &str = "UPDATE message SET tries = tries + 1, due_at = $1, delivered = $2
    WHERE id = $3 AND due_at = $4 AND asked = $5
        AND EXISTS (SELECT 1 FROM webhook WHERE webhook.id = message.webhook AND lease_holder = $6)";

pub(crate) const INSERT_ATTEMPT: &str =
    "INSERT INTO attempt (message, number, attempted_at, status, error, duration_ms)
    SELECT message.id, 1 + COALESCE((SELECT MAX(number) FROM attempt WHERE attempt.message = message.id), 0),
        $1, $2, $3, $4 FROM message WHERE message.id = $5";

macro_rules! select_deliveries {
    ($rest:literal) => {
        concat!("SELECT id, event, created_at, due_at, delivered FROM message ", $rest)
    };
}

pub(crate) const DELIVERIES: &str = select_deliveries!(
    "WHERE webhook = $1 AND created_at >= $2 AND created_at < $3 ORDER BY number DESC LIMIT $4 OFFSET $5"
);
pub(crate) const DELIVERY: &str = select_deliveries!("WHERE webhook = $1 AND id = $2");

pub(crate) const COUNT_DELIVERIES: &str =
    "SELECT COUNT(*) FROM message WHERE webhook = $1 AND created_at >= $2 AND created_at < $3";

pub(crate) const ATTEMPTS: &str =
    "SELECT attempted_at, status, error, duration_ms FROM attempt WHERE message = $1
    ORDER BY number DESC LIMIT $2";

pub(crate) const REDELIVER: &str =
    "UPDATE message SET due_at = $1, tries = 0, delivered = 0, asked = asked + 1
    WHERE webhook = $2 AND id = $3";

/// Excludes pings, which are sent only on request.
pub(crate) const REDELIVER_FAILED: &str = "UPDATE message SET due_at = $1, tries = 0, asked = asked + 1
    WHERE webhook = $2 AND delivered = 0 AND event <> 'ping'";

pub(crate) const OUTBOX_STATE: &str = "SELECT COUNT(message.id),
        MIN(message.created_at), (SELECT COUNT(*) FROM webhook WHERE disabled_by IS NOT NULL)
    FROM webhook JOIN message ON message.webhook = webhook.id AND message.due_at IS NOT NULL
    WHERE webhook.disabled_by IS NULL";

pub(crate) const FORGET_DELIVERIES: &str = "DELETE FROM message WHERE created_at < $1";

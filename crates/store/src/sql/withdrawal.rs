//! Statements for rows that their publisher no longer lists.

use super::Column::{Integer, Text};
use super::Each;

pub(crate) const LISTED_COMPANIES: &str = "SELECT id FROM company WHERE withdrawn_at IS NULL";

/// The filings delivered from one day to another that no file of another year lists.
pub(crate) const LISTED_FILINGS: &str =
    "SELECT id FROM filing WHERE delivered_on BETWEEN $1 AND $2 AND withdrawn_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM listed_elsewhere WHERE listed_elsewhere.id = filing.id)";

/// The filings of later days that are listed.
pub(crate) const LATER_FILINGS: &str =
    "SELECT id FROM filing WHERE delivered_on > $1 AND withdrawn_at IS NULL";

pub(crate) const ONE_COMPANY: &str =
    "SELECT id, name, cnpj, status, sector, trading_name, registered_on, first_seen_at, withdrawn_at
    FROM company WHERE id = $1";

pub(crate) const ONE_FILING: &str =
    "SELECT id, company_id, company_name, category, kind, delivered_on, reference_day, description, version, url,
        first_seen_at, withdrawn_at
    FROM filing WHERE id = $1";

pub(crate) const WITHDRAW_COMPANY: &str = "UPDATE company SET withdrawn_at = $1 WHERE id = $2";

pub(crate) const WITHDRAW_FILING: &str = "UPDATE filing SET withdrawn_at = $1 WHERE id = $2";

/// The filings that the file of another year than that of their delivery lists, and that year.
pub(crate) const ELSEWHERE: &str = "SELECT id, year FROM listed_elsewhere";

pub(crate) const KEEP_ELSEWHERE: Each = Each {
    one: "INSERT INTO listed_elsewhere (year, id) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET year = excluded.year",
    columns: &[Integer, Text],
    key_columns: 1,
    many: "INSERT INTO listed_elsewhere (year, id) SELECT * FROM UNNEST($1, $2)
        ON CONFLICT (id) DO UPDATE SET year = excluded.year",
};

pub(crate) const FORGET_ELSEWHERE: &str = "DELETE FROM listed_elsewhere WHERE id = $1";

pub(crate) const FORGET_ALL_ELSEWHERE: &str = "DELETE FROM listed_elsewhere";

//! Statements for rows that their publisher no longer lists.

use super::Column::{Integer, Text};
use super::Each;

pub(crate) const LISTED_COMPANIES: &str = "SELECT id FROM company WHERE withdrawn_at IS NULL";

/// The filings delivered from one day to another, except those whose files are written down.
pub(crate) const LISTED_FILINGS: &str =
    "SELECT id FROM filing WHERE delivered_on BETWEEN $1 AND $2 AND withdrawn_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM listed_elsewhere WHERE listed_elsewhere.id = filing.id)";

/// The filings for which the file of this year is written down, and no other one.
pub(crate) const LISTED_BY_ONE_FILE: &str =
    "SELECT filing.id FROM listed_elsewhere JOIN filing ON filing.id = listed_elsewhere.id
    WHERE year = $1 AND withdrawn_at IS NULL AND NOT EXISTS
        (SELECT 1 FROM listed_elsewhere AS other WHERE other.id = filing.id AND other.year <> listed_elsewhere.year)";

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

/// The files that list a filing, where it is not just the file of the year of its delivery.
pub(crate) const ELSEWHERE: &str = "SELECT id, year FROM listed_elsewhere";

pub(crate) const KEEP_ELSEWHERE: Each = Each {
    one: "INSERT INTO listed_elsewhere (year, id) VALUES ($1, $2) ON CONFLICT (id, year) DO NOTHING",
    columns: &[Integer, Text],
    key_columns: 2,
    many: "INSERT INTO listed_elsewhere (year, id) SELECT * FROM UNNEST($1, $2)
        ON CONFLICT (id, year) DO NOTHING",
};

pub(crate) const FORGET_ELSEWHERE: &str = "DELETE FROM listed_elsewhere WHERE id = $1 AND year = $2";

pub(crate) const FORGET_ALL_ELSEWHERE: &str = "DELETE FROM listed_elsewhere";

/// The years among these whose file was last read by a version that did not write down what it lists.
pub(crate) const UNREAD_YEARS: &str = "SELECT year FROM unread_year WHERE year IN ($1, $2)";

pub(crate) const YEAR_IS_READ: &str = "DELETE FROM unread_year WHERE year = $1";

pub(crate) const FORGET_UNREAD_YEARS: &str = "DELETE FROM unread_year";

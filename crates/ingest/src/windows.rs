//! Requests split into windows of days: how many at once, which responses are final, and which empty ones are
//! rejected.

use jiff::Timestamp;
use lastro_model::{Day, ReadFile, Reject};
use lastro_sources::judgement::Refusal;

/// Windows requested at once; the fetcher spaces them.
pub(super) const AT_ONCE: usize = 3;

/// Longer than any publisher's revision period, and longer than any holidays.
const SETTLED_DAYS: i32 = 60;

/// One window and its result.
#[derive(Debug)]
pub(super) struct WindowRead {
    pub(super) from: Day,
    pub(super) to: Day,
    pub(super) rows: u64,
    pub(super) rejects: Vec<Reject>,
}

impl WindowRead {
    /// The record of a response that is not a file: its rows and rejects.
    pub(super) fn into_file(self, url: String, read_at: Timestamp) -> ReadFile {
        let Self { rows, rejects, .. } = self;
        ReadFile {
            url,
            etag: None,
            last_modified: None,
            sha256: String::new(),
            rows,
            rejects,
            withheld: Vec::new(),
            read_at,
        }
    }
}

/// The first and last day of this day's year.
pub(super) fn year_around(day: Day) -> (Day, Day) {
    let of_its_year = |month, last| Day::from_ymd(day.year(), month, last).unwrap_or(day);
    (of_its_year(1, 1), of_its_year(12, 31))
}

/// Whether the response for days up to this one is final.
pub(super) fn is_closed(to: Day, today: Day) -> bool {
    to.plus_days(SETTLED_DAYS) < today
}

/// Rejects an empty long window after the start of a history. Accepted, it would leave a gap that is never requested
/// again.
///
/// The windows are those of one history, in order; `begun` is set if earlier days are stored.
pub(super) fn refuse_silence<'a>(
    windows: impl IntoIterator<Item = &'a WindowRead>,
    mut begun: bool,
) -> Result<(), Refusal> {
    for WindowRead { from, to, rows, .. } in windows {
        let long = to.number() - from.number() >= SETTLED_DAYS;
        if begun && long && *rows == 0 {
            return Err(Refusal(format!(
                "it has no values from {from} to {to}, in the midst of its history"
            )));
        }
        begun |= *rows > 0;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(from: &str, to: &str, rows: u64) -> WindowRead {
        let day = |text| Day::parse(text).unwrap();
        WindowRead { from: day(from), to: day(to), rows, rejects: Vec::new() }
    }

    #[test]
    fn a_history_may_begin_late_but_not_pause() {
        let years = |rows: [u64; 3]| {
            let [a, b, c] = rows;
            [
                told("2020-01-01", "2020-12-31", a),
                told("2021-01-01", "2021-12-31", b),
                told("2022-01-01", "2022-12-31", c),
            ]
        };
        assert!(refuse_silence(&years([0, 0, 250]), false).is_ok());
        assert!(refuse_silence(&years([250, 250, 250]), true).is_ok());
        assert!(refuse_silence(&years([250, 0, 250]), false).is_err());
        assert!(refuse_silence(&years([250, 250, 0]), false).is_err());
        assert!(refuse_silence(&years([0, 250, 250]), true).is_err());
        let holidays = [told("2022-12-20", "2022-12-31", 7), told("2023-01-01", "2023-01-02", 0)];
        assert!(refuse_silence(&holidays, true).is_ok());
    }

    #[test]
    fn old_windows_are_final() {
        let day = |text| Day::parse(text).unwrap();
        assert!(is_closed(day("2025-12-31"), day("2026-11-02")));
        assert!(!is_closed(day("2026-09-03"), day("2026-11-02")));
    }
}

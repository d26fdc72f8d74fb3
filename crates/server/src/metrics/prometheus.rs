//! Writer of the Prometheus text format: families of values, each with its help, kind and labels.

use std::fmt::{self, Display, Write};

/// The text returned to a scraper.
#[derive(Debug, Default)]
pub struct Exposition(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

pub type Label<'a> = (&'static str, &'a dyn Display);

impl Exposition {
    /// Begins a family. Its samples follow.
    pub fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> Family<'_> {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
        Family { text: &mut self.0, name }
    }

    /// Writes a gauge of one value without labels.
    pub fn gauge(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.family(name, Kind::Gauge, help).sample(&[], value);
    }

    /// Writes a counter of one value without labels.
    pub fn counter(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.family(name, Kind::Counter, help).sample(&[], value);
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

/// The samples of one family.
#[derive(Debug)]
pub struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Family<'_> {
    pub fn sample(&mut self, labels: &[Label<'_>], value: impl Display) {
        self.part("", labels, value);
    }

    /// Writes a sample of a histogram, with one of the suffixes `_bucket`, `_sum` and `_count`.
    pub fn part(&mut self, suffix: &str, labels: &[Label<'_>], value: impl Display) {
        let _ = write!(self.text, "{}{suffix}", self.name);
        for (place, (label, value)) in labels.iter().enumerate() {
            let _ = write!(self.text, "{}{label}=\"", if place == 0 { '{' } else { ',' });
            let _ = write!(Escaped(self.text), "{value}");
            self.text.push('"');
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{end} {value}");
    }
}

/// Writer that escapes a label value, which stands between quotes on one line.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '\\' => self.0.push_str("\\\\"),
                '"' => self.0.push_str("\\\""),
                '\n' => self.0.push_str("\\n"),
                other => self.0.push(other),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_help_kind_and_one_line_per_sample() {
        let mut out = Exposition::default();
        out.gauge("ready", "Whether it is.", 1);
        let mut family = out.family("asked_total", Kind::Counter, "By whom.");
        family.sample(&[("name", &"Ana"), ("status", &200)], 3);
        family.sample(&[("name", &"a \"b\"\\c\nd")], 0.5);
        assert_eq!(
            out.into_text(),
            "# HELP ready Whether it is.\n# TYPE ready gauge\nready 1\n\
             # HELP asked_total By whom.\n# TYPE asked_total counter\n\
             asked_total{name=\"Ana\",status=\"200\"} 3\n\
             asked_total{name=\"a \\\"b\\\"\\\\c\\nd\"} 0.5\n"
        );
    }

    #[test]
    fn the_parts_of_a_histogram_share_one_family() {
        let mut out = Exposition::default();
        let mut family = out.family("seconds", Kind::Histogram, "How long.");
        family.part("_bucket", &[("le", &"+Inf")], 2);
        family.part("_count", &[], 2);
        assert_eq!(
            out.into_text(),
            "# HELP seconds How long.\n# TYPE seconds histogram\nseconds_bucket{le=\"+Inf\"} 2\nseconds_count 2\n"
        );
    }
}

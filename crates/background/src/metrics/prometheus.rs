//! Writer of the Prometheus text format: families of values, each with its help, kind and labels.

use std::fmt::{self, Display, Write};

use lastro_model::{BOUNDS_US, Distribution};

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

    /// Writes the samples of a histogram, with cumulative buckets.
    pub fn histogram(&mut self, labels: &[Label<'_>], durations: &Distribution) {
        let bucket = |le: &'_ dyn Display, family: &mut Self, count: u64| {
            let mut labels = labels.to_vec();
            labels.push(("le", le));
            family.part("_bucket", &labels, count);
        };
        let mut running = 0;
        for (bound, count) in BOUNDS_US.iter().zip(durations.counts) {
            running += count;
            bucket(&seconds(*bound), self, running);
        }
        bucket(&"+Inf", self, durations.count());
        self.part("_sum", labels, seconds(durations.total_us));
        self.part("_count", labels, durations.count());
    }

    /// Writes a sample of a histogram, with one of the suffixes `_bucket`, `_sum` and `_count`.
    fn part(&mut self, suffix: &str, labels: &[Label<'_>], value: impl Display) {
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

fn seconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1e6
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
    use lastro_model::Histogram;

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
    fn the_buckets_of_a_histogram_are_cumulative() {
        let histogram = Histogram::default();
        for elapsed_us in [40, 60, 2_000_000] {
            histogram.record_ns(elapsed_us * 1000);
        }
        let mut out = Exposition::default();
        out.family("seconds", Kind::Histogram, "How long.").histogram(&[("of", &"a")], &histogram.read());
        let text = out.into_text();
        for line in [
            "# HELP seconds How long.\n# TYPE seconds histogram\nseconds_bucket{of=\"a\",le=\"0.00005\"} 1\n",
            "\nseconds_bucket{of=\"a\",le=\"0.0001\"} 2\n",
            "\nseconds_bucket{of=\"a\",le=\"1\"} 2\nseconds_bucket{of=\"a\",le=\"10\"} 3\n",
            "\nseconds_bucket{of=\"a\",le=\"+Inf\"} 3\nseconds_sum{of=\"a\"} 2.0001\nseconds_count{of=\"a\"} 3\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}

//! `lastro demo`: a made-up data set of any size, for trials and benchmarks.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use lastro_background::clock::SystemClock;
use lastro_config::{Common, Demo};
use lastro_model::{Clock, Source};

use crate::sample;
use lastro_sample::Shape;

pub async fn run(common: &Common, demo: Demo) -> anyhow::Result<()> {
    let store = common.open_store().await?;
    let shape = Shape { companies: demo.companies as usize, filings: demo.filings as usize, seed: demo.seed };
    let bar = progress_bar(shape.filings as u64);
    let shown = bar.clone();
    let progress = move |source: Source, rows: usize| {
        shown.set_message(source.name());
        if source == Source::Filings {
            shown.inc(rows as u64);
        }
    };
    let now = SystemClock::start().now().timestamp();
    let published = sample::publish(&*store, shape, now, Arc::new(progress)).await;
    bar.finish_and_clear();
    published?;
    tracing::info!(
        "{} companies and {} filings are in the database; start `lastro` to serve them",
        shape.companies,
        shape.filings
    );
    Ok(())
}

/// The progress bar, shown on a terminal only. Elsewhere there is only the log line at the end.
fn progress_bar(filings: u64) -> ProgressBar {
    let bar = ProgressBar::new(filings);
    if let Ok(style) =
        ProgressStyle::with_template("{msg:10} {wide_bar} {human_pos} of {human_len} filings, {eta} left")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

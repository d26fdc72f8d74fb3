//! `lastro migrate`: moves everything from one database to another. Standard output carries the tables that were
//! compared and nothing else.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use lastro_background::clock::{SystemClock, random_hex};
use lastro_background::replicas::census::is_alive;
use lastro_config::{Common, MigrateArgs, secret_from_file};
use lastro_store::{TransferContext, TransferProgress, TransferStep, TransferredTable};

use crate::pepper;

pub async fn run(common: &Common, arguments: MigrateArgs) -> anyhow::Result<()> {
    let from = url(arguments.from, arguments.from_file).context("--from-file")?;
    let to = url(arguments.to, arguments.to_file).context("--to-file")?;
    lastro_store::check_address(&to).context("--to")?;
    let options = common.store_options();
    let pepper_file = pepper::path_of(&Common { database: from.clone(), ..common.clone() })?;
    let source = lastro_store::open_untouched(&from, &options).await.context("the source")?;
    pepper::check(&*source, &pepper_file).await?;
    drop(source);

    let holder = format!("lastro migrate (process {}, {})", std::process::id(), random_hex(6));
    let context = TransferContext { holder: &holder, clock: &SystemClock::start(), is_alive };
    let bar = progress_bar();
    let tables =
        lastro_store::transfer(&from, &to, &options, context, &|progress| show(&bar, progress)).await;
    bar.finish_and_clear();
    let tables = tables?;
    print(&tables);
    tracing::info!("both databases are the same; the source was not changed");
    tracing::info!(
        "start the service on the new database with --pepper-file {}, and not on the old one again",
        pepper_file.display()
    );
    Ok(())
}

/// The URL as given, or the first line of the file. The command line has exactly one of them.
fn url(given: Option<String>, file: Option<PathBuf>) -> anyhow::Result<String> {
    match (given, file) {
        (Some(url), _) => Ok(url),
        (None, Some(path)) => secret_from_file(&path),
        (None, None) => anyhow::bail!("neither a URL nor a file was given"),
    }
}

/// The progress bar, shown on a terminal only.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg:26} {wide_bar} {human_pos} of {human_len} rows") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Moves the bar. Where there is none, logs a line at the end of each table.
fn show(bar: &ProgressBar, progress: TransferProgress) {
    let TransferProgress { step, table, rows, total } = progress;
    if !bar.is_hidden() {
        let verb = if step == TransferStep::Copy { "copying" } else { "comparing" };
        bar.set_message(format!("{verb} {table}"));
        bar.set_length(total);
        bar.set_position(rows);
    } else if rows == total && total > 0 {
        let verb = if step == TransferStep::Copy { "copied" } else { "compared" };
        tracing::info!("{verb} {rows} rows of {table}");
    }
}

fn print(tables: &[TransferredTable]) {
    println!("{:<16}  {:>12}  SHA-256", "TABLE", "ROWS");
    for TransferredTable { name, rows, digest } in tables {
        println!("{name:<16}  {rows:>12}  {digest}");
    }
}

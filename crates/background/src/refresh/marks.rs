//! The place in the log of changes up to which a catalog is in service.

use lastro_catalog::Catalog;
use lastro_model::{BySource, Edition, Mark, Now, Source};
use lastro_store::{ChangeEdition, Store};

use crate::changes::shape::shape;
use crate::changes::tail::end_of;

/// Editions that are read at once.
const AT_ONCE: usize = 5_000;

/// Moves the mark of a catalog that is about to come into service.
pub async fn update(catalog: &mut Catalog, store: &dyn Store) -> anyhow::Result<()> {
    if catalog.mark == Mark::default() {
        let oldest = store.oldest_change_edition().await?;
        catalog.mark = oldest.as_ref().map(end_of).unwrap_or_default();
    }
    let logged = logged_after(store, catalog.mark.stamp.edition).await?;
    let served = catalog.editions();
    let in_service = |edition: &&ChangeEdition| served[edition.source] >= edition.edition;
    let before = logged.iter().take_while(in_service).count();
    catalog.mark = logged[..before].last().map_or(catalog.mark, end_of);
    // Series that are ahead of one that could not be rebuilt are not the state of one edition.
    let is_series = |edition: &ChangeEdition| matches!(edition.source, Source::Series(_));
    let rest = &logged[before..];
    let missing = rest.iter().find(|edition| is_series(edition) && !in_service(edition));
    let is_exact = |edition: &&ChangeEdition| {
        !is_series(edition) || missing.is_none_or(|missing| edition.edition < missing.edition)
    };
    catalog.ahead = rest.iter().filter(in_service).filter(is_exact).map(end_of).collect();
    Ok(())
}

/// The sources with a logged edition before this one that a catalog lacks.
pub async fn unserved_before(
    catalog: &Catalog,
    edition: Edition,
    store: &dyn Store,
) -> anyhow::Result<Vec<Source>> {
    let served = catalog.editions();
    let mut logged = logged_after(store, catalog.mark.stamp.edition).await?;
    logged.retain(|logged| logged.edition < edition && served[logged.source] < logged.edition);
    Ok(logged.into_iter().map(|logged| logged.source).collect())
}

/// Whether any edition that comes into service is not in the log: a replica of an earlier version published it. The mark
/// does not show it, because a logged edition may have come into service before it.
pub async fn has_unlogged(
    store: &dyn Store,
    before: &BySource<Edition>,
    fresh: &BySource<Edition>,
) -> anyhow::Result<bool> {
    let start = store.oldest_change_edition().await?.map_or(Edition(0), |oldest| oldest.edition);
    for (source, edition) in fresh.iter().filter(|(_, edition)| **edition > start) {
        if *edition != before[source] && store.change_edition(*edition).await?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn logged_after(store: &dyn Store, mut edition: Edition) -> anyhow::Result<Vec<ChangeEdition>> {
    let mut logged = Vec::new();
    loop {
        let more = store.change_editions(edition, AT_ONCE).await?;
        let Some(last) = more.last() else { return Ok(logged) };
        edition = last.edition;
        logged.extend(more);
    }
}

/// Logs as replaced each source whose current edition is not in the log, or which this version shows differently from
/// the version that showed it last.
pub async fn log_replacements(store: &dyn Store, now: Now) -> anyhow::Result<()> {
    let shapes = Source::ALL.into_iter().map(|source| (source, shape(source))).collect();
    for source in store.log_replacements(shapes, now.timestamp()).await? {
        tracing::info!(%source, "the log of changes records this source as replaced");
    }
    Ok(())
}

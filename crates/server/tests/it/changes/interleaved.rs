//! Editions that are published while others are brought into service.

use std::time::Duration;

use lastro_background::refresh::follow::follow_data;
use lastro_model::{Records, Series, Source};

use super::{publish, rate};
use crate::app::TestApp;

#[tokio::test]
async fn a_series_with_editions_on_both_sides_is_not_left_out() {
    let app = TestApp::start_with(|setup| setup.settings.poll_interval = Duration::from_hours(1)).await;
    let put = async |series, value| {
        app.advance_seconds(1);
        let rows = Records::Rates(vec![rate(1, value)]);
        publish(&*app.plain, app.timestamp(), Source::Series(series), rows, false).await;
        app.plain.counters().await.unwrap()
    };
    put(Series::Selic, 1500).await;
    let counters = put(Series::Cdi, 1400).await;
    follow_data(&app.service.follower, &counters).await.unwrap();
    // The counters show the first of these only: the other series changes before and after the edition that is loaded.
    let counters = put(Series::Selic, 1501).await;
    put(Series::Cdi, 1401).await;
    put(Series::Selic, 1502).await;
    let last = put(Series::Cdi, 1402).await;
    follow_data(&app.service.follower, &counters).await.unwrap();
    let catalog = app.service.app.served.catalog.load();
    assert_eq!(catalog.series[Series::Cdi].stamp.edition, last.edition(Source::Series(Series::Cdi)));
    let selic = catalog.series[Series::Selic].stamp;
    assert_eq!(selic.edition, last.edition(Source::Series(Series::Selic)));
    assert!(catalog.mark_of(&[selic]).stamp.edition >= selic.edition, "its export is of its own state");
}

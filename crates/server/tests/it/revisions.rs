//! The revisions of a series are served together with it.

use std::time::Duration;

use lastro_catalog::{FirstDay, Part, Revision, Timeline};
use lastro_model::{Day, RatePoint, Records, Series};
use lastro_store::{Condition, Publication, PublicationItem};

use crate::app::TestApp;
use crate::csv_reader::{DIALECTS, Object};

const SERIES: Series = Series::IbcBrSa;

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

fn points(rows: &[(&str, &str)]) -> Vec<RatePoint> {
    rows.iter().map(|(on, value)| RatePoint { day: day(on), value: value.parse().unwrap() }).collect()
}

/// Publishes points at the current time, and waits until they are served.
async fn publish(app: &TestApp, replace: bool, rows: &[(&str, &str)]) {
    let at = app.timestamp();
    let publication =
        Publication { source: SERIES.into(), sample: false, replace, at, condition: Condition::None };
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(Records::Rates(points(rows)))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let edition = app.plain.publish(publication, receiver).await.unwrap().edition;
    while served(app).stamp.edition != edition {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn served(app: &TestApp) -> std::sync::Arc<Part<Timeline<RatePoint>>> {
    std::sync::Arc::clone(&app.service.app.served.catalog.load().series[SERIES])
}

#[tokio::test]
async fn a_series_is_served_with_every_state_since_recording_began() {
    let quick = |setup: &mut lastro::setup::Setup| setup.settings.poll_interval = Duration::from_millis(10);
    let app = TestApp::start_with(quick).await;
    assert_eq!(served(&app).as_of(day("2026-11-02")), Err(FirstDay(None)), "a sample is no edition");
    let first = [("2026-08-01", "140.1"), ("2026-09-01", "140.30")];
    publish(&app, true, &first).await;
    app.advance_seconds(86_400);
    publish(&app, false, &[("2026-08-01", "140.2"), ("2026-10-01", "141")]).await;
    app.advance_seconds(2 * 86_400);
    let last = [("2026-08-01", "140.2"), ("2026-09-01", "140.3"), ("2026-10-01", "141")];
    publish(&app, false, &last).await;

    let second = points(&[("2026-08-01", "140.2"), ("2026-09-01", "140.30"), ("2026-10-01", "141")]);
    let part = served(&app);
    assert_eq!(part.as_of(day("2026-11-01")), Err(FirstDay(Some(day("2026-11-02")))));
    for (on, expected) in [
        ("2026-11-02", points(&first)),
        ("2026-11-03", second.clone()),
        ("2026-11-04", second),
        ("2026-11-05", points(&last)),
        ("2027-01-01", points(&last)),
    ] {
        assert_eq!(part.as_of(day(on)).map(|points| shown(&points)), Ok(shown(&expected)), "{on}");
    }
    let revised: Vec<_> = part.revisions().after_publication().filter_map(Revision::day).collect();
    assert_eq!(
        revised,
        [day("2026-09-01"), day("2026-08-01")],
        "the newest first, and nothing that was added"
    );
    let key = app.ample_key(lastro_model::Plan::Platinum).await;
    let path = "/api/v1/series/ibc-br-sa/revisions?limit=1";
    let page = app.get(path).key(&key).send().await.expect(200).text();
    let object: Object = serde_json::from_str(&page).unwrap();
    for dialect in DIALECTS {
        let asked = format!("{path}&format=csv&locale={}", dialect.locale);
        let file = app.get(&asked).key(&key).send().await.expect(200);
        assert_eq!(dialect.read(&file.text()), dialect.of_objects(&object.objects("data")));
        assert_eq!(file.number("x-total-count"), 2);
    }
    let other = app.beside(quick).await;
    assert_eq!(served(&other).revisions(), part.revisions(), "a server that starts later knows the same");
}

/// Points with all decimals, because equal numbers may differ in them.
fn shown(points: &[RatePoint]) -> Vec<String> {
    points.iter().map(|point| format!("{} {}", point.day, point.value)).collect()
}

use std::sync::atomic::AtomicU32;

use lastro_model::ManualClock;

use super::*;

/// A supervised job and its environment. Tokio's time is paused and advances by itself.
struct Stage {
    jobs: Jobs,
    metrics: Metrics,
    clock: ManualClock,
    stop: watch::Sender<bool>,
    starts: AtomicU32,
}

impl Stage {
    fn set() -> Self {
        Self {
            jobs: Jobs::default(),
            metrics: Metrics::new([]),
            clock: ManualClock::starting_at(1_793_620_800_000),
            stop: watch::Sender::new(false),
            starts: AtomicU32::new(0),
        }
    }

    async fn run<F: Future<Output = ()> + Send>(&self, job: impl Fn(u32) -> F + Send + Sync) {
        let supervised =
            Supervised { name: "work", jobs: &self.jobs, metrics: &self.metrics, clock: &self.clock };
        let start: Job<'_> = Box::new(|| job(self.starts.fetch_add(1, Ordering::SeqCst) + 1).boxed());
        keep_running(supervised, &start, &mut self.stop.subscribe()).await;
    }

    fn failing(&self) -> Vec<FailingJob> {
        self.jobs.failing(self.clock.now())
    }

    fn metrics(&self) -> String {
        let mut out = Exposition::default();
        self.jobs.render(self.clock.now(), &mut out);
        out.into_text()
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_panics_is_restarted() {
    let stage = Stage::set();
    stage
        .run(async |start| {
            assert!(start > 2, "on purpose");
            stage.stop.send_replace(true);
        })
        .await;
    assert_eq!(stage.starts.load(Ordering::SeqCst), 3);
    assert_eq!(stage.metrics.panics.load(Ordering::SeqCst), 2);
    assert!(stage.metrics().contains("lastro_job_restarts_total{job=\"work\"} 2\n"));
    assert!(stage.metrics().contains("lastro_job_failing{job=\"work\"} 0\n"));
    assert_eq!(stage.failing(), [], "two deaths may be an accident");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_ends_early_is_restarted_without_a_panic_count() {
    let stage = Stage::set();
    stage
        .run(async |start| {
            stage.stop.send_replace(start == 4);
        })
        .await;
    assert_eq!(stage.starts.load(Ordering::SeqCst), 4);
    assert_eq!(stage.metrics.panics.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn reports_a_failing_job_until_it_has_run_well() {
    let stage = Stage::set();
    stage
        .run(async |start| {
            let failing = stage.failing();
            assert_eq!(failing.is_empty(), start <= FAILING_AFTER, "start {start}");
            if let [told] = &failing[..] {
                assert_eq!((&told.name[..], told.restarts), ("work", u64::from(start - 1)));
                assert_eq!(told.since.as_millisecond(), 1_793_620_800_000);
            }
            assert!(start > 5, "on purpose");
            stage.clock.advance(WELL_AFTER - Duration::from_secs(1));
            assert_eq!(stage.failing().len(), 1, "not yet");
            stage.clock.advance(Duration::from_secs(1));
            assert_eq!(stage.failing(), [], "well again");
            stage.stop.send_replace(true);
        })
        .await;
    // A failed assertion inside the job would have counted as a death as well.
    assert_eq!(stage.starts.load(Ordering::SeqCst), 6);
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_to_a_minute_and_reset_after_a_good_run() {
    let stage = Stage::set();
    let began = parking_lot::Mutex::new(Vec::new());
    stage
        .run(async |start| {
            began.lock().push(tokio::time::Instant::now());
            if start == 10 {
                stage.clock.advance(WELL_AFTER);
            }
            stage.stop.send_replace(start == 12);
            assert!(start == 12, "on purpose");
        })
        .await;
    let seconds: Vec<u64> = began.lock().windows(2).map(|two| (two[1] - two[0]).as_secs()).collect();
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_restart_pause() {
    let stage = Stage::set();
    let job = stage.run(async |_| panic!("on purpose"));
    let stop = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        stage.stop.send_replace(true);
    };
    tokio::join!(job, stop);
    assert_eq!(stage.starts.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_while_creating_a_job_counts_as_its_death() {
    let stage = Stage::set();
    stage
        .run(|start| {
            stage.stop.send_replace(start == 2);
            assert!(start == 2, "on purpose");
            std::future::ready(())
        })
        .await;
    assert_eq!(stage.starts.load(Ordering::SeqCst), 2);
}

#[test]
fn extracts_the_panic_message() {
    for (panic, said) in [
        (std::panic::catch_unwind(|| panic!("plain")), "plain"),
        (std::panic::catch_unwind(|| panic!("made of {}", 2)), "made of 2"),
        (std::panic::catch_unwind(|| std::panic::panic_any(7)), "a panic without a message"),
    ] {
        assert_eq!(panic_message(&*panic.unwrap_err()), said);
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_does_not_end_is_aborted() {
    let context = Arc::new(());
    let clock = Arc::new(ManualClock::starting_at(1_793_620_800_000));
    let mut supervisor = Supervisor::new(Arc::default(), Arc::new(Metrics::new([])), clock);
    let held = Arc::clone(&context);
    supervisor.start("endless", &context, |context, _| async move {
        std::future::pending::<()>().await;
        drop(context);
    });
    tokio::task::yield_now().await;
    supervisor.stop().await;
    drop(context);
    // An aborted job drops the values it held.
    while Arc::strong_count(&held) > 1 {
        tokio::task::yield_now().await;
    }
}

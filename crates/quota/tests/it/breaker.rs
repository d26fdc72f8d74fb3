//! The breaker alone: events in, a decision out.

use lastro_quota::breaker::{Breaker, Decider};

const WINDOW: u64 = 60;
const OLD: u64 = 1_000;

#[test]
fn redis_is_away_after_three_failures_in_a_row() {
    let mut breaker = Breaker::default();
    assert_eq!(breaker.decider(WINDOW, 0), Decider::Both, "no reply yet");
    breaker.replied(OLD, 0);
    for _ in 0..5 {
        breaker.failed(0, 0);
        breaker.failed(0, 0);
        assert_eq!(breaker.decider(WINDOW, 0), Decider::Redis);
        breaker.replied(OLD, 0);
    }
    (0..3).for_each(|_| breaker.failed(0, 0));
    assert_eq!(breaker.decider(WINDOW, 0), Decider::Share);
    assert_eq!(breaker.decider(WINDOW, 10 * WINDOW), Decider::Share, "time alone changes nothing");
}

#[test]
fn calls_pending_together_are_one_failure() {
    let mut breaker = Breaker::default();
    breaker.replied(OLD, 0);
    (0..9).for_each(|sent_ns| breaker.failed(sent_ns, 50 + sent_ns));
    assert_eq!(breaker.decider(WINDOW, 60), Decider::Redis);
    breaker.failed(60, 110);
    breaker.failed(111, 161);
    assert_eq!(breaker.decider(WINDOW, 161), Decider::Share);
}

#[test]
fn redis_decides_a_window_after_its_return() {
    let mut breaker = Breaker::default();
    breaker.replied(OLD, 0);
    breaker.disconnected();
    assert_eq!(breaker.decider(WINDOW, 5), Decider::Share);
    breaker.replied(OLD, 10);
    assert_eq!(breaker.decider(WINDOW, 69), Decider::Both);
    assert_eq!(breaker.decider(WINDOW, 70), Decider::Redis);
    assert_eq!(breaker.decider(60 * WINDOW, 70), Decider::Both, "an hour's limit waits for an hour");
}

#[test]
fn redis_decides_a_window_after_a_loss_of_data() {
    let mut breaker = Breaker::default();
    breaker.replied(OLD, 0);
    breaker.replied(3, 10);
    assert_eq!(breaker.decider(WINDOW, 66), Decider::Both);
    assert_eq!(breaker.decider(WINDOW, 67), Decider::Redis);
}

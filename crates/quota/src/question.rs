//! What `ring.lua` is asked about rings and what it answers, many of them in one call. Either is one string of numbers of
//! eight bytes each, so that Redis and this process spend little on reading it.

use crate::answer::Reply;
use crate::names::RingName;

/// Numbers that are told of each ring.
const NUMBERS: usize = 5;

/// What is asked about one ring: for units, for none to see what there is, or to take some back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) name: RingName,
    pub(crate) limit: u32,
    pub(crate) window_us: u64,
    /// How many are wanted, or given back.
    pub(crate) units: u32,
    /// The instant under which those that are given back are remembered.
    pub(crate) given_back_us: Option<u64>,
    pub(crate) known: Known,
}

/// What was heard of a ring's instants a moment ago, so that Redis need not look at them. Zero where nothing is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) oldest_us: u64,
    /// That of the last units that were granted to this replica.
    pub(crate) granted_us: u64,
}

impl Question {
    /// How many may be granted at most.
    fn wanted(&self) -> u32 {
        if self.given_back_us.is_some() { 0 } else { self.units }
    }
}

/// The questions as the script reads them.
pub(crate) fn written(questions: &[Question]) -> Vec<u8> {
    let numbers = questions.iter().flat_map(|question| {
        let Question { limit, window_us, units, given_back_us, known, .. } = *question;
        let given_back_us = given_back_us.unwrap_or(0);
        [units.into(), limit.into(), window_us, given_back_us, known.oldest_us, known.granted_us]
    });
    numbers.flat_map(u64::to_be_bytes).collect()
}

/// What was answered to each of them; `None` for what our script never answers.
pub(crate) fn read(told: &[u8], questions: &[Question]) -> Option<Vec<Reply>> {
    let (numbers, rest) = told.as_chunks();
    let numbers: Vec<i64> = numbers.iter().copied().map(i64::from_be_bytes).collect();
    let (&[now, epoch_age, epoch], answers) = numbers.split_first_chunk()?;
    let (answers, more) = answers.as_chunks::<NUMBERS>();
    if !rest.is_empty() || !more.is_empty() || answers.len() != questions.len() {
        return None;
    }
    let reply = |(answer, question): (&[i64; NUMBERS], &Question)| {
        let [granted, used, next, full, stamp] = *answer;
        Reply::read(&[granted, used, next, full, now, epoch_age, stamp, 0, epoch], question.wanted())
    };
    answers.iter().zip(questions).map(reply).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Question = Question {
        name: RingName::Last,
        limit: 30,
        window_us: 60,
        units: 2,
        given_back_us: None,
        known: Known { oldest_us: 8, granted_us: 9 },
    };

    fn told(numbers: &[i64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn each_ring_has_its_own_answer_and_all_have_the_time_and_the_epoch() {
        let returned = Question { given_back_us: Some(9), ..QUESTION };
        assert_eq!(written(&[QUESTION, returned]).len(), 2 * 48);
        let told = told(&[1_000, 7, -3, 9, 4, 50, 60, 1_000, 1, 5, 51, 61, 1_001]);
        let replies = read(&told, &[QUESTION, returned]).unwrap();
        let (first, second) = (&replies[0], &replies[1]);
        assert_eq!((first.granted, first.used, first.place), (2, 4, 1_000), "no more than was wanted");
        assert_eq!((second.granted, second.used, second.next_us, second.full_us), (0, 5, 51, 61));
        assert!(
            replies.iter().all(|reply| (reply.now_us, reply.epoch_age_us, reply.epoch) == (1_000, 7, -3))
        );
    }

    #[test]
    fn what_the_script_never_answers_is_no_answer() {
        let whole = told(&[1_000, 7, 3, 1, 4, 50, 60, 1_000]);
        assert!(read(&whole, &[QUESTION]).is_some());
        assert!(read(&whole, &[QUESTION, QUESTION]).is_none() && read(&whole, &[]).is_none());
        for length in 0..whole.len() {
            assert!(read(&whole[..length], &[QUESTION]).is_none(), "{length}");
        }
        assert!(read(&told(&[1_000, 7, 3, -1, 4, 50, 60, 1_000]), &[QUESTION]).is_none());
    }
}

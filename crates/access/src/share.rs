//! What one of several replicas may admit by itself, when they cannot ask each other: its share of a limit.

/// The place of a replica among those that are alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    replicas: u32,
    rank: u32,
}

impl Share {
    /// All of it: there is nobody else.
    pub const WHOLE: Self = Self { replicas: 1, rank: 0 };

    /// The share of the replica that has `rank` others before it, of so many in all.
    pub fn new(replicas: u32, rank: u32) -> Self {
        let replicas = replicas.max(1);
        Self { replicas, rank: rank.min(replicas - 1) }
    }

    pub fn replicas(self) -> u32 {
        self.replicas
    }

    /// The shares of all replicas add up to the limit; only where there are more replicas than units, each has one.
    pub fn of(self, limit: u32) -> u32 {
        let whole = limit / self.replicas + u32::from(self.rank < limit % self.replicas);
        whole.max(limit.min(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_limit() {
        for limit in [1, 2, 3, 29, 30, 31, 100, 2_000, u32::MAX] {
            for replicas in (1..=64).filter(|replicas| *replicas <= limit) {
                let sum: u64 =
                    (0..replicas).map(|rank| u64::from(Share::new(replicas, rank).of(limit))).sum();
                assert_eq!(sum, u64::from(limit), "{limit} over {replicas}");
            }
        }
    }

    #[test]
    fn nobody_is_locked_out_where_there_are_more_replicas_than_units() {
        assert_eq!(Share::new(50, 49).of(30), 1);
        assert_eq!(Share::new(3, 0).of(0), 0, "a limit of nothing is nothing for everybody");
    }

    #[test]
    fn a_place_that_cannot_be_is_the_last_one() {
        assert_eq!(Share::new(0, 7), Share::WHOLE);
        assert_eq!(Share::new(3, 9), Share::new(3, 2));
    }
}

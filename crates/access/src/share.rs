//! One replica's share of a limit, for the time when replicas cannot coordinate.

/// The position of a replica among the live ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    replicas: u32,
    rank: u32,
}

impl Share {
    /// The share of a single replica.
    pub const WHOLE: Self = Self { replicas: 1, rank: 0 };

    /// The share of the replica with `rank` others before it, among `replicas`.
    pub fn new(replicas: u32, rank: u32) -> Self {
        let replicas = replicas.max(1);
        Self { replicas, rank: rank.min(replicas - 1) }
    }

    pub fn replicas(self) -> u32 {
        self.replicas
    }

    /// This replica's part of a limit. All parts add up to the limit, except with more replicas than units: then each
    /// replica has one.
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
    fn each_replica_has_a_unit_when_replicas_exceed_units() {
        assert_eq!(Share::new(50, 49).of(30), 1);
        assert_eq!(Share::new(3, 0).of(0), 0, "a limit of nothing is nothing for everybody");
    }

    #[test]
    fn invalid_rank_becomes_the_last_rank() {
        assert_eq!(Share::new(0, 7), Share::WHOLE);
        assert_eq!(Share::new(3, 9), Share::new(3, 2));
    }
}

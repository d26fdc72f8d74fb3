//! A replica reduced to its limits: a quota, and rings of its own.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use lastro_access::{AddressRings, ClientAddr, Holder, Share};
use lastro_model::{AccountId, Clock, KeyId, Now};
use lastro_quota::{Charge, Claim, OwnRing, Quota, RingName, RunningExport, Settings};
use tokio::task::AbortHandle;

use crate::server::Redis;

/// The machine's clocks.
#[derive(Debug)]
pub(crate) struct RealClock(pub Instant);

impl Clock for RealClock {
    fn now(&self) -> Now {
        let unix_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
        Now { monotonic_ns: self.0.elapsed().as_nanos() as u64, unix_ms }
    }
}

pub(crate) struct Replica {
    pub quota: Arc<Quota>,
    pub clock: Arc<dyn Clock>,
    pub addresses: AddressRings,
    pub holder: Holder,
    pub window_ns: u64,
    watching: AbortHandle,
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

pub(crate) fn account() -> AccountId {
    AccountId(KeyId::parse("aaaaaaaa").unwrap())
}

pub(crate) fn client(bits: u32) -> ClientAddr {
    IpAddr::from(Ipv4Addr::from_bits(bits)).into()
}

impl Replica {
    /// The quota of a single replica.
    pub(crate) fn quota(settings: Settings) -> Quota {
        let share = Arc::new(ArcSwap::from_pointee(Share::WHOLE));
        Quota::new(settings, share, Arc::new(RealClock(Instant::now())))
    }

    pub(crate) fn late_calls(&self) -> u64 {
        self.quota.calls(lastro_quota::LimitClass::Keys).late.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Replicas in one process, with one clock. They wait for Redis as long as a busy machine may need.
    pub(crate) async fn fleet(redis: &Redis, replicas: u32, window_ns: u64) -> Vec<Arc<Self>> {
        Self::fleet_with(redis, replicas, window_ns, Duration::from_secs(5)).await
    }

    pub(crate) async fn fleet_with(
        redis: &Redis,
        replicas: u32,
        window_ns: u64,
        budget: Duration,
    ) -> Vec<Arc<Self>> {
        let clock = Arc::new(RealClock(Instant::now())) as Arc<dyn Clock>;
        let mut fleet = Vec::new();
        for rank in 0..replicas {
            let settings = Settings::new(&redis.url, None, &redis.prefix).unwrap().with_budget(budget);
            let share = Arc::new(ArcSwap::from_pointee(Share::new(replicas, rank)));
            let quota = Arc::new(Quota::new(settings, share, Arc::clone(&clock)));
            quota.connect().await;
            let watched = Arc::clone(&quota);
            let watching = tokio::spawn(async move { watched.watch().await }).abort_handle();
            fleet.push(Arc::new(Self {
                quota,
                clock: Arc::clone(&clock),
                addresses: AddressRings::new(window_ns, 1_000),
                holder: Holder::new(account()),
                window_ns,
                watching,
            }));
        }
        fleet
    }

    pub(crate) fn of_key(&self, limit: u32) -> Claim<'_> {
        Claim {
            name: RingName::Account(account()),
            own: OwnRing::One(self.holder.requests()),
            limit,
            window_ns: self.window_ns,
            now: self.clock.now(),
        }
    }

    pub(crate) fn of_address(&self, bits: u32, limit: u32) -> Claim<'_> {
        let name = RingName::Address(client(bits));
        Claim { name, own: OwnRing::Of(&self.addresses, client(bits)), ..self.of_key(limit) }
    }

    pub(crate) async fn take(&self, claim: &Claim<'_>) -> Charge {
        self.quota.take(claim).await
    }

    pub(crate) async fn begin_export(&self, name: &str, most: usize) -> Option<RunningExport> {
        self.quota.begin_export(account(), name.to_owned(), most, self.clock.now()).await
    }
}

/// The largest number of instants within less than a window.
pub(crate) fn most_in_a_window(mut instants: Vec<u64>, window: u64) -> usize {
    instants.sort_unstable();
    let mut first = 0;
    let within = |(place, instant): (usize, &u64)| {
        while *instant - instants[first] >= window {
            first += 1;
        }
        place + 1 - first
    };
    instants.iter().enumerate().map(within).max().unwrap_or(0)
}

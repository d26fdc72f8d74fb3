//! Hourly limits of registrations and rotations, counted by this process or in Redis over all replicas.
//!
//! The limit of *all* registrations is a bucket that refills steadily, of which each replica always has its share.

use lastro_access::{
    ActiveKey, ClientAddr, ROTATIONS_PER_HOUR, RegistrationLimits, RegistrationRefusal, Share, Verdict,
};
use lastro_background::access::Access;
use lastro_model::Now;
use lastro_quota::{Charge, Claim, OwnRing, RingName};

const HOUR_NS: u64 = 3_600_000_000_000;

/// An admitted registration, needed to give it back.
#[derive(Debug)]
pub(super) enum Registration {
    Alone,
    Shared { by_address: Charge, by_network: Charge, share: Share },
}

/// Takes one registration from all allowances, or from none.
pub(super) async fn take_registration(
    access: &Access,
    client: ClientAddr,
    now: Now,
) -> Result<Registration, RegistrationRefusal> {
    let Some(quota) = &access.quota else {
        return access.registrations.take(client, now.monotonic_ns).map(|()| Registration::Alone);
    };
    let RegistrationLimits { per_network_an_hour, .. } = access.registrations.limits();
    let (address, network, share) =
        (of_address(access, client, now), of_network(access, client, now), **access.share.load());
    refused(quota.peek_at_once(&address), quota.peek_at_once(&network))?;
    // Concurrently, so that the client does not wait twice.
    let (by_address, by_network) = tokio::join!(quota.take(&address), quota.take(&network));
    refused(Some(by_address.verdict), Some(by_network.verdict)).inspect_err(|_| {
        for (claim, charge) in [(&address, by_address), (&network, by_network)] {
            if charge.verdict.admitted {
                quota.give_back(claim, charge);
            }
        }
    })?;
    let before = by_network.verdict.remaining.saturating_add(1);
    let is_newcomer = before == per_network_an_hour || before == share.of(per_network_an_hour);
    access.registrations.take_in_all(share, is_newcomer, now.monotonic_ns).inspect_err(|_| {
        quota.give_back(&address, by_address);
        quota.give_back(&network, by_network);
    })?;
    Ok(Registration::Shared { by_address, by_network, share })
}

/// Rejects for the address before the network.
fn refused(by_address: Option<Verdict>, by_network: Option<Verdict>) -> Result<(), RegistrationRefusal> {
    let seconds = |verdict: Option<Verdict>| {
        verdict.filter(|verdict| !verdict.admitted).map(|verdict| verdict.retry_after_seconds())
    };
    if let Some(retry_after_seconds) = seconds(by_address) {
        return Err(RegistrationRefusal::Address { retry_after_seconds });
    }
    match seconds(by_network) {
        Some(retry_after_seconds) => Err(RegistrationRefusal::Network { retry_after_seconds }),
        None => Ok(()),
    }
}

/// Gives back a registration that failed.
pub(super) fn give_registration_back(
    access: &Access,
    client: ClientAddr,
    taken: Now,
    registration: &Registration,
) {
    match (registration, &access.quota) {
        (Registration::Shared { by_address, by_network, share }, Some(quota)) => {
            quota.give_back(&of_address(access, client, taken), *by_address);
            quota.give_back(&of_network(access, client, taken), *by_network);
            access.registrations.give_back_in_all(*share);
        }
        _ => access.registrations.give_back(client, taken.monotonic_ns),
    }
}

/// Takes one rotation of the account's keys, if admitted.
pub(super) async fn take_rotation(access: &Access, key: &ActiveKey, now: Now) -> Verdict {
    let Some(quota) = &access.quota else { return key.holder.take_rotation(now.monotonic_ns) };
    let own = OwnRing::One(key.holder.rotations());
    let claim = Claim {
        name: RingName::Rotations(key.account),
        own,
        limit: ROTATIONS_PER_HOUR,
        window_ns: HOUR_NS,
        now,
    };
    quota.take(&claim).await.verdict
}

fn of_address(access: &Access, client: ClientAddr, now: Now) -> Claim<'_> {
    Claim {
        name: RingName::RegistrationsOfAddress(client),
        own: OwnRing::Of(access.registrations.addresses(), client),
        limit: access.registrations.limits().per_address_an_hour,
        window_ns: HOUR_NS,
        now,
    }
}

fn of_network(access: &Access, client: ClientAddr, now: Now) -> Claim<'_> {
    let network = client.of_network();
    Claim {
        name: RingName::RegistrationsOfNetwork(network),
        own: OwnRing::Of(access.registrations.networks(), network),
        limit: access.registrations.limits().per_network_an_hour,
        window_ns: HOUR_NS,
        now,
    }
}

//! `lastro health`: checks whether a server on this machine is ready and sets the exit status. It is for containers
//! without another HTTP client.

// The result goes to standard output, not into a log.
#![allow(clippy::print_stdout)]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Context, bail};
use http::StatusCode;
use lastro_background::tls;
use lastro_config::Health;

pub async fn run(health: &Health) -> anyhow::Result<()> {
    let address = health.admin_listen.0.context("--admin-listen is off, so there is nobody to ask")?;
    let address = on_this_machine(address);
    let client =
        tls::client()?.no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(health.timeout);
    match client.build()?.get(format!("http://{address}/readyz")).send().await {
        Ok(response) if response.status() == StatusCode::OK => {
            println!("ready");
            Ok(())
        }
        Ok(response) => bail!("not ready: {address} answers {}", response.status()),
        Err(error) if error.is_timeout() => {
            bail!("not ready: no answer from {address} within {:?}", health.timeout)
        }
        Err(error) if error.is_connect() => bail!("not ready: nobody answers on {address}"),
        Err(_) => bail!("not ready: {address} does not answer in HTTP"),
    }
}

/// Replaces the unspecified address, which means all addresses of the machine, by loopback.
pub(super) fn on_this_machine(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unspecified_addresses_become_loopback() {
        for (listens, asked) in [
            ("0.0.0.0:9090", "127.0.0.1:9090"),
            ("[::]:9090", "[::1]:9090"),
            ("10.1.2.3:80", "10.1.2.3:80"),
            ("[fd00::1]:80", "[fd00::1]:80"),
        ] {
            assert_eq!(on_this_machine(listens.parse().unwrap()).to_string(), asked);
        }
    }
}

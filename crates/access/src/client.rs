//! The address of a client without a key, read through trusted proxies.
//!
//! A forwarded address counts only if every proxy after it is trusted, because the client can write the rest of the
//! header.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;

/// One client: an IPv4 address, or an IPv6 /64, the usual size of one subscriber's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientAddr(Block);

/// The network of a client: /24 of IPv4, /48 of IPv6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Network(Block);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Block {
    V4(u32),
    /// The upper 64 bits.
    V6(u64),
}

impl ClientAddr {
    /// One client that stands for its whole network, for limits by network.
    pub fn of_network(self) -> Self {
        Self(self.network().0)
    }

    pub(crate) fn network(self) -> Network {
        Network(match self.0 {
            Block::V4(bits) => Block::V4(bits & 0xffff_ff00),
            Block::V6(bits) => Block::V6(bits & 0xffff_ffff_ffff_0000),
        })
    }
}

impl From<IpAddr> for ClientAddr {
    fn from(address: IpAddr) -> Self {
        // Canonical first: cutting a mapped IPv4 address to 64 bits would make all of IPv4 one client.
        Self(match address.to_canonical() {
            IpAddr::V4(address) => Block::V4(address.to_bits()),
            IpAddr::V6(address) => Block::V6((address.to_bits() >> 64) as u64),
        })
    }
}

impl fmt::Display for ClientAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Block::V4(bits) => write!(f, "{}", Ipv4Addr::from_bits(bits)),
            Block::V6(bits) => write!(f, "{}/64", Ipv6Addr::from_bits(u128::from(bits) << 64)),
        }
    }
}

/// The proxies whose `X-Forwarded-For` is trusted. None by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Parses a comma-separated list of networks (`10.0.0.0/8`) and addresses. An empty text trusts no proxy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(network).collect::<Result<_, _>>().map(Self)
    }

    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The client behind `peer`, given every `X-Forwarded-For` line of the request from first to last.
    pub fn client<'a>(
        &self,
        peer: IpAddr,
        forwarded: impl DoubleEndedIterator<Item = &'a [u8]>,
    ) -> ClientAddr {
        let mut nearest = peer.to_canonical();
        let entries = forwarded.rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
        for entry in entries {
            if !self.trusts(nearest) {
                break;
            }
            // No trusted proxy vouches for the entries left of an unreadable one.
            let Some(address) = forwarded_address(entry) else { break };
            nearest = address;
        }
        nearest.into()
    }

    /// Whether this peer is a trusted proxy.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let address = peer.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

fn network(entry: &str) -> Result<IpNet, String> {
    let network = entry
        .parse::<IpNet>()
        .or_else(|_| entry.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| format!("`{entry}` is neither an IP address nor a network such as 10.0.0.0/8"))?;
    Ok(canonical(network))
}

/// Turns a network of IPv4-mapped addresses into IPv4: peers are compared in canonical form and would never match it.
fn canonical(network: IpNet) -> IpNet {
    let mapped = match network {
        IpNet::V6(v6) => v6.addr().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(96)),
        IpNet::V4(_) => None,
    };
    mapped.and_then(|(address, prefix)| IpNet::new(address.into(), prefix).ok()).unwrap_or(network)
}

/// Parses `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:567`.
fn forwarded_address(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry.trim_ascii()).ok()?;
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let address = match bare {
        Some(inside) => inside.parse::<Ipv6Addr>().ok()?.into(),
        None => text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))?,
    };
    Some(address.to_canonical())
}

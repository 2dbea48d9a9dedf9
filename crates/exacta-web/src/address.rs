//! Which addresses are the public internet's. Everything else is refused: what is reached through it could be the user's own machine, network or cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not the public internet's; none for one that is.
#[must_use]
pub fn reserved(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => reserved_v4(address),
        IpAddr::V6(address) => reserved_v6(address),
    }
}

/// The registry of special IPv4 addresses (RFC 6890 and its followers), and an address of a cloud's own service that lies outside of it.
const V4: [([u8; 4], u32, &str); 17] = [
    ([0, 0, 0, 0], 8, "this network"),
    ([10, 0, 0, 0], 8, "a private network"),
    ([100, 64, 0, 0], 10, "a carrier's own network"),
    ([127, 0, 0, 0], 8, "this machine"),
    ([168, 63, 129, 16], 32, "a cloud's own service"),
    ([169, 254, 0, 0], 16, "the local link or a cloud's metadata"),
    ([172, 16, 0, 0], 12, "a private network"),
    ([192, 0, 0, 0], 24, "protocol assignments"),
    ([192, 0, 2, 0], 24, "documentation"),
    ([192, 88, 99, 0], 24, "a relay of 6to4"),
    ([192, 168, 0, 0], 16, "a private network"),
    ([198, 18, 0, 0], 15, "benchmarks"),
    ([198, 51, 100, 0], 24, "documentation"),
    ([203, 0, 113, 0], 24, "documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([240, 0, 0, 0], 4, "reserved"),
    ([255, 255, 255, 255], 32, "broadcast"),
];

fn reserved_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    V4.iter().find(|(start, length, _)| same_start(bits, Ipv4Addr::from(*start).to_bits(), *length)).map(|row| row.2)
}

fn same_start(a: u32, b: u32, length: u32) -> bool {
    (a ^ b).leading_zeros() >= length
}

/// What is not public within `2000::/3`, the only part of IPv6 that is given out to anybody.
const V6: [([u16; 8], u32, &str); 5] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments, Teredo among them"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4, which holds an IPv4 address"),
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16, "a network that was given back"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
];

/// What lies outside of it, for the reason alone: none of it is reached.
const V6_OUTSIDE: [([u16; 8], u32, &str); 9] = [
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "this machine"),
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "an IPv4 address in other clothes"),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, "an IPv4 address in other clothes"),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "NAT64, which holds an IPv4 address"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "NAT64, which holds an IPv4 address"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "a private network"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "the local link"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "a private network"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

fn reserved_v6(address: Ipv6Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let found = |table: &[([u16; 8], u32, &'static str)]| {
        let row = table
            .iter()
            .find(|(start, length, _)| (bits ^ Ipv6Addr::from(*start).to_bits()).leading_zeros() >= *length);
        row.map(|row| row.2)
    };
    if bits >> 125 == 1 { found(&V6) } else { Some(found(&V6_OUTSIDE).unwrap_or("given out to nobody")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_and_not() {
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "168.63.129.15",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:200::1",
            "2001:db7:ffff::1",
            "2001:db9::1",
            "2003::1",
            "2001:4860:4860::8888",
            "3ffd::1",
            "2620:fe::fe",
        ];
        let refused = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "192.168.255.255",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:93.184.216.34",
            "::ffff:0:0",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::5db8:d822",
            "64:ff9b:1::1",
            "64:ff9b:1:ffff::7f00:1",
            "100::1",
            "2001::1",
            "2001:0:53aa:64c::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:5db8:d822::1",
            "3ffe::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "feff::1",
            "ff02::1",
            "1::1",
        ];
        for address in public {
            assert_eq!(reserved(address.parse().unwrap()), None, "{address}");
        }
        for address in refused {
            assert!(reserved(address.parse().unwrap()).is_some(), "{address}");
        }
    }
}

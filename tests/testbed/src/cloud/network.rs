//! The addresses of one cloud: every address of 127.0.0.0/8 can be listened on, so a VIP is at once usable.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whoever holds this port of a network's gateway holds the network.
const CLAIM: u16 = 50_099;

/// Networks that a real cloud on this machine may use.
const FOREIGN: [u8; 4] = [20, 21, 30, 40];

/// Four networks of 254 addresses that no other cloud of this machine has while this lives.
#[derive(Debug)]
pub(super) struct Network {
    second: u8,
    third: u8,
    _claim: TcpListener,
}

/// Which of the four.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Tenant = 0,
    Spare = 64,
    Public = 128,
    Other = 192,
}

impl Network {
    /// Clouds of other processes hold theirs by a socket.
    pub(super) fn claim() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let process = usize::try_from(std::process::id()).unwrap().wrapping_mul(7919);
        for _ in 0..200 * 64 {
            let number = process.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
            let second = u8::try_from(16 + number / 64 % 180).unwrap();
            let third = u8::try_from(number % 64).unwrap();
            if FOREIGN.contains(&second) {
                continue;
            }
            if let Ok(claim) = TcpListener::bind((Ipv4Addr::new(127, second, third, 1), CLAIM)) {
                return Self { second, third, _claim: claim };
            }
        }
        panic!("every network of this machine is taken");
    }

    pub(super) fn address(&self, part: Part, last: u8) -> IpAddr {
        Ipv4Addr::new(127, self.second, self.third + part as u8, last).into()
    }

    pub(super) fn cidr(&self, part: Part) -> String {
        format!("{}/24", self.address(part, 0))
    }
}

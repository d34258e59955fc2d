//! What the crate's own tests share.

use std::io::{ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Long enough for anything on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// An address that no other test of this process has, and rarely one of another process.
pub(crate) fn address() -> IpAddr {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let process = std::process::id().to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(127, 201 + process[2] % 50, process[3], NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A port that is free on this address now.
pub(crate) fn free_port(address: IpAddr) -> u16 {
    TcpListener::bind((address, 0)).unwrap().local_addr().unwrap().port()
}

/// Whether the other side ends this connection, by closing or by breaking it; mere silence is no end.
pub(crate) fn ends(mut stream: &TcpStream) -> bool {
    stream.set_read_timeout(Some(SOON)).unwrap();
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

//! Front ports on 127.0.0.0/8, for ordinary users too.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpListener;

/// How far a port moves that this user may not bind.
const MOVED_BY: u16 = 10_000;

/// Listens on the port, or 10,000 above it where the port is below 1024 and may not be bound.
pub(super) fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    bind_by(address, port, |at| {
        let listener = std::net::TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    })
}

fn bind_by<L>(address: IpAddr, port: u16, bind: impl Fn(SocketAddr) -> io::Result<L>) -> io::Result<L> {
    match bind(SocketAddr::new(address, port)) {
        Err(refused) if refused.kind() == ErrorKind::PermissionDenied && port < 1024 => {
            bind(SocketAddr::new(address, port + MOVED_BY))
        }
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};
    use std::net::{IpAddr, Ipv4Addr};

    use super::bind_by;

    #[test]
    fn only_a_forbidden_low_port_moves() {
        let bound = |port, refusal: Option<ErrorKind>| {
            bind_by(IpAddr::V4(Ipv4Addr::LOCALHOST), port, |at| match refusal {
                Some(kind) if at.port() < 10_000 => Err(io::Error::from(kind)),
                _ => Ok(at.port()),
            })
            .map_err(|error| error.kind())
        };
        assert_eq!(bound(443, None), Ok(443));
        assert_eq!(bound(443, Some(ErrorKind::PermissionDenied)), Ok(10_443));
        assert_eq!(bound(443, Some(ErrorKind::AddrInUse)), Err(ErrorKind::AddrInUse));
        assert_eq!(bound(6443, Some(ErrorKind::PermissionDenied)), Err(ErrorKind::PermissionDenied));
    }
}

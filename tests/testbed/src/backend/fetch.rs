//! One question to a back end, or through a VIP to whichever answers.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use super::http::ask;
use crate::tls;

/// How long a silence may last.
const PATIENCE: Duration = Duration::from_secs(5);

/// GET by HTTPS, without looking at the certificate: status and body.
pub fn fetch_https(address: IpAddr, port: u16, path: &str) -> io::Result<(u16, String)> {
    let connection =
        ClientConnection::new(tls::client(), ServerName::from(address)).map_err(io::Error::other)?;
    let stream = StreamOwned::new(connection, connect(address, port)?);
    ask(stream, &address.to_string(), path)
}

/// GET by plain HTTP: status and body.
pub fn fetch_http(address: IpAddr, port: u16, path: &str) -> io::Result<(u16, String)> {
    ask(connect(address, port)?, &address.to_string(), path)
}

fn connect(address: IpAddr, port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::new(address, port), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

//! One check of one member, on a real socket, as Octavia's templates let haproxy do it.
//!
//! `octavia/common/jinja/haproxy/combined_listeners/templates/macros.j2`.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::expected::expects;
use super::watch::Check;
use crate::tls;

/// Whether the member passes.
pub(super) async fn passes(check: &Check) -> bool {
    match check.monitor.kind.as_str() {
        // TLS-HELLO is rendered as a bare TCP check (Octavia 8e7c2737b) unless the pool itself speaks TLS.
        "TCP" | "TLS-HELLO" => connects(check).await.is_ok(),
        "HTTP" => match connects(check).await {
            Ok(stream) => answers(stream, check).await,
            Err(_) => false,
        },
        "HTTPS" => match timeout(check.connect, shakes_hands(check.target)).await {
            Ok(Ok(stream)) => answers(stream, check).await,
            Ok(Err(_)) | Err(_) => false,
        },
        "UDP-CONNECT" => is_not_refused(check).await,
        // The standard library cannot send an SCTP INIT, so there too the host alone is looked at.
        "PING" | "SCTP" => is_local(check.target),
        unknown => panic!("Octavia would have refused the health monitor type {unknown:?}"),
    }
}

async fn connects(check: &Check) -> io::Result<TcpStream> {
    timeout(check.connect, TcpStream::connect(check.target)).await?
}

async fn shakes_hands(target: SocketAddr) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let stream = TcpStream::connect(target).await?;
    // An address instead of a name sends no SNI; haproxy sends none without `check-sni`.
    TlsConnector::from(tls::client()).connect(ServerName::from(target.ip()), stream).await
}

async fn answers(mut stream: impl AsyncRead + AsyncWrite + Unpin, check: &Check) -> bool {
    // HTTP/1.0 without a Host header, since Octavia's default sets no http_version.
    let request = format!("{} {} HTTP/1.0\r\n\r\n", check.monitor.http_method, check.monitor.url_path);
    let status = async {
        stream.write_all(request.as_bytes()).await?;
        stream.flush().await?;
        status_of(&mut stream).await
    };
    match timeout(check.timeout, status).await {
        Ok(Ok(Some(status))) => expects(&check.monitor.expected_codes, status),
        Ok(Ok(None) | Err(_)) | Err(_) => false,
    }
}

/// The status in the first line of an HTTP answer; none if it is not HTTP.
async fn status_of(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<u16>> {
    let mut line = Vec::new();
    let mut chunk = [0; 512];
    while !line.contains(&b'\n') {
        let read = stream.read(&mut chunk).await?;
        if read == 0 || line.len() > 4096 {
            return Ok(None);
        }
        line.extend_from_slice(&chunk[..read]);
    }
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split_ascii_whitespace();
    let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    Ok(words.next().filter(|_| is_http).and_then(|status| status.parse().ok()))
}

/// Every host of the testbed is an address of this machine, and that answers a ping.
fn is_local(target: SocketAddr) -> bool {
    UdpSocket::bind((target.ip(), 0)).is_ok()
}

/// Only an ICMP "port unreachable" shows that nobody is there: silence is a pass.
async fn is_not_refused(check: &Check) -> bool {
    let asked = async {
        let from = if check.target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let socket = tokio::net::UdpSocket::bind(from).await?;
        socket.connect(check.target).await?;
        socket.send(&[]).await?;
        socket.recv(&mut [0; 64]).await
    };
    match timeout(check.timeout, asked).await {
        Ok(Err(error)) => error.kind() != ErrorKind::ConnectionRefused,
        Ok(Ok(_)) | Err(_) => true,
    }
}

//! One connection of a back end.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::back_end::{Kind, Shared};
use crate::tls;

/// What a Go server, and so a Kubernetes API server, says to plain HTTP on its TLS port
/// (`badRequestError` in `src/net/http/server.go`).
const SPEAK_TLS: &[u8] = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// First byte of a TLS handshake record.
const HANDSHAKE: u8 = 0x16;

/// Serves one client to the end; where the client fails, that is its own affair.
pub(super) async fn serve(mut stream: TcpStream, shared: Arc<Shared>, hung: watch::Receiver<bool>) {
    let mut gate = hung.clone();
    resumed(&mut gate).await;
    match &shared.kind {
        Kind::Https(_) => {
            let mut first = [0];
            if !matches!(stream.peek(&mut first).await, Ok(1)) {
                return;
            }
            resumed(&mut gate).await;
            if first[0] != HANDSHAKE {
                // What is left unread when a connection closes would reset it, and the answer be lost.
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(SPEAK_TLS).await;
                return;
            }
            if let Ok(stream) = TlsAcceptor::from(tls::server()).accept(stream).await {
                serve_http(stream, shared, hung).await;
            }
        }
        Kind::Http(_) => serve_http(stream, shared, hung).await,
        Kind::Echo => echo(stream, &mut gate).await,
        Kind::Banner(banner) => {
            if stream.write_all(banner.as_bytes()).await.is_ok() {
                echo(stream, &mut gate).await;
            }
        }
        Kind::Hang | Kind::Closed => {}
    }
}

/// Returns as soon as the back end does not hang.
async fn resumed(hung: &mut watch::Receiver<bool>) {
    if hung.wait_for(|hung| !hung).await.is_err() {
        // The back end is being dropped, and this connection with it.
        std::future::pending::<()>().await;
    }
}

async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    shared: Arc<Shared>,
    hung: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (shared, mut hung) = (shared.clone(), hung.clone());
        async move {
            resumed(&mut hung).await;
            let status = shared.answer_to(request.uri().path());
            let body = if status == 200 { shared.name.clone() } else { String::new() };
            let mut answer = Response::new(Full::new(Bytes::from(body)));
            *answer.status_mut() = status.try_into().unwrap();
            Ok::<_, Infallible>(answer)
        }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn echo(mut stream: TcpStream, hung: &mut watch::Receiver<bool>) {
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        resumed(hung).await;
        if stream.write_all(&chunk[..read]).await.is_err() {
            return;
        }
    }
}

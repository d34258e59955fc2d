//! A request passed on to the cloud, and its whole answer.

use std::io;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING, UPGRADE};
use hyper::http::request;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::origin::Origin;
use crate::runtime::Task;

/// What the cloud said, to the last byte.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Asks the cloud, on a connection of its own: none is ever stale.
pub(super) async fn forward(to: &Origin, mut head: request::Parts, body: Bytes) -> io::Result<Answer> {
    let stream = TcpStream::connect(to.host_and_port()).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let _connection = Task::spawn(async {
        // Where the connection fails, the request fails with it, and says so.
        let _ = connection.await;
    });
    forget_the_hop(&mut head.headers);
    head.headers.insert(HOST, to.authority().try_into().map_err(io::Error::other)?);
    let answer =
        sender.send_request(Request::from_parts(head, Full::new(body))).await.map_err(io::Error::other)?;
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let mut headers = head.headers;
    let length = headers.get(CONTENT_LENGTH).cloned();
    forget_the_hop(&mut headers);
    // An answer to HEAD tells the length of a body that it does not have.
    if let (true, Some(length)) = (body.is_empty(), length) {
        headers.insert(CONTENT_LENGTH, length);
    }
    Ok(Answer { status: head.status, headers, body })
}

/// Drops what holds between two hops only, and the length, which hyper counts itself.
fn forget_the_hop(headers: &mut HeaderMap) {
    for name in [CONNECTION, TRANSFER_ENCODING, UPGRADE, CONTENT_LENGTH] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
}

//! One request on its way through the gateway.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use hyper::http::response;
use hyper::{HeaderMap, Request, Response};

use super::body::AnswerBody;
use super::fault::Effect;
use super::forward::{Answer, forward};
use super::front::At;
use super::proxy::State;
use super::rewrite::{Places, rewrite};

/// Answers a request; an error closes the connection without a byte.
pub(super) async fn handle(
    state: Arc<State>,
    at: Arc<At>,
    request: Request<Incoming>,
) -> io::Result<Response<AnswerBody>> {
    let received = Instant::now();
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let (number, effect) = state.ledger().open(&at.service, &head.method, &head.uri, &body);
    let close = |answer: Option<&Answer>| {
        let answer = answer.map(|answer| (answer.status.as_u16(), answer.body.as_ref()));
        state.ledger().close(number, answer, received.elapsed());
    };

    match &effect {
        Some(Effect::Answer { status, headers, body }) => {
            let answer = planned(*status, headers, body);
            close(Some(&answer));
            return Ok(whole(answer));
        }
        Some(Effect::DropBefore) => {
            close(None);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Some(Effect::KillBefore) => {
            close(None);
            state.kill().await;
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Some(Effect::Delay(by)) => tokio::time::sleep(*by).await,
        Some(Effect::DropAfter | Effect::Truncate | Effect::Endless | Effect::KillAfter) | None => {}
    }

    let mut answer = match forward(&at.cloud, head, body).await {
        Ok(answer) => answer,
        Err(error) => {
            close(None);
            return Err(error);
        }
    };
    close(Some(&answer));
    lead_back(&mut answer, &(&state, &*at));

    match effect {
        Some(Effect::DropAfter) => Err(io::ErrorKind::ConnectionAborted.into()),
        // Nothing has no middle.
        Some(Effect::Truncate | Effect::Endless) if answer.body.is_empty() => {
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        Some(Effect::KillAfter) => {
            state.kill().await;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        Some(Effect::Truncate) => {
            let length = answer.body.len().into();
            answer.headers.insert(CONTENT_LENGTH, length);
            Ok(with_body(answer, AnswerBody::broken))
        }
        Some(Effect::Endless) => Ok(with_body(answer, AnswerBody::endless)),
        Some(Effect::Answer { .. } | Effect::DropBefore | Effect::KillBefore | Effect::Delay(_)) | None => {
            Ok(whole(answer))
        }
    }
}

/// Makes what the cloud says of itself lead back to the gateway.
fn lead_back(answer: &mut Answer, places: &impl Places) {
    if let Some(body) = rewrite(&answer.body, places) {
        answer.body = body.into();
    }
    let location = answer.headers.get(LOCATION).and_then(|location| location.to_str().ok());
    if let Some(location) = location.and_then(|location| places.link(location)) {
        answer.headers.insert(LOCATION, location.try_into().unwrap());
    }
}

fn planned(status: u16, headers: &[(String, String)], body: &str) -> Answer {
    let mut all = HeaderMap::new();
    let content_type = if body.starts_with('<') { "text/html" } else { "application/json" };
    all.insert(CONTENT_TYPE, content_type.try_into().unwrap());
    for (name, value) in headers {
        let name: hyper::header::HeaderName = name.parse().unwrap();
        all.insert(name, value.try_into().unwrap());
    }
    Answer { status: status.try_into().unwrap(), headers: all, body: Bytes::from(body.to_owned()) }
}

fn whole(answer: Answer) -> Response<AnswerBody> {
    with_body(answer, AnswerBody::Whole)
}

fn with_body(answer: Answer, body: impl FnOnce(Bytes) -> AnswerBody) -> Response<AnswerBody> {
    let (mut head, ()): (response::Parts, ()) = Response::new(()).into_parts();
    head.status = answer.status;
    head.headers = answer.headers;
    Response::from_parts(head, body(answer.body))
}

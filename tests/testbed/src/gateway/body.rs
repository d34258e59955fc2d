//! Bodies that the gateway answers with, whole or broken.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long a body that breaks waits until it does, so that its first half is sent before.
const BEFORE_THE_BREAK: Duration = Duration::from_millis(50);

/// The body of an answer.
#[derive(Debug)]
pub(super) enum AnswerBody {
    /// All of it.
    Whole(Bytes),
    /// The first part, and then the connection breaks.
    Broken(Bytes, Pin<Box<Sleep>>),
    /// The first part, and then blanks for ever.
    Endless(Bytes),
}

impl AnswerBody {
    pub(super) fn broken(mut body: Bytes) -> Self {
        body.truncate(body.len() / 2);
        Self::Broken(body, Box::pin(sleep(BEFORE_THE_BREAK)))
    }

    /// Without its last byte, so that a JSON document stays open.
    pub(super) fn endless(mut body: Bytes) -> Self {
        body.truncate(body.len().saturating_sub(1));
        Self::Endless(body)
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self {
            Self::Whole(rest) | Self::Broken(rest, _) | Self::Endless(rest) if !rest.is_empty() => {
                Poll::Ready(Some(Ok(Frame::data(std::mem::take(rest)))))
            }
            Self::Whole(_) => Poll::Ready(None),
            Self::Broken(_, pause) => {
                ready!(pause.as_mut().poll(context));
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
            }
            Self::Endless(_) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 16 * 1024]))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(rest) if rest.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(rest) => SizeHint::with_exact(rest.len() as u64),
            Self::Broken(..) | Self::Endless(_) => SizeHint::default(),
        }
    }
}

//! Bytes both ways, until one side is through or all is silent for too long.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::time::{Instant, sleep_until};

/// Copies until both sides have ended, one has failed, or nothing has moved for the idle time.
///
/// In haproxy data in one direction keeps both sides alive (there is no `option independent-streams` in
/// Octavia's templates), so the smaller of the two idle times decides. None is no limit.
pub(super) async fn relay(client: &mut TcpStream, member: &mut TcpStream, idle: Option<Duration>) {
    let activity = Activity { since: Instant::now(), milliseconds: AtomicU64::new(0) };
    let (mut from_client, mut to_client) = client.split();
    let (mut from_member, mut to_member) = member.split();
    let both_ways = async {
        tokio::try_join!(
            copy(&mut from_client, &mut to_member, &activity),
            copy(&mut from_member, &mut to_client, &activity),
        )
    };
    tokio::select! {
        // How a session ends is the two ends' affair; either way it is over.
        _ = both_ways => {}
        () = silence(&activity, idle) => {}
    }
}

struct Activity {
    since: Instant,
    milliseconds: AtomicU64,
}

impl Activity {
    fn note(&self) {
        let milliseconds = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.milliseconds.store(milliseconds, Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.since + Duration::from_millis(self.milliseconds.load(Ordering::Relaxed))
    }
}

async fn copy(from: &mut ReadHalf<'_>, to: &mut WriteHalf<'_>, activity: &Activity) -> io::Result<()> {
    let mut chunk = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut chunk).await?;
        activity.note();
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&chunk[..read]).await?;
        activity.note();
    }
}

async fn silence(activity: &Activity, idle: Option<Duration>) {
    let Some(idle) = idle else { return std::future::pending().await };
    loop {
        let end = activity.last() + idle;
        if end <= Instant::now() {
            return;
        }
        sleep_until(end).await;
    }
}

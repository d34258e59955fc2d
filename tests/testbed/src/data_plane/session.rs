//! One client's session: from the front port to a member.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::ListenerConfig;
use super::pool::{Place, Pool};
use super::relay::relay;

/// `retries 3` in `octavia/common/jinja/haproxy/combined_listeners/templates/base.j2`.
const RETRIES: usize = 3;
/// What haproxy waits before it tries the same member again (`doc/configuration.txt`, "retries").
const TURN_AROUND: Duration = Duration::from_secs(1);

/// How a front port treats its sessions.
#[derive(Debug)]
pub(super) struct Route {
    idle: Option<Duration>,
    connect: Duration,
    allowed_cidrs: Vec<String>,
    pool: Option<Arc<Pool>>,
}

impl Route {
    pub(super) fn new(listener: &ListenerConfig, pool: Option<Arc<Pool>>) -> Self {
        let idle = [listener.timeout_client_data, listener.timeout_member_data]
            .into_iter()
            // 0 is no limit.
            .filter(|limit| !limit.is_zero())
            .min();
        let allowed_cidrs = listener.allowed_cidrs.clone();
        Self { idle, connect: listener.timeout_member_connect, allowed_cidrs, pool }
    }

    fn admits(&self, source: IpAddr) -> bool {
        self.allowed_cidrs.is_empty() || self.allowed_cidrs.iter().any(|cidr| holds(cidr, source))
    }
}

/// Whether a network holds an address.
fn holds(cidr: &str, address: IpAddr) -> bool {
    let Some((network, length)) = cidr.split_once('/') else { return false };
    let (Ok(network), Ok(length)) = (network.parse::<IpAddr>(), length.parse::<u32>()) else { return false };
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let other = u32::from(network) ^ u32::from(address);
            other.checked_shr(32_u32.saturating_sub(length)).unwrap_or(0) == 0
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let other = u128::from(network) ^ u128::from(address);
            other.checked_shr(128_u32.saturating_sub(length)).unwrap_or(0) == 0
        }
        _ => false,
    }
}

/// Serves one client. Without a pool, or with all members down, the connection is closed at once, as is that of somebody
/// who is not allowed (the amphora's security group would not even answer).
pub(super) async fn serve(mut client: TcpStream, source: SocketAddr, route: Arc<Route>) {
    let Some(pool) = route.pool.as_ref().filter(|_| route.admits(source.ip())) else { return };
    if let Some((mut member, _place)) = connect(pool, source, route.connect).await {
        let _ = (client.set_nodelay(true), member.set_nodelay(true));
        relay(&mut client, &mut member, route.idle).await;
    }
}

/// Connects to a member, and on refusal to another one (`option redispatch`).
async fn connect(pool: &Pool, source: SocketAddr, limit: Duration) -> Option<(TcpStream, Place)> {
    let mut tried = Vec::new();
    for _ in 0..=RETRIES {
        let place = match pool.choose(source, &tried) {
            Some(place) => place,
            None if tried.is_empty() => return None,
            None => {
                sleep(TURN_AROUND.min(limit)).await;
                tried.clear();
                pool.choose(source, &tried)?
            }
        };
        let connecting = TcpStream::connect(place.address);
        match timeout(limit, connecting).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())) {
            Ok(stream) => return Some((stream, place)),
            Err(_) => tried.push(place.member.clone()),
        }
    }
    None
}

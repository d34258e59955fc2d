//! Which member gets the next connection: Octavia's `lb_algorithm`, as haproxy's `balance` does it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;

/// A member that may be chosen; its weight is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Its place in the pool.
    pub(super) index: usize,
    /// Its share.
    pub(super) weight: u32,
    /// Sessions it has now.
    pub(super) sessions: usize,
}

/// Chooses; remembers whose turn it is.
#[derive(Debug)]
pub(super) struct Balance {
    algorithm: Algorithm,
    /// Smooth weighted round robin: what each member has earned and not yet had.
    earned: HashMap<usize, i64>,
}

#[derive(Debug, Clone, Copy)]
enum Algorithm {
    RoundRobin,
    LeastConnections,
    SourceIp,
    SourceIpPort,
}

impl Balance {
    pub(super) fn new(algorithm: &str) -> Self {
        let algorithm = match algorithm {
            "ROUND_ROBIN" => Algorithm::RoundRobin,
            "LEAST_CONNECTIONS" => Algorithm::LeastConnections,
            "SOURCE_IP" => Algorithm::SourceIp,
            "SOURCE_IP_PORT" => Algorithm::SourceIpPort,
            unknown => panic!("Octavia would have refused the algorithm {unknown:?}"),
        };
        Self { algorithm, earned: HashMap::new() }
    }

    /// The place of the member that gets this client's connection.
    pub(super) fn choose(&mut self, candidates: &[Candidate], client: SocketAddr) -> Option<usize> {
        match self.algorithm {
            Algorithm::RoundRobin => self.in_turn(candidates),
            Algorithm::LeastConnections => {
                let least = candidates.iter().copied().min_by(|a, b| by_load(*a, *b))?;
                let equal: Vec<_> =
                    candidates.iter().copied().filter(|one| by_load(*one, least).is_eq()).collect();
                self.in_turn(&equal)
            }
            Algorithm::SourceIp => by_hash(candidates, client.ip()),
            Algorithm::SourceIpPort => by_hash(candidates, client),
        }
    }

    fn in_turn(&mut self, candidates: &[Candidate]) -> Option<usize> {
        for candidate in candidates {
            *self.earned.entry(candidate.index).or_default() += i64::from(candidate.weight);
        }
        // The first of equals, so that members come in the order of the pool.
        let chosen =
            candidates.iter().rev().max_by_key(|candidate| self.earned.get(&candidate.index).copied())?.index;
        let all: i64 = candidates.iter().map(|candidate| i64::from(candidate.weight)).sum();
        *self.earned.entry(chosen).or_default() -= all;
        Some(chosen)
    }
}

/// Compares sessions per weight without dividing.
fn by_load(a: Candidate, b: Candidate) -> std::cmp::Ordering {
    let load = |one: Candidate, other: Candidate| one.sessions as u128 * u128::from(other.weight);
    load(a, b).cmp(&load(b, a))
}

fn by_hash(candidates: &[Candidate], source: impl Hash) -> Option<usize> {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let all: u64 = candidates.iter().map(|candidate| u64::from(candidate.weight)).sum();
    let mut point = hasher.finish().checked_rem(all)?;
    for candidate in candidates {
        match point.checked_sub(u64::from(candidate.weight)) {
            Some(rest) => point = rest,
            None => return Some(candidate.index),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Balance, Candidate};

    fn candidates(each: &[(u32, usize)]) -> Vec<Candidate> {
        each.iter()
            .enumerate()
            .map(|(index, &(weight, sessions))| Candidate { index, weight, sessions })
            .collect()
    }

    fn chosen(algorithm: &str, each: &[(u32, usize)], clients: &[&str]) -> Vec<usize> {
        let mut balance = Balance::new(algorithm);
        clients
            .iter()
            .map(|client| balance.choose(&candidates(each), client.parse().unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn round_robin_takes_turns_by_weight() {
        let clients = ["127.0.0.1:1"; 6];
        assert_eq!(chosen("ROUND_ROBIN", &[(1, 0), (1, 0), (1, 0)], &clients), [0, 1, 2, 0, 1, 2]);
        let mut twice = chosen("ROUND_ROBIN", &[(2, 0), (1, 0)], &clients);
        twice.sort_unstable();
        assert_eq!(twice, [0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn least_connections_counts_sessions_per_weight() {
        let clients = ["127.0.0.1:1"];
        assert_eq!(chosen("LEAST_CONNECTIONS", &[(1, 4), (1, 2), (1, 3)], &clients), [1]);
        assert_eq!(chosen("LEAST_CONNECTIONS", &[(10, 4), (1, 2)], &clients), [0]);
        assert_eq!(chosen("LEAST_CONNECTIONS", &[(1, 1), (1, 1)], &["127.0.0.1:1"; 4]), [0, 1, 0, 1]);
    }

    #[test]
    fn a_source_keeps_its_member() {
        let ports = ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"];
        let by_address = chosen("SOURCE_IP", &[(1, 0), (1, 0), (1, 0)], &ports);
        assert!(by_address.iter().all(|index| *index == by_address[0]));
        let many: Vec<String> = (1..60).map(|port| format!("127.0.0.1:{port}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let by_port: HashSet<_> =
            chosen("SOURCE_IP_PORT", &[(1, 0), (1, 0), (1, 0)], &many).into_iter().collect();
        assert_eq!(by_port.len(), 3, "ports spread over all members");
    }

    #[test]
    fn nobody_is_chosen_from_nobody() {
        for algorithm in ["ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"] {
            let client = "127.0.0.1:1".parse().unwrap();
            assert_eq!(Balance::new(algorithm).choose(&[], client), None, "{algorithm}");
        }
    }
}

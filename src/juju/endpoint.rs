//! Our endpoints, as `metadata.yaml` names them.

/// Provides `loadbalancer`: requests in the consumer's application databag, answers in ours.
pub const LB_CONSUMERS: &str = "lb-consumers";

/// Provides `public-address`: one load balancer for each consumer, told by each of our units.
pub const LOADBALANCER: &str = "loadbalancer";

/// Provides `http`: the control plane's load balancer for workers, told by each of our units.
pub const WEBSITE: &str = "website";

/// Our peers.
pub const REPLICAS: &str = "replicas";

/// Whether what we say on it stands in each unit's databag, not in the application's.
pub fn is_told_by_units(endpoint: &str) -> bool {
    matches!(endpoint, LOADBALANCER | WEBSITE)
}

//! The fields of each type, in their order (`octavia/api/v2/types/*.py`, bounds of `octavia/common/constants.py`).

use super::schema::{Default, Field, Is, Root};

const LISTENER_PROTOCOLS: &[&str] =
    &["TCP", "HTTPS", "HTTP", "TERMINATED_HTTPS", "UDP", "SCTP", "PROMETHEUS"];
const POOL_PROTOCOLS: &[&str] = &["TCP", "HTTP", "HTTPS", "PROXY", "PROXYV2", "UDP", "SCTP"];
const ALGORITHMS: &[&str] = &["LEAST_CONNECTIONS", "ROUND_ROBIN", "SOURCE_IP", "SOURCE_IP_PORT"];
const MONITORS: &[&str] = &["HTTP", "HTTPS", "PING", "SCTP", "TCP", "TLS-HELLO", "UDP-CONNECT"];
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT"];
const PERSISTENCE: &[&str] = &["SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE"];
const CLIENT_AUTHENTICATION: &[&str] = &["NONE", "OPTIONAL", "MANDATORY"];

const PORT: Is = Is::Whole(1, 65535);
/// Milliseconds, up to 24 days.
const TIMEOUT: Is = Is::Whole(0, 24 * 24 * 60 * 60 * 1000);
const SECONDS: Is = Is::Whole(0, i64::MAX);
const RETRIES: Is = Is::Whole(1, 10);
const WEIGHT: Is = Is::Whole(0, 256);
const LIMIT: Is = Is::Whole(-1, i64::MAX);
const NAME: Is = Is::Text(255);
const ANY: usize = usize::MAX;

const fn may(name: &'static str, is: Is) -> Field {
    Field { name, is, default: Default::Absent }
}

const fn must(name: &'static str, is: Is) -> Field {
    Field { name, is, default: Default::Mandatory }
}

const fn or(name: &'static str, is: Is, default: Default) -> Field {
    Field { name, is, default }
}

const UP: Field = or("admin_state_up", Is::Boolean, Default::True);
const TAGS: Field = may("tags", Is::Texts(255));

const ADDITIONAL_VIP: &[Field] =
    &[must("subnet_id", Is::Uuid), may("ip_address", Is::Address), may("port_id", Is::Uuid)];

const LOAD_BALANCER: &[Field] = &[
    may("name", NAME),
    may("description", NAME),
    UP,
    may("vip_address", Is::Address),
    may("vip_port_id", Is::Uuid),
    may("vip_subnet_id", Is::Uuid),
    may("vip_network_id", Is::Uuid),
    may("vip_qos_policy_id", Is::Uuid),
    may("vip_sg_ids", Is::Uuids),
    or("additional_vips", Is::Many(ADDITIONAL_VIP), Default::Empty),
    may("project_id", Is::Text(36)),
    may("tenant_id", Is::Text(36)),
    or("listeners", Is::Many(NESTED_LISTENER), Default::Empty),
    or("pools", Is::Many(NESTED_POOL), Default::Empty),
    may("provider", Is::Text(64)),
    TAGS,
    may("flavor_id", Is::Uuid),
    may("availability_zone", NAME),
];

const LOAD_BALANCER_PUT: &[Field] = &[
    may("name", NAME),
    may("description", NAME),
    may("vip_qos_policy_id", Is::Uuid),
    may("admin_state_up", Is::Boolean),
    may("vip_sg_ids", Is::Uuids),
    TAGS,
];

/// Listeners alone and nested differ in what names their parents; the rest is the same.
macro_rules! listener {
    ($($own:expr),* $(,)?) => {
        &[
            may("name", NAME),
            may("description", NAME),
            UP,
            must("protocol", Is::OneOf(LISTENER_PROTOCOLS)),
            must("protocol_port", PORT),
            or("connection_limit", LIMIT, Default::Number(-1)),
            may("default_tls_container_ref", NAME),
            may("sni_container_refs", Is::Texts(255)),
            may("default_pool_id", Is::Uuid),
            may("default_pool", Is::One(NESTED_POOL)),
            or("l7policies", Is::Many(L7_POLICY), Default::Empty),
            may("insert_headers", Is::Texted),
            $($own,)*
            may("timeout_client_data", TIMEOUT),
            may("timeout_member_connect", TIMEOUT),
            may("timeout_member_data", TIMEOUT),
            may("timeout_tcp_inspect", TIMEOUT),
            TAGS,
            may("client_ca_tls_container_ref", NAME),
            or("client_authentication", Is::OneOf(CLIENT_AUTHENTICATION), Default::Word("NONE")),
            may("client_crl_container_ref", NAME),
            may("allowed_cidrs", Is::Cidrs),
            may("tls_ciphers", Is::Text(2048)),
            may("tls_versions", Is::Texts(32)),
            may("alpn_protocols", Is::Texts(255)),
            may("hsts_max_age", Is::Whole(0, i64::MAX)),
            or("hsts_include_subdomains", Is::Boolean, Default::False),
            or("hsts_preload", Is::Boolean, Default::False),
        ]
    };
}

const LISTENER: &[Field] = listener![
    may("project_id", Is::Text(36)),
    may("tenant_id", Is::Text(36)),
    must("loadbalancer_id", Is::Uuid),
];
const NESTED_LISTENER: &[Field] = listener![];

/// What a policy is made of; none can be made here.
const L7_POLICY: &[Field] = &[
    may("name", NAME),
    may("description", NAME),
    UP,
    may("action", Is::Text(ANY)),
    may("position", Is::Whole(1, 2_147_483_647)),
    may("redirect_pool", Is::One(NESTED_POOL)),
    may("redirect_url", Is::Text(ANY)),
    may("redirect_prefix", Is::Text(ANY)),
    may("redirect_http_code", Is::Whole(301, 308)),
    TAGS,
];

const LISTENER_PUT: &[Field] = &[
    may("name", NAME),
    may("description", NAME),
    may("admin_state_up", Is::Boolean),
    may("connection_limit", LIMIT),
    may("default_tls_container_ref", NAME),
    may("sni_container_refs", Is::Texts(255)),
    may("default_pool_id", Is::Uuid),
    may("insert_headers", Is::Texted),
    may("timeout_client_data", TIMEOUT),
    may("timeout_member_connect", TIMEOUT),
    may("timeout_member_data", TIMEOUT),
    may("timeout_tcp_inspect", TIMEOUT),
    TAGS,
    may("client_ca_tls_container_ref", NAME),
    may("client_authentication", Is::OneOf(CLIENT_AUTHENTICATION)),
    may("client_crl_container_ref", NAME),
    may("allowed_cidrs", Is::Cidrs),
    may("tls_ciphers", Is::Text(2048)),
    may("tls_versions", Is::Texts(32)),
    may("alpn_protocols", Is::Texts(255)),
    may("hsts_max_age", Is::Whole(0, i64::MAX)),
    may("hsts_include_subdomains", Is::Boolean),
    may("hsts_preload", Is::Boolean),
];

macro_rules! persistence {
    ($kind:expr) => {
        &[
            $kind,
            or("cookie_name", NAME, Default::Null),
            or("persistence_timeout", Is::Whole(i64::MIN, i64::MAX), Default::Null),
            or("persistence_granularity", Is::Address, Default::Null),
        ]
    };
}

const PERSISTENCE_POST: &[Field] = persistence!(must("type", Is::OneOf(PERSISTENCE)));
const PERSISTENCE_PUT: &[Field] = persistence!(may("type", Is::OneOf(PERSISTENCE)));

macro_rules! pool {
    ($protocol:expr, $algorithm:expr, $($own:expr),* $(,)?) => {
        &[
            may("name", NAME),
            may("description", NAME),
            UP,
            $($own,)*
            $protocol,
            $algorithm,
            may("session_persistence", Is::One(PERSISTENCE_POST)),
            may("healthmonitor", Is::One(NESTED_HEALTH_MONITOR)),
            may("members", Is::Many(NESTED_MEMBER)),
            TAGS,
            may("tls_container_ref", NAME),
            may("ca_tls_container_ref", NAME),
            may("crl_container_ref", NAME),
            or("tls_enabled", Is::Boolean, Default::False),
            may("tls_ciphers", Is::Text(2048)),
            may("tls_versions", Is::Texts(32)),
            may("alpn_protocols", Is::Texts(255)),
        ]
    };
}

const POOL: &[Field] = pool![
    must("protocol", Is::OneOf(POOL_PROTOCOLS)),
    must("lb_algorithm", Is::OneOf(ALGORITHMS)),
    may("listener_id", Is::Uuid),
    may("loadbalancer_id", Is::Uuid),
    may("project_id", Is::Text(36)),
    may("tenant_id", Is::Text(36)),
];
/// Nested, a pool may be no more than a name.
const NESTED_POOL: &[Field] =
    pool![may("protocol", Is::OneOf(POOL_PROTOCOLS)), may("lb_algorithm", Is::OneOf(ALGORITHMS)),];

const POOL_PUT: &[Field] = &[
    may("name", NAME),
    may("description", NAME),
    may("admin_state_up", Is::Boolean),
    may("lb_algorithm", Is::OneOf(ALGORITHMS)),
    may("session_persistence", Is::One(PERSISTENCE_PUT)),
    TAGS,
    may("tls_container_ref", NAME),
    may("ca_tls_container_ref", NAME),
    may("crl_container_ref", NAME),
    may("tls_enabled", Is::Boolean),
    may("tls_ciphers", Is::Text(2048)),
    may("tls_versions", Is::Texts(32)),
    may("alpn_protocols", Is::Texts(255)),
];

macro_rules! member {
    ($($own:expr),* $(,)?) => {
        &[
            may("name", NAME),
            UP,
            must("address", Is::Address),
            must("protocol_port", PORT),
            or("weight", WEIGHT, Default::Number(1)),
            or("backup", Is::Boolean, Default::False),
            may("subnet_id", Is::Uuid),
            $($own,)*
            or("monitor_port", PORT, Default::Null),
            or("monitor_address", Is::Address, Default::Null),
            TAGS,
            or("request_sriov", Is::Boolean, Default::False),
        ]
    };
}

/// A batch is made of these too: so what it does not give takes its default.
pub(super) const MEMBER: &[Field] = member![may("project_id", Is::Text(36)), may("tenant_id", Is::Text(36))];
const NESTED_MEMBER: &[Field] = member![];

const MEMBER_PUT: &[Field] = &[
    may("name", NAME),
    may("admin_state_up", Is::Boolean),
    may("weight", WEIGHT),
    may("backup", Is::Boolean),
    may("monitor_port", PORT),
    may("monitor_address", Is::Address),
    TAGS,
];

macro_rules! health_monitor {
    ($($own:expr),* $(,)?) => {
        &[
            may("name", NAME),
            must("type", Is::OneOf(MONITORS)),
            must("delay", SECONDS),
            must("timeout", SECONDS),
            or("max_retries_down", RETRIES, Default::Number(3)),
            must("max_retries", RETRIES),
            may("http_method", Is::OneOf(METHODS)),
            may("url_path", Is::UrlPath),
            may("expected_codes", Is::Codes),
            UP,
            $($own,)*
            TAGS,
            may("http_version", Is::HttpVersion),
            may("domain_name", Is::Domain),
        ]
    };
}

const HEALTH_MONITOR: &[Field] = health_monitor![
    may("project_id", Is::Text(36)),
    may("tenant_id", Is::Text(36)),
    must("pool_id", Is::Uuid),
];
const NESTED_HEALTH_MONITOR: &[Field] = health_monitor![];

const HEALTH_MONITOR_PUT: &[Field] = &[
    may("name", NAME),
    may("delay", SECONDS),
    may("timeout", SECONDS),
    may("max_retries_down", RETRIES),
    may("max_retries", RETRIES),
    may("http_method", Is::OneOf(METHODS)),
    may("url_path", Is::UrlPath),
    may("expected_codes", Is::Codes),
    may("admin_state_up", Is::Boolean),
    TAGS,
    may("http_version", Is::HttpVersion),
    may("domain_name", Is::Domain),
];

const QUOTA: Is = Is::Whole(-1, 2_000_000_000);

const QUOTAS_PUT: &[Field] = &[
    may("loadbalancer", QUOTA),
    may("load_balancer", QUOTA),
    may("listener", QUOTA),
    may("member", QUOTA),
    may("pool", QUOTA),
    may("healthmonitor", QUOTA),
    may("health_monitor", QUOTA),
    may("l7policy", QUOTA),
    may("l7rule", QUOTA),
];

const fn root(
    argument: &'static str,
    name: &'static str,
    first: &'static str,
    fields: &'static [Field],
) -> Root {
    Root { argument, name, first, fields }
}

pub(super) const POST_LOAD_BALANCER: Root =
    root("load_balancer", "loadbalancer", "project_id", LOAD_BALANCER);
pub(super) const PUT_LOAD_BALANCER: Root =
    root("load_balancer", "loadbalancer", "vip_sg_ids", LOAD_BALANCER_PUT);
pub(super) const POST_LISTENER: Root = root("listener_", "listener", "loadbalancer_id", LISTENER);
pub(super) const PUT_LISTENER: Root = root("listener_", "listener", "to_dict", LISTENER_PUT);
pub(super) const POST_POOL: Root = root("pool_", "pool", "loadbalancer_id", POOL);
pub(super) const PUT_POOL: Root = root("pool_", "pool", "tls_versions", POOL_PUT);
pub(super) const POST_MEMBER: Root = root("member_", "member", "project_id", MEMBER);
pub(super) const PUT_MEMBER: Root = root("member_", "member", "backup", MEMBER_PUT);
pub(super) const POST_HEALTH_MONITOR: Root =
    root("health_monitor_", "healthmonitor", "pool_id", HEALTH_MONITOR);
pub(super) const PUT_HEALTH_MONITOR: Root =
    root("health_monitor_", "healthmonitor", "http_method", HEALTH_MONITOR_PUT);
pub(super) const PUT_QUOTAS: Root = root("quotas", "quota", "to_dict", QUOTAS_PUT);

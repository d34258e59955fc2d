//! What a token says: whose it is, what for, and where the services are.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::super::embedded::World;
use super::super::store::new_short_id;
use super::Token;

/// The body of an answer that shows a token.
pub(super) fn shown(world: &World, token: &Token) -> Value {
    let user = &token.user;
    let domain = json!({"id": "default", "name": "Default"});
    let mut body = json!({
        "methods": token.methods,
        "user": {"domain": domain, "id": user.id, "name": user.name, "password_expires_at": null},
        "audit_ids": [new_short_id()],
        "expires_at": moment(token.expires),
        "issued_at": moment(token.issued),
    });
    if !token.project.is_empty() {
        let roles: Vec<Value> =
            token.roles.iter().map(|role| json!({"id": format!("role-{role}"), "name": role})).collect();
        body["project"] = json!({"domain": domain, "id": user.project_id, "name": user.project});
        body["is_domain"] = json!(false);
        body["roles"] = json!(roles);
        body["catalog"] = catalogue(world);
    }
    if let Some(credential) = &token.credential {
        body["application_credential"] =
            json!({"id": credential.id, "name": credential.name, "restricted": true});
    }
    json!({"token": body})
}

/// Two regions and three interfaces; only the endpoints of `RegionOne` lead somewhere, and the other has no Octavia.
pub(super) fn catalogue(world: &World) -> Value {
    let service = |kind: &str, name: &str, path: &str| {
        let mut endpoints = Vec::new();
        let regions: &[&str] = if name == "octavia" { &["RegionOne"] } else { &["RegionOne", "RegionTwo"] };
        for &region in regions {
            for interface in ["internal", "admin", "public"] {
                let base = if region == "RegionOne" { world.base.as_str() } else { "http://127.0.0.1:9" };
                endpoints.push(json!({
                    "id": format!("{name}-{region}-{interface}"), "interface": interface, "region": region,
                    "region_id": region, "url": format!("{base}{path}"),
                }));
            }
        }
        json!({"type": kind, "name": name, "id": name, "endpoints": endpoints})
    };
    json!([
        service("identity", "keystone", "/identity/v3"),
        service("network", "neutron", "/network"),
        service("load-balancer", "octavia", "/load-balancer"),
    ])
}

/// `2026-12-01T05:55:55.000000Z`.
fn moment(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000000Z")
}

/// The date so many days after the first of January 1970, by counting years that begin in March: the leap day is
/// then the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::moment;

    #[test]
    fn moments_are_written_as_keystone_writes_them() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_827_696, "2000-02-29T12:34:56.000000Z"),
            (1_796_104_555, "2026-12-01T05:55:55.000000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(moment(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}

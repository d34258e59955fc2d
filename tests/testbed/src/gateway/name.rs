//! Paths by name: what a call is about, with placeholders for ids.

/// The path without what the deployment put in front of it, and with `{id}` for every id.
///
/// `/load-balancer/v2/lbaas/loadbalancers/0e5c…/status` is `loadbalancers/{id}/status`; a service's root is `/`.
pub(super) fn name(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let versioned = segments.iter().position(|segment| is_version(segment)).map_or(0, |at| at + 1);
    let mut rest = &segments[versioned..];
    if versioned > 0 && rest.first() == Some(&"lbaas") {
        rest = &rest[1..];
    }
    if rest.is_empty() {
        return "/".to_owned();
    }
    let named: Vec<&str> = rest.iter().map(|segment| if is_id(segment) { "{id}" } else { segment }).collect();
    named.join("/")
}

/// Whether a name fits a pattern; a placeholder of a pattern may have any name: `pools/{pool}/members`.
pub(super) fn fits(name: &str, pattern: &str) -> bool {
    let is_placeholder = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
    name.split('/').count() == pattern.split('/').count()
        && name
            .split('/')
            .zip(pattern.split('/'))
            .all(|(segment, wanted)| segment == wanted || (is_placeholder(segment) && is_placeholder(wanted)))
}

/// `v3`, `v2.0`
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|number| {
        number.starts_with(|first: char| first.is_ascii_digit())
            && number.chars().all(|one| one.is_ascii_digit() || one == '.')
    })
}

/// A UUID, with or without its dashes.
fn is_id(segment: &str) -> bool {
    let digits = segment.chars().filter(|one| *one != '-').count();
    let dashes = segment.len() - digits;
    digits == 32
        && (dashes == 0 || dashes == 4)
        && segment.chars().all(|one| one.is_ascii_hexdigit() || one == '-')
}

#[cfg(test)]
mod tests {
    use super::{fits, name};

    #[test]
    fn paths_have_names() {
        for (path, expected) in [
            ("/load-balancer/v2/lbaas/loadbalancers", "loadbalancers"),
            ("/v2.0/lbaas/loadbalancers/1b2c3d4e-0000-1111-2222-333344445555", "loadbalancers/{id}"),
            ("/v2/lbaas/pools/1b2c3d4e000011112222333344445555/members", "pools/{id}/members"),
            ("/v2.0/ports/1b2c3d4e-0000-1111-2222-333344445555", "ports/{id}"),
            ("/v2.0/networks/a-name", "networks/a-name"),
            ("/v3/auth/tokens", "auth/tokens"),
            ("/identity/v3/", "/"),
            ("/v3", "/"),
            ("/", "/"),
            ("/load-balancer/", "load-balancer"),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
    }

    #[test]
    fn patterns_fit_whole_names() {
        for (name, pattern, expected) in [
            ("pools/{id}/members", "pools/{id}/members", true),
            ("pools/{id}/members", "pools/{pool}/members", true),
            ("pools/{id}/members", "pools/{pool}", false),
            ("pools/{id}", "pools/{pool}/members", false),
            ("pools/odd", "pools/{pool}", false),
            ("pools", "listeners", false),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }
}

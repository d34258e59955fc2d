//! Keystone's catalogue: where the services are.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::error::Error;

/// One service of a token's catalogue (`keystone/token/_simple_cert.py` aside, `GET /v3/auth/catalog` documents it).
///
/// An administrator writes it; what is null there is as good as missing.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Service {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) endpoints: Option<Vec<Endpoint>>,
}

impl Service {
    fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().flatten()
    }

    fn is(&self, kind: Kind) -> bool {
        self.kind.as_deref().is_some_and(|name| kind.types().contains(&name))
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Endpoint {
    pub(super) interface: Option<String>,
    pub(super) region: Option<String>,
    pub(super) region_id: Option<String>,
    pub(super) url: Option<String>,
}

impl Endpoint {
    fn region(&self) -> &str {
        self.region_id.as_deref().or(self.region.as_deref()).unwrap_or_default()
    }
}

/// The services that we use: their type, the names they also go by, and the version that we speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    LoadBalancer,
    Network,
}

impl Kind {
    fn types(self) -> &'static [&'static str] {
        match self {
            Self::LoadBalancer => &["load-balancer", "octavia"],
            Self::Network => &["network", "neutron"],
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::LoadBalancer => "v2",
            Self::Network => "v2.0",
        }
    }
}

/// The public endpoint of a service in a region, with its version.
pub(super) fn endpoint(catalogue: &[Service], kind: Kind, region: Option<&str>) -> Result<String, Error> {
    let regions: BTreeSet<&str> =
        catalogue.iter().flat_map(Service::endpoints).map(Endpoint::region).collect();
    let missing = || Error::MissingRegion {
        region: region.unwrap_or_default().to_owned(),
        known: regions.iter().copied().collect::<Vec<_>>().join(", "),
    };
    let region = match region {
        Some(region) if regions.contains(region) => region,
        None if regions.len() == 1 => regions.first().copied().unwrap_or_default(),
        Some(_) | None => return Err(missing()),
    };
    let url = catalogue
        .iter()
        .filter(|service| service.is(kind))
        .flat_map(Service::endpoints)
        .filter(|endpoint| endpoint.interface.as_deref() == Some("public") && endpoint.region() == region)
        .find_map(|endpoint| endpoint.url.as_deref())
        .ok_or_else(|| Error::MissingService { service: kind.types()[0], region: region.to_owned() })?;
    Ok(versioned(url, kind.version()))
}

/// Some catalogues hold the version, most do not.
fn versioned(url: &str, version: &str) -> String {
    let url = url.trim_end_matches('/');
    let last = url.rsplit('/').next().unwrap_or_default();
    let has_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if has_version { url.to_owned() } else { format!("{url}/{version}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Vec<Service> {
        serde_json::from_value(serde_json::json!([
            {"type": null, "endpoints": null},
            {"type": "load-balancer", "endpoints": [
                {"interface": null, "region_id": "one", "url": "http://none"},
                {"interface": "public", "region_id": "one", "url": null},
                {"interface": "internal", "region_id": "one", "url": "http://inside/lb"},
                {"interface": "public", "region_id": "one", "url": "http://one/load-balancer/"},
                {"interface": "public", "region": "two", "url": "http://two:9876/v2"}]},
            {"type": "network", "endpoints": [{"interface": "public", "region_id": "one", "url": "http://one:9696"}]},
        ]))
        .unwrap()
    }

    #[test]
    fn the_public_endpoint_of_the_region_is_taken_with_its_version() {
        let catalogue = catalogue();
        let table = [
            (Kind::LoadBalancer, "one", "http://one/load-balancer/v2"),
            (Kind::LoadBalancer, "two", "http://two:9876/v2"),
            (Kind::Network, "one", "http://one:9696/v2.0"),
        ];
        for (kind, region, url) in table {
            assert_eq!(endpoint(&catalogue, kind, Some(region)).unwrap(), url);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |kind, region| endpoint(&catalogue(), kind, region).unwrap_err().to_string();
        assert_eq!(
            error(Kind::Network, Some("two")),
            "the catalogue lists no public network service in region \"two\""
        );
        assert_eq!(
            error(Kind::Network, Some("three")),
            "region \"three\" is not one of the catalogue's: one, two"
        );
        assert_eq!(error(Kind::Network, None), "region \"\" is not one of the catalogue's: one, two");
    }

    #[test]
    fn the_only_region_need_not_be_named() {
        let only: Vec<Service> =
            catalogue().into_iter().filter(|service| service.is(Kind::Network)).collect();
        assert_eq!(endpoint(&only, Kind::Network, None).unwrap(), "http://one:9696/v2.0");
    }
}

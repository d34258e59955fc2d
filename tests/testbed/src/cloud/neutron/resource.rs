//! What each resource is made of, and how a request's body is checked against it
//! (`neutron_lib/api/definitions/*.py`, `neutron_lib/api/attributes.py`, `neutron_lib/api/validators`).

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::super::answer::{Answer, Result, neutron_error};
use super::super::python;
use super::super::server::Body;
use super::super::store::{Kind, Token};
use super::super::value;

/// A collection and its attributes.
pub(super) struct Resource {
    pub(super) kind: Kind,
    pub(super) collection: &'static str,
    pub(super) singular: &'static str,
    fields: &'static [Field],
}

/// An attribute: its name, what it holds, and what may be done with it.
pub(super) struct Field {
    name: &'static str,
    is: Is,
    may: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Text,
    Boolean,
    Uuid,
    /// A UUID, or null.
    UuidOrNone,
    Mac,
    FixedIps,
    AddressOrNone,
    Any,
}

/// `c`reate, `u`pdate, `f`ilter, `r`equired at creation.
const fn field(name: &'static str, is: Is, may: &'static str) -> Field {
    Field { name, is, may }
}

const ID: Field = field("id", Is::Uuid, "f");
const NAME: Field = field("name", Is::Text, "cuf");
const DESCRIPTION: Field = field("description", Is::Text, "cuf");
const PROJECT: Field = field("project_id", Is::Text, "cf");
const TENANT: Field = field("tenant_id", Is::Text, "cf");
const UP: Field = field("admin_state_up", Is::Boolean, "cuf");
const STATUS: Field = field("status", Is::Text, "f");
const TAGS: Field = field("tags", Is::Any, "f");
const REVISION: Field = field("revision_number", Is::Any, "f");
const CREATED: Field = field("created_at", Is::Any, "");
const UPDATED: Field = field("updated_at", Is::Any, "");

pub(super) const RESOURCES: [Resource; 5] = [
    Resource {
        kind: Kind::Network,
        collection: "networks",
        singular: "network",
        fields: &[
            ID,
            NAME,
            DESCRIPTION,
            PROJECT,
            TENANT,
            UP,
            STATUS,
            TAGS,
            REVISION,
            CREATED,
            UPDATED,
            field("router:external", Is::Boolean, "cuf"),
            field("shared", Is::Boolean, "cuf"),
            field("mtu", Is::Any, "cuf"),
            field("subnets", Is::Any, ""),
            field("port_security_enabled", Is::Boolean, "cu"),
        ],
    },
    Resource {
        kind: Kind::Subnet,
        collection: "subnets",
        singular: "subnet",
        fields: &[
            ID,
            NAME,
            DESCRIPTION,
            PROJECT,
            TENANT,
            TAGS,
            REVISION,
            CREATED,
            UPDATED,
            field("network_id", Is::Uuid, "crf"),
            field("ip_version", Is::Any, "crf"),
            field("cidr", Is::Text, "cf"),
            field("gateway_ip", Is::AddressOrNone, "cuf"),
            field("enable_dhcp", Is::Boolean, "cuf"),
            field("subnetpool_id", Is::UuidOrNone, "cf"),
            field("allocation_pools", Is::Any, "cu"),
            field("dns_nameservers", Is::Any, "cu"),
            field("host_routes", Is::Any, "cu"),
        ],
    },
    Resource {
        kind: Kind::Router,
        collection: "routers",
        singular: "router",
        fields: &[ID, NAME, DESCRIPTION, PROJECT, TENANT, UP, STATUS, TAGS, REVISION, CREATED, UPDATED],
    },
    Resource {
        kind: Kind::Port,
        collection: "ports",
        singular: "port",
        fields: &[
            ID,
            NAME,
            DESCRIPTION,
            PROJECT,
            TENANT,
            UP,
            STATUS,
            // Ports take tags at creation only by an extension that is off by default, and forget them in silence.
            field("tags", Is::Any, "cf"),
            REVISION,
            CREATED,
            UPDATED,
            field("network_id", Is::Uuid, "crf"),
            field("mac_address", Is::Mac, "cuf"),
            field("fixed_ips", Is::FixedIps, "cuf"),
            field("device_id", Is::Text, "cuf"),
            field("device_owner", Is::Text, "cuf"),
            field("security_groups", Is::Any, "cuf"),
            field("allowed_address_pairs", Is::Any, "cu"),
            field("port_security_enabled", Is::Boolean, "cu"),
            field("extra_dhcp_opts", Is::Any, "cu"),
            field("binding:vnic_type", Is::Text, "cu"),
            field("qos_policy_id", Is::UuidOrNone, "cu"),
        ],
    },
    Resource {
        kind: Kind::FloatingIp,
        collection: "floatingips",
        singular: "floatingip",
        fields: &[
            ID,
            DESCRIPTION,
            PROJECT,
            TENANT,
            STATUS,
            TAGS,
            REVISION,
            CREATED,
            UPDATED,
            field("floating_network_id", Is::Uuid, "crf"),
            field("floating_ip_address", Is::AddressOrNone, "cf"),
            field("subnet_id", Is::UuidOrNone, "c"),
            field("router_id", Is::UuidOrNone, "f"),
            field("port_id", Is::UuidOrNone, "cuf"),
            field("fixed_ip_address", Is::AddressOrNone, "cuf"),
            field("qos_policy_id", Is::UuidOrNone, "cu"),
            field("port_details", Is::Any, ""),
        ],
    },
];

impl Resource {
    /// Whether a list can be filtered by this key.
    pub(super) fn is_filter(&self, key: &str) -> bool {
        matches!(key, "tags-any" | "not-tags" | "not-tags-any")
            || (self.kind == Kind::Port && key == "ip_allocation")
            || self.fields.iter().any(|field| field.name == key && field.may.contains('f'))
    }

    /// Whether a list can be sorted by this key.
    pub(super) fn is_sort_key(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field.name == key && field.is != Is::Any && field.is != Is::FixedIps)
    }

    /// What a request to create gives, checked in Neutron's order: unknown, not allowed, required, valid.
    pub(super) fn for_create(&self, token: &Token, body: &Body) -> Result<Map<String, Value>> {
        let given = self.given(body)?;
        for key in ["project_id", "tenant_id"] {
            let other = given.get(key).and_then(Value::as_str).is_some_and(|other| other != token.project);
            if other && !token.is_admin() {
                let text = "Specifying 'project_id' other than the authenticated project in request is not allowed \
                            for the current user.";
                return Err(bad_request(text));
            }
        }
        self.refuse_unknown(&given)?;
        for field in self.fields {
            if given.contains_key(field.name) && !field.may.contains('c') {
                return Err(bad_request(format!("Attribute '{}' not allowed in POST", field.name)));
            }
            if !given.contains_key(field.name) && field.may.contains('r') {
                let text =
                    format!("Failed to parse request. Required attribute '{}' not specified", field.name);
                return Err(bad_request(text));
            }
        }
        self.converted(given)
    }

    /// What a request to update gives.
    pub(super) fn for_update(&self, body: &Body) -> Result<Map<String, Value>> {
        let given = self.given(body)?;
        self.refuse_unknown(&given)?;
        for field in self.fields {
            if given.contains_key(field.name) && !field.may.contains('u') {
                return Err(bad_request(format!("Cannot update read-only attribute {}", field.name)));
            }
        }
        self.converted(given)
    }

    fn given(&self, body: &Body) -> Result<Map<String, Value>> {
        if matches!(body, Body::Garbage) {
            return Err(bad_request("Body contains invalid data"));
        }
        let given = body.json().get(self.singular).and_then(Value::as_object).cloned();
        given.ok_or_else(|| bad_request(format!("Unable to find '{}' in request body", self.singular)))
    }

    fn refuse_unknown(&self, given: &Map<String, Value>) -> Result<()> {
        let is_known = |key: &str| self.fields.iter().any(|field| field.name == key);
        let unknown: Vec<&str> = given.keys().map(String::as_str).filter(|key| !is_known(key)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(bad_request(format!("Unrecognized attribute(s) '{}'", unknown.join(", "))))
    }

    fn converted(&self, given: Map<String, Value>) -> Result<Map<String, Value>> {
        let mut converted = Map::new();
        for (name, value) in given {
            let field =
                self.fields.iter().find(|field| field.name == name).expect("unknown ones were refused");
            converted.insert(name, field.checked(&value)?);
        }
        Ok(converted)
    }
}

impl Field {
    fn checked(&self, value: &Value) -> Result<Value> {
        let refuse = |why: String| bad_request(format!("Invalid input for {}. Reason: {why}.", self.name));
        let quoted = python::text(value);
        match self.is {
            Is::Text => match value.as_str() {
                None => Err(refuse(format!("'{quoted}' is not a valid string"))),
                Some(text) if text.chars().count() > 255 => {
                    Err(refuse(format!("'{quoted}' exceeds maximum length of 255")))
                }
                Some(_) => Ok(value.clone()),
            },
            Is::Boolean => value::boolean(value).map_err(|_| {
                let text = format!("Invalid input for operation: '{quoted}' cannot be converted to boolean.");
                neutron_error(400, "InvalidInput", text)
            }),
            Is::Uuid | Is::UuidOrNone => match value {
                Value::Null if self.is == Is::UuidOrNone => Ok(Value::Null),
                _ => value::uuid(value).map_err(|_| refuse(format!("'{quoted}' is not a valid UUID"))),
            },
            Is::Mac => {
                let digits: Vec<&str> = value.as_str().unwrap_or_default().split(':').collect();
                let is_mac =
                    digits.len() == 6 && digits.iter().all(|two| u8::from_str_radix(two, 16).is_ok());
                if is_mac {
                    Ok(value.clone())
                } else {
                    Err(refuse(format!("'{quoted}' is not a valid MAC address")))
                }
            }
            Is::AddressOrNone => match value.as_str().map(str::parse::<IpAddr>) {
                None if value.is_null() => Ok(Value::Null),
                Some(Ok(_)) => Ok(value.clone()),
                _ => Err(refuse(format!("'{quoted}' is not a valid IP address"))),
            },
            Is::FixedIps => fixed_ips(value).map_err(refuse),
            Is::Any => Ok(value.clone()),
        }
    }
}

/// `neutron_lib/api/validators`, `validate_fixed_ips`.
fn fixed_ips(value: &Value) -> std::result::Result<Value, String> {
    if value.is_null() {
        return Ok(json!([]));
    }
    let Some(wishes) = value.as_array() else {
        return Err(format!("Invalid data format for fixed IP: '{}'", python::text(value)));
    };
    for wish in wishes {
        if !wish.is_object() {
            return Err(format!("Invalid data format for fixed IP: '{}'", python::text(wish)));
        }
        if let Some(address) = wish
            .get("ip_address")
            .filter(|address| address.as_str().is_none_or(|address| address.parse::<IpAddr>().is_err()))
        {
            return Err(format!("'{}' is not a valid IP address", python::text(address)));
        }
        if let Some(subnet) = wish.get("subnet_id").filter(|subnet| value::uuid(subnet).is_err()) {
            return Err(format!("'{}' is not a valid UUID", python::text(subnet)));
        }
    }
    Ok(value.clone())
}

pub(super) fn bad_request(text: impl Into<String>) -> Answer {
    neutron_error(400, "HTTPBadRequest", text)
}

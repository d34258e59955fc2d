//! Where a load balancer's VIP is (`octavia/api/v2/controllers/load_balancer.py`,
//! `octavia/network/drivers/neutron/allowed_address_pairs.py`).

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, fault, invalid};
use super::super::embedded::World;
use super::super::neutron;
use super::super::store::{Kind, Token, text};
use super::schema::Given;

/// What a request asks for, once it has been looked at.
pub(super) struct Vip {
    pub(super) network: String,
    pub(super) subnet: Option<String>,
    pub(super) address: Option<String>,
    pub(super) port: Option<String>,
}

/// `_validate_vip_request_object`.
pub(super) fn wished(world: &World, token: &Token, given: &Given) -> Result<Vip> {
    let text = |key: &str| given.get(key).and_then(Value::as_str).map(str::to_owned);
    let (port, network, subnet) = (text("vip_port_id"), text("vip_network_id"), text("vip_subnet_id"));
    let address = text("vip_address");
    match (port, network, subnet) {
        (Some(port), _, subnet) => by_port(world, token, &port, subnet, address),
        (None, Some(network), subnet) => by_network(world, token, &network, subnet, address),
        (None, None, Some(subnet)) => {
            let found = visible_subnet(world, token, &subnet)?;
            Ok(Vip {
                network: self::text(found, "network_id").to_owned(),
                subnet: Some(subnet),
                address,
                port: None,
            })
        }
        (None, None, None) => {
            Err(invalid("VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id."))
        }
    }
}

fn missing(what: &str, id: &str) -> Answer {
    fault(400, format!("{what} {id} not found."))
}

fn visible_subnet<'a>(world: &'a World, token: &Token, id: &str) -> Result<&'a Value> {
    neutron::visible(world, token, Kind::Subnet, id).ok_or_else(|| missing("Subnet", id))
}

/// `_validate_port_and_fill_or_validate_subnet`.
fn by_port(
    world: &World,
    token: &Token,
    id: &str,
    subnet: Option<String>,
    address: Option<String>,
) -> Result<Vip> {
    let port = neutron::visible(world, token, Kind::Port, id).ok_or_else(|| missing("Port", id))?;
    if !text(port, "device_id").is_empty() {
        let device = text(port, "device_id");
        return Err(invalid(format!("Port {id} is already used by device {device} ")));
    }
    let own = port["fixed_ips"].as_array().cloned().unwrap_or_default();
    let fixed = match (&subnet, &address) {
        (Some(subnet), address) => {
            visible_subnet(world, token, subnet)?;
            let fixed = own.iter().find(|ip| ip["subnet_id"] == subnet.as_str());
            if fixed.is_none() && address.is_none() {
                return Err(invalid(
                    "No VIP address found on the specified VIP port within the specified subnet.",
                ));
            }
            fixed
        }
        (None, Some(address)) => {
            let fixed = own.iter().find(|ip| ip["ip_address"] == address.as_str());
            Some(fixed.ok_or_else(|| invalid("Specified VIP address not found on the specified VIP port."))?)
        }
        (None, None) if own.len() == 1 => own.first(),
        (None, None) => {
            let text =
                "VIP port's subnet could not be determined. Please specify either a VIP subnet or address.";
            return Err(invalid(text));
        }
    };
    let of = |field: &str| fixed.and_then(|ip| ip[field].as_str()).map(str::to_owned);
    Ok(Vip {
        network: text(port, "network_id").to_owned(),
        subnet: of("subnet_id").or(subnet),
        address: of("ip_address").or(address),
        port: Some(id.to_owned()),
    })
}

/// `_validate_network_and_fill_or_validate_subnet`.
fn by_network(
    world: &World,
    token: &Token,
    id: &str,
    subnet: Option<String>,
    address: Option<String>,
) -> Result<Vip> {
    neutron::visible(world, token, Kind::Network, id).ok_or_else(|| missing("Network", id))?;
    let subnets: Vec<&Value> = world.store.with(Kind::Subnet, "network_id", id).collect();
    let subnet = match (subnet, &address) {
        (Some(subnet), _) if subnets.iter().any(|one| one["id"] == subnet.as_str()) => subnet,
        (Some(subnet), _) => return Err(missing("Subnet", &subnet)),
        (None, Some(address)) => {
            let holds = |subnet: &&&Value| neutron::lies_in(subnet, address);
            let subnet = subnets.iter().find(holds).ok_or_else(|| {
                invalid("Supplied network does not contain a subnet for VIP address specified.")
            })?;
            text(subnet, "id").to_owned()
        }
        (None, None) => {
            let first =
                subnets.first().ok_or_else(|| invalid("Supplied network does not contain a subnet."))?;
            text(first, "id").to_owned()
        }
    };
    Ok(Vip { network: id.to_owned(), subnet: Some(subnet), address, port: None })
}

impl Vip {
    /// The port: the one that was given, or one that Octavia makes and owns.
    ///
    /// It is made before the children are looked at, and where those are refused nobody takes it back (recorded).
    pub(super) fn port(self, world: &mut World, load_balancer: &str, project: &str) -> Result<Value> {
        if let Some(id) = &self.port {
            let port = world.store.get(Kind::Port, id).cloned().expect("it was looked at");
            return Ok(json!({
                "vip_port_id": id, "vip_network_id": self.network, "vip_subnet_id": self.subnet,
                "vip_address": self.address.unwrap_or_else(|| text(&port["fixed_ips"][0], "ip_address").to_owned()),
            }));
        }
        let mut fixed = json!({"subnet_id": self.subnet});
        if let Some(address) = &self.address {
            fixed["ip_address"] = json!(address);
        }
        let body = json!({
            "name": format!("octavia-lb-{load_balancer}"), "network_id": self.network, "fixed_ips": [fixed],
            "device_id": format!("lb-{load_balancer}"), "device_owner": "Octavia", "admin_state_up": false,
        });
        if !world.store.has_room(project, Kind::Port, 1) {
            return Err(in_use("Quota exceeded for resources: ['port']."));
        }
        let made = neutron::make_port(world, project, body.as_object().expect("an object"));
        let port = made.map_err(|refused| match refused.status {
            409 => in_use(text(&refused.body["NeutronError"], "message")),
            // `octavia/api/drivers/utils.py`: what the driver did not expect.
            _ => fault(500, "Provider 'amphora' reports error: BadRequestException: 400"),
        })?;
        let fixed = &port["fixed_ips"][0];
        Ok(json!({
            "vip_port_id": port["id"], "vip_network_id": self.network, "vip_subnet_id": fixed["subnet_id"],
            "vip_address": fixed["ip_address"], "_owns_port": true,
        }))
    }
}

/// Whatever conflict Neutron reports (recorded for an address in use, a full subnet and a quota).
fn in_use(why: &str) -> Answer {
    fault(409, format!("The VIP IP address is already in use: {why}"))
}

//! network-get, credential-get, goal-state.

use serde_json::{Map, Value, json};

use super::flags::Parsed;
use super::{Result, bad, refused};
use crate::juju::context::HookContext;
use crate::juju::state::State;

pub(super) fn network_get(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    const SWITCHES: [&str; 3] = ["--bind-address", "--ingress-address", "--egress-subnets"];
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output", "-r", "--relation"], &SWITCHES)?;
    let format = parsed.format()?;
    if let Some(given) = parsed.value(&["-r", "--relation"]) {
        let id = given.rsplit(':').next().and_then(|number| number.parse::<u32>().ok());
        if id.is_none_or(|id| !state.relations.contains_key(&id)) {
            return Err(bad(format!("invalid value {given:?} for option -r: relation not found")));
        }
    }
    let binding = parsed.at_most(1)?.first().filter(|binding| !binding.is_empty());
    let binding = binding.ok_or_else(|| bad("no arguments specified"))?;
    // The recorded world has one endpoint that is not valid.
    if binding == "nope" {
        return Err(refused(format!("undefined for unit charm: endpoint {binding:?} not valid")));
    }
    let address = &state.units[&context.unit].address;
    let subnet = address.rsplit_once('.').map_or(String::new(), |(start, _)| format!("{start}.0/24"));
    let mut asked = Map::new();
    for (flag, key, value) in [
        ("--bind-address", "bind-address", json!(address)),
        ("--egress-subnets", "egress-subnets", json!([format!("{address}/32")])),
        ("--ingress-address", "ingress-address", json!(address)),
    ] {
        if parsed.has(flag) {
            asked.insert(key.to_owned(), value);
        }
    }
    if asked.len() == 1 {
        return Ok(format.print(asked.values().next()));
    }
    if !asked.is_empty() {
        return Ok(format.print(Some(&Value::Object(asked))));
    }
    // The YAML form repeats some keys under the names of Go's fields.
    if format == super::format::Format::Json {
        let text = format!(
            r#"{{"bind-addresses":[{{"mac-address":"fa:16:3e:00:00:01","interface-name":"ens3","addresses":[{{"hostname":"","value":"{address}","cidr":"{subnet}"}}]}}],"egress-subnets":["{address}/32"],"ingress-addresses":["{address}"]}}"#
        );
        return Ok(text + "\n");
    }
    Ok(format!(
        "bind-addresses:\n- mac-address: fa:16:3e:00:00:01\n  interface-name: ens3\n  addresses:\n  - hostname: \"\"\n    value: {address}\n    cidr: {subnet}\n    address: {address}\n  macaddress: fa:16:3e:00:00:01\n  interfacename: ens3\negress-subnets:\n- {address}/32\ningress-addresses:\n- {address}\n"
    ))
}

pub(super) fn credential_get(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &[])?;
    let format = parsed.format()?;
    parsed.at_most(0)?;
    let application = &state.applications[context.application()];
    if !application.trust {
        return Err(refused("cannot access cloud credentials: permission denied"));
    }
    let credential = application.credential.clone().unwrap_or_default();
    if format == super::format::Format::Json {
        // Go writes the fields in the order of its struct.
        let fields =
            ["type", "name", "region", "endpoint", "credential", "cacertificates", "skip-tls-verify"];
        let pairs: Vec<String> = fields
            .iter()
            .filter_map(|field| Some((field, credential.get(field)?)))
            .map(|(field, value)| format!("{:?}:{}", field, in_order(value)))
            .collect();
        return Ok(format!("{{{}}}\n", pairs.join(",")));
    }
    Ok(yaml_credential(&credential))
}

/// `auth-type` comes before `attrs`.
fn in_order(value: &Value) -> String {
    match (value.get("auth-type"), value.get("attrs")) {
        (Some(kind), Some(attributes)) => format!("{{\"auth-type\":{kind},\"attrs\":{attributes}}}"),
        _ => value.to_string(),
    }
}

/// The YAML form has other names, since Go's struct has only JSON tags.
fn yaml_credential(credential: &Value) -> String {
    let text = |key: &str| credential.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let renamed = json!({"attributes": credential["credential"]["attrs"]});
    let attributes = super::format::Format::Yaml.print(Some(&renamed));
    let attributes: String = attributes.lines().fold(String::new(), |all, line| all + "  " + line + "\n");
    let certificates =
        super::format::Format::Yaml.print(Some(&json!({"cacertificates": credential["cacertificates"]})));
    format!(
        "type: {}\nname: {}\nregion: {}\nendpoint: {}\nidentityendpoint: \"\"\nstorageendpoint: \"\"\ncredential:\n  \
         authtype: {}\n{attributes}  redacted: []\n{certificates}skiptlsverify: false\niscontrollercloud: false\n",
        text("type"),
        text("name"),
        text("region"),
        text("endpoint"),
        credential["credential"]["auth-type"].as_str().unwrap_or_default(),
    )
}

/// The controller's view (`apiserver/facades/agent/uniter/goal-state.go`): every relation that still exists, dying ones
/// included, and every unit that is not dead, a dying one as `dying`.
pub(super) fn goal_state(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &[])?;
    parsed.at_most(0)?;
    let since = "2020-01-02 03:04:05Z";
    let goal = |unit: &String| {
        let unit = &state.units[unit];
        let status = if unit.dying { "dying" } else { &unit.status.level };
        json!({"status": status, "since": since})
    };
    let alive = |application: &str| {
        let prefix = format!("{application}/");
        let units =
            state.units.iter().filter(move |(name, unit)| name.starts_with(&prefix) && !unit.agent.removed);
        units.map(|(name, _)| name.clone()).collect::<Vec<String>>()
    };
    let application = context.application();
    let units: Map<String, Value> =
        alive(application).iter().map(|unit| (unit.clone(), goal(unit))).collect();
    let mut relations: Map<String, Value> = Map::new();
    for relation in state.relations.values() {
        let (Some(own), Some(other)) = (relation.end_of(application), relation.other_than(application))
        else {
            continue;
        };
        let goals = relations.entry(own.endpoint.clone()).or_insert_with(|| json!({}));
        goals[&other.application] = json!({"status": "joined", "since": since});
        for unit in alive(&other.application) {
            goals[&unit] = goal(&unit);
        }
    }
    Ok(parsed.format()?.print(Some(&json!({"units": units, "relations": relations}))))
}

//! relation-ids, relation-list, relation-get, relation-set.

use serde_json::Value;

use super::flags::{Parsed, unrecognised};
use super::{No, Result, bad, refused};
use crate::juju::context::HookContext;
use crate::juju::state::{Bag, State};

pub(super) fn ids(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &[])?;
    let given = parsed.at_most(1)?.first().cloned();
    let of_hook = || {
        let relation = state.relations.get(&context.hook.relation?)?;
        relation.end_of(context.application()).map(|end| end.endpoint.clone())
    };
    let endpoint = given.or_else(of_hook).ok_or_else(|| bad("no endpoint name specified"))?;
    let ids = state.visible(&context.unit, &endpoint, context.hidden_relation());
    Ok(parsed.format()?.print(Some(&ids.into())))
}

pub(super) fn list(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output", "-r", "--relation"], &["--app"])?;
    let id = relation(&parsed, state, context)?;
    parsed.at_most(0)?;
    let relation = &state.relations[&id];
    let remote =
        relation.other_than(context.application()).map(|end| end.application.clone()).unwrap_or_default();
    let format = parsed.format()?;
    if parsed.has("--app") {
        return Ok(format.print(Some(&remote.into())));
    }
    let joined = state.units.get(&context.unit).and_then(|unit| unit.agent.relations.get(&id));
    // While a member joins it counts already, while it departs no longer.
    let joining = context
        .hook
        .remote_unit
        .as_ref()
        .filter(|_| context.hook.relation == Some(id) && context.hook.name.ends_with("-relation-joined"));
    let mut members: Vec<String> =
        joined.into_iter().flat_map(|joined| joined.members.keys().cloned()).collect();
    members.extend(joining.cloned());
    members.sort();
    members.dedup();
    Ok(format.print(Some(&members.into())))
}

pub(super) fn get(state: &mut State, context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output", "-r", "--relation"], &["--app"])?;
    let format = parsed.format()?;
    let id = relation(&parsed, state, context)?;
    let (key, name) = match parsed.positional() {
        [] => (None, None),
        [key] => (Some(key.clone()), None),
        [key, name] => (Some(key.clone()), Some(name.clone())),
        // The name is looked at before the rest is.
        [_, name, rest @ ..] if name.contains('/') => return Err(unrecognised(rest)),
        [_, name, ..] => return Err(bad(format!("expected unit name, got application name {name:?}"))),
    };
    let in_relation_hook = context.hook.relation == Some(id);
    let of_hook = || {
        let unit = context.hook.remote_unit.clone().filter(|unit| !unit.is_empty());
        unit.or_else(|| context.hook.remote_application.clone()).filter(|_| in_relation_hook)
    };
    let given = name.is_some();
    let name = name.or_else(of_hook).ok_or_else(|| bad("no unit or application specified"))?;
    let as_application = parsed.has("--app") || (!given && !name.contains('/'));
    if !as_application && !name.contains('/') {
        return Err(bad(format!("expected unit name, got application name {name:?}")));
    }
    let bag = if as_application {
        application_bag(state, context, id, name.split('/').next().unwrap_or_default())?
    } else {
        unit_bag(state, context, id, &name)?
    };
    let value = match key.as_deref() {
        None | Some("-") => Some(serde_json::to_value(&bag).unwrap()),
        Some(key) => bag.get(key).cloned().map(Value::from),
    };
    Ok(format.print(value.as_ref()))
}

pub(super) fn set(
    state: &mut State,
    context: &mut HookContext,
    arguments: &[String],
    input: Option<&str>,
    stderr: &mut String,
) -> Result {
    let parsed =
        Parsed::read(arguments, &["--format", "-o", "--output", "-r", "--relation", "--file"], &["--app"])?;
    if parsed.value(&["--format"]).is_some() {
        "--format flag deprecated for command \"relation-set\"".clone_into(stderr);
    }
    let id = relation(&parsed, state, context)?;
    let mut changes = Bag::new();
    if let Some(file) = parsed.value(&["--file"]) {
        let text = match file {
            "-" => input.unwrap_or_default().to_owned(),
            path => std::fs::read_to_string(path)
                .map_err(|_| refused(format!("open {path}: no such file or directory")))?,
        };
        changes = file_pairs(&text)?;
    }
    let mut seen: Vec<&str> = Vec::new();
    for pair in parsed.positional() {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| bad(format!("expected \"key=value\", got {pair:?}")))?;
        if seen.contains(&key) {
            return Err(bad(format!("key {key:?} specified more than once")));
        }
        seen.push(key);
        changes.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    if parsed.has("--app") {
        if !context.leads(state) {
            return Err(refused("cannot write relation settings"));
        }
        context.application_writes.entry(id).or_default().extend(changes);
    } else {
        context.unit_writes.entry(id).or_default().extend(changes);
    }
    Ok(String::new())
}

/// A YAML mapping of scalars, each kept as its own text; null deletes.
fn file_pairs(text: &str) -> std::result::Result<Bag, No> {
    // Scalars keep their spelling (1.50 stays 1.50), so plain ones are read line by line and JSON as JSON.
    let value: serde_yaml::Value =
        serde_yaml::from_str(text).map_err(|error| refused(format!("yaml: {error}")))?;
    let mut bag = Bag::new();
    for (key, value) in value.as_mapping().cloned().unwrap_or_default() {
        let key = key.as_str().unwrap_or_default().to_owned();
        let kind = match &value {
            serde_yaml::Value::Sequence(_) => "!!seq",
            serde_yaml::Value::Mapping(_) => "!!map",
            _ => "",
        };
        if !kind.is_empty() {
            return Err(refused(format!(
                "yaml: unmarshal errors:\n  line 1: cannot unmarshal {kind} into string"
            )));
        }
        let value = match value {
            serde_yaml::Value::Null => String::new(),
            serde_yaml::Value::String(text) => text,
            _ => spelling(text, &key),
        };
        bag.insert(key, value);
    }
    Ok(bag)
}

/// How a number or boolean is written in a flat JSON or YAML mapping.
fn spelling(text: &str, key: &str) -> String {
    let after = text.split_once(&format!("\"{key}\"")).map_or("", |(_, after)| after);
    after
        .trim_start_matches([':', ' '])
        .chars()
        .take_while(|c| !",}\n".contains(*c))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// The relation that is meant: `-r`, else that of the hook.
fn relation(parsed: &Parsed, state: &State, context: &HookContext) -> std::result::Result<u32, No> {
    let Some(given) = parsed.value(&["-r", "--relation"]) else {
        return context.hook.relation.ok_or_else(|| bad("no relation id specified"));
    };
    let wrong = |why: &str| bad(format!("invalid value {given:?} for option -r: {why}"));
    let number = given.rsplit(':').next().unwrap_or_default();
    let id: u32 = number.parse().map_err(|_| wrong("invalid relation id"))?;
    let agent = &state.units[&context.unit].agent;
    let known =
        state.relations.contains_key(&id) && agent.relations.get(&id).is_some_and(|joined| !joined.broken);
    if known { Ok(id) } else { Err(wrong("relation not found")) }
}

/// Our own bag is open to the leader alone, another's to every unit.
fn application_bag(
    state: &State,
    context: &mut HookContext,
    id: u32,
    application: &str,
) -> std::result::Result<Bag, No> {
    let relation = &state.relations[&id];
    let is_part = relation.end_of(application).is_some();
    let is_own = application == context.application();
    // In -broken the other end's bag is closed already.
    let is_closed = context.hidden_relation() == Some(id) && !is_own;
    if relation.unreadable || is_closed || !is_part || is_own && !context.leads(state) {
        return Err(refused("permission denied"));
    }
    let mut bag =
        relation.application_bags.get(application).map(|bag| bag.content.clone()).unwrap_or_default();
    if is_own {
        merge(&mut bag, context.application_writes.get(&id));
    }
    Ok(bag)
}

/// Our own bag with pending writes, or a remote one as it was when its own hook last ran.
fn unit_bag(state: &mut State, context: &HookContext, id: u32, unit: &str) -> std::result::Result<Bag, No> {
    let relation = &state.relations[&id];
    let denied = || refused("permission denied");
    if relation.unreadable {
        return Err(denied());
    }
    let live = relation.unit_bags.get(unit).map(|bag| bag.content.clone());
    if unit == context.unit {
        let mut bag = live.unwrap_or_default();
        merge(&mut bag, context.unit_writes.get(&id));
        return Ok(bag);
    }
    let agent = &mut state.units.get_mut(&context.unit).unwrap().agent;
    if let Some(cached) = agent.cache.get(&(id, unit.to_owned())) {
        return Ok(cached.clone());
    }
    let bag = live.ok_or_else(denied)?;
    agent.cache.insert((id, unit.to_owned()), bag.clone());
    Ok(bag)
}

fn merge(bag: &mut Bag, changes: Option<&Bag>) {
    for (key, value) in changes.into_iter().flatten() {
        if value.is_empty() {
            bag.remove(key);
        } else {
            bag.insert(key.clone(), value.clone());
        }
    }
}

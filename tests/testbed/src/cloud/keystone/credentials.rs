//! Application credentials (`keystone/api/users.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, keystone_error, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::new_short_id;
use super::{Credential, Token};

pub(super) fn create(world: &mut World, token: &Token, user: &str, asked: &Asked) -> Result {
    may(token, user, "create")?;
    let given = &asked.body.json()["application_credential"];
    let Some(name) = given["name"].as_str() else {
        return Err(keystone_error(400, "Bad Request", "'name' is a required property"));
    };
    let roles: Vec<String> = match given["roles"].as_array() {
        Some(roles) => roles.iter().filter_map(|role| role["name"].as_str().map(str::to_owned)).collect(),
        None => token.roles.clone(),
    };
    let secret = given["secret"].as_str().map_or_else(new_short_id, str::to_owned);
    let id = new_short_id();
    let shown_roles: Vec<Value> =
        roles.iter().map(|role| json!({"id": format!("role-{role}"), "name": role})).collect();
    let body = json!({"application_credential": {
        "id": id, "name": name, "description": given["description"], "user_id": user, "project_id": token.project,
        "system": null, "expires_at": null, "unrestricted": null, "roles": shown_roles, "secret": secret,
    }});
    let name = name.to_owned();
    world.store.accounts.credentials.push(Credential { id, name, secret, user_id: user.to_owned(), roles });
    Ok(ok(201, body))
}

pub(super) fn delete(world: &mut World, token: &Token, user: &str, id: &str) -> Result {
    may(token, user, "delete")?;
    if !world.store.accounts.credentials.iter().any(|one| one.id == id && one.user_id == user) {
        return Err(keystone_error(
            404,
            "Not Found",
            format!("Could not find Application Credential: {id}."),
        ));
    }
    world.store.accounts.forget(id);
    Ok(empty(204))
}

/// One's own only (`keystone/common/policies/application_credential.py`).
fn may(token: &Token, user: &str, verb: &str) -> Result<()> {
    if token.user.id == user {
        return Ok(());
    }
    let text = format!(
        "You are not authorized to perform the requested action: identity:{verb}_application_credential."
    );
    Err(keystone_error(403, "Forbidden", text))
}

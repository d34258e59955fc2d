//! Keystone v3: tokens, application credentials and the catalogue (`keystone/api/auth.py`; texts recorded from
//! Keystone 30).

mod accounts;
mod catalogue;
mod credentials;
mod login;

use serde_json::json;

use super::answer::{Answer, Result, empty, keystone_error, ok, unauthorised};
use super::embedded::World;
use super::server::Asked;

pub(super) use accounts::{Accounts, Credential, Token, User, with_implied};

pub(super) fn answer(world: &mut World, asked: &Asked) -> Result {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    match (asked.method.as_str(), path.as_slice()) {
        ("GET", []) => Ok(ok(300, json!({"versions": {"values": [version(world)]}}))),
        ("GET", ["v3"]) => Ok(ok(200, json!({"version": version(world)}))),
        ("POST", ["v3", "auth", "tokens"]) => login::log_in(world, &asked.body),
        ("GET", ["v3", "auth", "tokens"]) => {
            let (id, token) = subject(world, asked, "validate")?;
            Ok(Answer { headers: vec![("X-Subject-Token", id)], ..ok(200, catalogue::shown(world, &token)) })
        }
        ("DELETE", ["v3", "auth", "tokens"]) => {
            let (id, _) = subject(world, asked, "revoke")?;
            world.store.accounts.revoke(&id);
            Ok(empty(204))
        }
        ("GET", ["v3", "auth", "catalog"]) => {
            caller(world, asked)?;
            Ok(ok(200, json!({"catalog": catalogue::catalogue(world), "links": {"self": asked.url}})))
        }
        ("POST", ["v3", "users", user, "application_credentials"]) => {
            credentials::create(world, &caller(world, asked)?, user, asked)
        }
        ("DELETE", ["v3", "users", user, "application_credentials", id]) => {
            credentials::delete(world, &caller(world, asked)?, user, id)
        }
        _ => Err(keystone_error(404, "Not Found", "The requested URL was not found on the server.")),
    }
}

/// `keystone/version/...`, as recorded.
fn version(world: &World) -> serde_json::Value {
    json!({
        "id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
        "links": [{"rel": "self", "href": format!("{}/identity/v3/", world.base)}],
        "media-types": [{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}],
    })
}

/// Who asks. A token that is valid no more is told so (recorded).
fn caller(world: &World, asked: &Asked) -> Result<Token> {
    let id = asked.token.as_deref().unwrap_or_default();
    if world.store.accounts.was_issued(id) { known_token(world, id) } else { Err(unauthorised()) }
}

/// The token that the call is about: one's own (`keystone/common/policies/token.py`).
fn subject(world: &World, asked: &Asked, verb: &str) -> Result<(String, Token)> {
    let caller = caller(world, asked)?;
    let id = asked.subject.clone().unwrap_or_default();
    let token = known_token(world, &id)?;
    if caller.is_admin() || caller.user.id == token.user.id {
        return Ok((id, token));
    }
    let text = format!("You are not authorized to perform the requested action: identity:{verb}_token.");
    Err(keystone_error(403, "Forbidden", text))
}

/// A token that was revoked is told from one that never was (recorded).
fn known_token(world: &World, id: &str) -> Result<Token> {
    if let Some(token) = world.store.accounts.token(id) {
        return Ok(token.clone());
    }
    let why = if world.store.accounts.was_issued(id) {
        "Failed to validate token"
    } else {
        "Could not recognize Fernet token"
    };
    Err(keystone_error(404, "Not Found", why))
}

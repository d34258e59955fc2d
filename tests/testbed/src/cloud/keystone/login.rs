//! `POST /v3/auth/tokens` (`keystone/auth/core.py`, `keystone/api/_shared/authentication.py`).

use std::time::SystemTime;

use serde_json::Value;

use super::super::answer::{Answer, Result, keystone_error, unauthorised};
use super::super::embedded::World;
use super::super::server::Body;
use super::super::store::new_id;
use super::{Credential, Token, User, catalogue, known_token};

/// Who somebody is, before it is asked what for.
struct Known {
    user: User,
    credential: Option<Credential>,
    /// The scope of a token that is exchanged.
    scope: Option<String>,
    methods: Vec<String>,
}

pub(super) fn log_in(world: &mut World, body: &Body) -> Result {
    let whole = match body {
        Body::Absent | Body::Garbage => return Err(missing("valid JSON", "request body")),
        Body::Json(whole) => whole,
    };
    let auth = whole.get("auth").ok_or_else(|| missing("auth", "request body"))?;
    let identity = auth.get("identity").ok_or_else(|| {
        let why = "'identity' is a required property\n\nFailed validating 'required' in schema";
        keystone_error(400, "Bad Request", why)
    })?;
    let methods = identity["methods"].as_array().cloned().unwrap_or_default();
    let method = methods.first().and_then(Value::as_str).ok_or_else(unauthorised)?;
    let given = identity.get(method).ok_or_else(|| missing(method, "identity"))?;
    let known = match method {
        "password" => by_password(world, &given["user"])?,
        "application_credential" => by_credential(world, given, auth)?,
        "token" => by_token(world, given)?,
        _ => return Err(unauthorised()),
    };
    let token = scoped(world, known, &auth["scope"])?;
    let id = format!("gAAAAAB{}", new_id().replace('-', "_"));
    let answer = super::super::answer::ok(201, catalogue::shown(world, &token));
    world.store.accounts.issue(id.clone(), token);
    Ok(Answer { headers: vec![("X-Subject-Token", id)], ..answer })
}

fn by_password(world: &World, given: &Value) -> Result<Known> {
    let user = named_user(world, given, "user")?;
    let user = user.filter(|user| given["password"] == user.password.as_str()).ok_or_else(unauthorised)?;
    Ok(Known { user, credential: None, scope: None, methods: vec!["password".to_owned()] })
}

/// By id, or by name and user; never with a scope, since a credential has one (recorded).
fn by_credential(world: &World, given: &Value, auth: &Value) -> Result<Known> {
    let credentials = &world.store.accounts.credentials;
    let credential = if let Some(id) = given["id"].as_str() {
        let credential = credentials.iter().find(|one| one.id == id);
        credential.ok_or_else(|| {
            keystone_error(404, "Not Found", format!("Could not find Application Credential: {id}."))
        })?
    } else {
        if given.get("user").is_none() {
            return Err(missing("user", "application credential"));
        }
        let user = named_user(world, &given["user"], "user")?.ok_or_else(unauthorised)?;
        let credential =
            credentials.iter().find(|one| given["name"] == one.name.as_str() && one.user_id == user.id);
        credential.ok_or_else(unauthorised)?
    };
    if given["secret"] != credential.secret.as_str() {
        return Err(unauthorised());
    }
    if auth.get("scope").is_some() {
        let mut answer = keystone_error(
            401,
            "Unauthorized",
            "Error authenticating with application credential: Application credentials cannot request a scope.",
        );
        answer.body["error"]["identity"] = serde_json::json!({});
        return Err(answer);
    }
    let user = world.store.accounts.users.iter().find(|user| user.id == credential.user_id);
    Ok(Known {
        user: user.ok_or_else(unauthorised)?.clone(),
        scope: None,
        credential: Some(credential.clone()),
        methods: vec!["application_credential".to_owned()],
    })
}

fn by_token(world: &World, given: &Value) -> Result<Known> {
    let token = known_token(world, given["id"].as_str().unwrap_or_default())?;
    let methods = std::iter::once("token".to_owned()).chain(token.methods).collect();
    let scope = Some(token.project).filter(|project| !project.is_empty());
    Ok(Known { user: token.user, credential: token.credential, scope, methods })
}

fn scoped(world: &World, known: Known, scope: &Value) -> Result<Token> {
    let Known { user, credential, scope: before, methods } = known;
    let project = match scope.as_object() {
        Some(_) => {
            let project = scope.get("project").ok_or_else(unauthorised)?;
            let is_right = if project["id"].is_string() {
                project["id"] == user.project_id.as_str()
            } else {
                is_default(&project["domain"]).ok_or_else(|| missing("domain", "project"))?
                    && project["name"] == user.project.as_str()
            };
            if !is_right {
                return Err(unauthorised());
            }
            user.project_id.clone()
        }
        None if credential.is_some() => user.project_id.clone(),
        None => before.unwrap_or_default(),
    };
    let roles = credential.as_ref().map_or(&user.roles, |credential| &credential.roles).clone();
    let roles = if project.is_empty() { Vec::new() } else { roles };
    let issued = SystemTime::now();
    let expires = issued + world.options.token_lifetime;
    Ok(Token { methods, user, project, roles, credential, issued, expires })
}

/// By id, or by name in the one domain that there is.
fn named_user(world: &World, given: &Value, what: &str) -> Result<Option<User>> {
    let users = &world.store.accounts.users;
    if let Some(id) = given["id"].as_str() {
        return Ok(users.iter().find(|user| user.id == id).cloned());
    }
    let is_default = is_default(&given["domain"]).ok_or_else(|| missing("domain", what))?;
    Ok(users.iter().find(|user| is_default && given["name"] == user.name.as_str()).cloned())
}

/// Whether this is the default domain; none if no domain is given.
fn is_default(domain: &Value) -> Option<bool> {
    domain.as_object()?;
    Some(domain["name"] == "Default" || domain["id"] == "default")
}

/// `keystone/exception.py`, `ValidationError`.
fn missing(attribute: &str, target: &str) -> Answer {
    let text = format!(
        "Expecting to find {attribute} in {target}. The server could not comply with the request since it is either \
         malformed or otherwise incorrect. The client is assumed to be in error."
    );
    keystone_error(400, "Bad Request", text)
}

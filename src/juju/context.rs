//! Why and where we run: what Juju says in the environment.

use thiserror::Error;

use crate::model::ids::{RelationId, UnitName};

/// One run of the charm, as Juju's environment describes it (`worker/uniter/runner/context/context.go`, `HookVars`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Our own unit.
    pub unit: UnitName,
    /// The model, for marks.
    pub model_uuid: String,
    /// The model's name, for people.
    pub model_name: String,
    /// A hook or an action.
    pub invocation: Invocation,
    /// The relation that a hook is about.
    pub relation: Option<RelationId>,
    /// How the model reaches the world.
    pub proxies: Proxies,
}

/// What Juju runs us for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// A hook; every hook runs the same loop, known or not.
    Hook(String),
    /// An action.
    Action(String),
}

/// The `juju-*-proxy` options of the model, which Juju hands to charms alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http://` URLs.
    pub http: Option<String>,
    /// For `https://` URLs.
    pub https: Option<String>,
    /// What is reached directly.
    pub no_proxy: Option<String>,
}

/// The environment is not one that Juju makes.
#[derive(Debug, Error)]
pub enum ContextError {
    /// A variable that Juju always sets is missing.
    #[error("failed to read the environment: Juju sets {0}, but it is missing")]
    Missing(&'static str),
    /// A variable holds something else than Juju puts there.
    #[error("failed to read {variable}: {reason}")]
    Wrong {
        /// The variable.
        variable: &'static str,
        /// Why.
        reason: String,
    },
}

impl Context {
    /// Reads the environment of this process; none outside Juju.
    pub fn from_environment() -> Result<Option<Self>, ContextError> {
        Self::read(|name| std::env::var(name).ok())
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ContextError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let Some(path) = set("JUJU_DISPATCH_PATH") else { return Ok(None) };
        let need = |name: &'static str| set(name).ok_or(ContextError::Missing(name));
        let unit = need("JUJU_UNIT_NAME")?
            .parse()
            .map_err(|reason| ContextError::Wrong { variable: "JUJU_UNIT_NAME", reason })?;
        let invocation = match path.split_once('/') {
            Some(("actions", name)) => Invocation::Action(name.to_owned()),
            Some(("hooks", name)) => Invocation::Hook(name.to_owned()),
            _ => {
                let reason = format!("expected hooks/<name> or actions/<name>, got {path:?}");
                return Err(ContextError::Wrong { variable: "JUJU_DISPATCH_PATH", reason });
            }
        };
        Ok(Some(Self {
            unit,
            model_uuid: need("JUJU_MODEL_UUID")?,
            model_name: need("JUJU_MODEL_NAME")?,
            invocation,
            relation: set("JUJU_RELATION_ID").and_then(|id| id.parse().ok()),
            proxies: Proxies {
                http: set("JUJU_CHARM_HTTP_PROXY"),
                https: set("JUJU_CHARM_HTTPS_PROXY"),
                no_proxy: set("JUJU_CHARM_NO_PROXY"),
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(changes: &[(&str, &str)]) -> Result<Option<Context>, ContextError> {
        let usual = [
            ("JUJU_DISPATCH_PATH", "hooks/config-changed"),
            ("JUJU_UNIT_NAME", "lb/0"),
            ("JUJU_MODEL_UUID", "uuid"),
            ("JUJU_MODEL_NAME", "k8s"),
            ("JUJU_CHARM_HTTPS_PROXY", ""),
        ];
        Context::read(|name| {
            let of = |list: &[(&str, &str)]| {
                list.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
            };
            of(changes).or_else(|| of(&usual))
        })
    }

    #[test]
    fn hooks_and_actions_are_told_apart() {
        let invocation = |path| read(&[("JUJU_DISPATCH_PATH", path)]).unwrap().unwrap().invocation;
        assert_eq!(invocation("hooks/install"), Invocation::Hook("install".to_owned()));
        assert_eq!(invocation("actions/resync-monitors"), Invocation::Action("resync-monitors".to_owned()));
        assert!(read(&[("JUJU_DISPATCH_PATH", "install")]).is_err());
    }

    #[test]
    fn without_a_dispatch_path_this_is_not_juju() {
        assert_eq!(read(&[("JUJU_DISPATCH_PATH", "")]).unwrap(), None);
    }

    #[test]
    fn an_empty_proxy_is_none_and_a_missing_unit_is_named() {
        let context = read(&[("JUJU_CHARM_HTTP_PROXY", "http://p:3128")]).unwrap().unwrap();
        assert_eq!(context.proxies.http.as_deref(), Some("http://p:3128"));
        assert_eq!(context.proxies.https, None);
        assert!(read(&[("JUJU_UNIT_NAME", "")]).unwrap_err().to_string().contains("JUJU_UNIT_NAME"));
        assert!(read(&[("JUJU_UNIT_NAME", "lb")]).unwrap_err().to_string().contains("\"lb\""));
    }
}

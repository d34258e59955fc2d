//! The environment of a hook: this and nothing else, so no HOME and no USER
//! (`worker/uniter/runner/context/context.go` `HookVars`, `env.go`).

use std::path::Path;

use super::hook::{Hook, RelationEvent};
use super::model::ModelOptions;
use super::session::Run;
use super::state::State;

/// Where things are.
pub(crate) struct Places<'a> {
    pub(crate) charm: &'a Path,
    pub(crate) tools: &'a Path,
    pub(crate) socket: &'a Path,
}

/// All variables of one run.
pub(crate) fn variables(
    options: &ModelOptions,
    state: &State,
    run: &Run,
    places: &Places<'_>,
) -> Vec<(&'static str, String)> {
    let charm = places.charm.display().to_string();
    let hook = run.hook.as_ref();
    let path =
        format!("{}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", places.tools.display());
    let mut list = vec![
        ("CHARM_DIR", charm.clone()),
        ("JUJU_CHARM_DIR", charm),
        ("JUJU_CONTEXT_ID", run.context.clone()),
        ("JUJU_HOOK_NAME", hook.map(Hook::name).unwrap_or_default()),
        ("JUJU_AGENT_SOCKET_ADDRESS", places.socket.display().to_string()),
        ("JUJU_AGENT_SOCKET_NETWORK", "unix".to_owned()),
        ("JUJU_UNIT_NAME", run.unit.clone()),
        ("JUJU_MODEL_UUID", options.uuid.clone()),
        ("JUJU_MODEL_NAME", options.name.clone()),
        ("JUJU_API_ADDRESSES", "10.0.0.2:17070".to_owned()),
        ("JUJU_SLA", "unsupported".to_owned()),
        ("JUJU_MACHINE_ID", state.unit(&run.unit).machine.to_string()),
        ("JUJU_PRINCIPAL_UNIT", String::new()),
        ("JUJU_AVAILABILITY_ZONE", "nova".to_owned()),
        ("JUJU_VERSION", "3.6.0".to_owned()),
        ("CLOUD_API_VERSION", String::new()),
        ("JUJU_CHARM_HTTP_PROXY", String::new()),
        ("JUJU_CHARM_HTTPS_PROXY", String::new()),
        ("JUJU_CHARM_FTP_PROXY", String::new()),
        ("JUJU_CHARM_NO_PROXY", String::new()),
        ("JUJU_METER_STATUS", "AMBER".to_owned()),
        ("JUJU_METER_INFO", "not set".to_owned()),
        ("JUJU_DISPATCH_PATH", run.path.clone()),
        ("PATH", path),
        ("LANG", "C.UTF-8".to_owned()),
        ("DEBIAN_FRONTEND", "noninteractive".to_owned()),
        ("APT_LISTCHANGES_FRONTEND", "none".to_owned()),
        ("TERM", "tmux-256color".to_owned()),
    ];
    if let Some(relation) = hook.and_then(Hook::relation) {
        list.extend([
            ("JUJU_RELATION", relation.endpoint.clone()),
            ("JUJU_RELATION_ID", format!("{}:{}", relation.endpoint, relation.relation)),
            ("JUJU_REMOTE_APP", relation.application.clone()),
            ("JUJU_REMOTE_UNIT", relation.unit.clone().unwrap_or_default()),
        ]);
        if relation.event == RelationEvent::Departed {
            list.push(("JUJU_DEPARTING_UNIT", relation.departing.clone().unwrap_or_default()));
        }
    }
    if let Some(action) = &run.action {
        list.extend([
            ("JUJU_ACTION_NAME", action.name.clone()),
            ("JUJU_ACTION_UUID", action.id.to_string()),
            ("JUJU_ACTION_TAG", format!("action-{}", action.id)),
        ]);
    }
    list
}

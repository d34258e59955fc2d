//! A fake charm: shell scripts, one for each hook.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use testbed::juju::{Deploy, Model, ModelOptions};

const DISPATCH: &str = r#"#!/bin/sh
cd "$CHARM_DIR/scripts" || exit 9
name=${JUJU_DISPATCH_PATH##*/}
[ ! -f every ] || . ./every || exit $?
[ ! -f "$name" ] || . "./$name"
"#;

const METADATA: &str = "
name: fake
provides:
  lb-consumers: {interface: loadbalancer}
requires:
  web: {interface: http}
peers:
  cluster: {interface: fake-peer}
";

const CONFIG: &str = r#"
options:
  port: {type: int, default: 8080}
  name: {type: string, default: x}
  empty: {type: string, default: ""}
  unset: {type: string}
  flag: {type: boolean, default: true}
  ratio: {type: float, default: 1.5}
  big: {type: int, default: 3600000000}
  multi: {type: string, default: "a\nb"}
"#;

const ACTIONS: &str = "
probe:
  params:
    force: {type: boolean}
    n: {type: integer}
    o: {type: object}
  required: [force]
  additionalProperties: false
greet:
  params:
    greeting: {type: string, default: hello}
    loud: {type: boolean}
";

/// A charm in a temporary folder.
pub(crate) struct FakeCharm(tempfile::TempDir);

impl FakeCharm {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::write(path.join("metadata.yaml"), METADATA).unwrap();
        fs::write(path.join("config.yaml"), CONFIG).unwrap();
        fs::write(path.join("actions.yaml"), ACTIONS).unwrap();
        fs::write(path.join("dispatch"), DISPATCH).unwrap();
        fs::set_permissions(path.join("dispatch"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(path.join("scripts")).unwrap();
        Self(directory)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// What a hook or action does from now on; `every` runs before each.
    pub(crate) fn script(&self, name: &str, script: &str) -> &Self {
        fs::write(self.path().join("scripts").join(name), script).unwrap();
        self
    }

    /// What scripts wrote to a file of this name.
    pub(crate) fn output(&self, name: &str) -> String {
        fs::read_to_string(self.path().join("scripts").join(name)).unwrap_or_default()
    }

    /// Its lines.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        self.output(name).lines().map(str::to_owned).collect()
    }

    /// A model with the charm deployed as `lb` and settled.
    pub(crate) fn deployed(&self, units: u32) -> Model {
        self.deployed_with(1, units)
    }

    /// The same with another order of things.
    pub(crate) fn deployed_with(&self, seed: u64, units: u32) -> Model {
        let mut model = Model::new(ModelOptions { seed, ..ModelOptions::default() });
        model.deploy("lb", Deploy { charm_dir: self.path(), units, ..Deploy::default() });
        model.settle();
        model
    }

    /// The same, related to `web` with one unit; the relation's number.
    pub(crate) fn related(&self, units: u32) -> (Model, u32) {
        let mut model = self.deployed(units);
        model.add_remote("web", &[("0", "10.5.5.15")]);
        let relation = model.integrate("lb:lb-consumers", "web:lb");
        model.settle();
        (model, relation)
    }
}

/// A databag.
pub(crate) fn bag<const N: usize>(members: [(&str, &str); N]) -> testbed::juju::Bag {
    members.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

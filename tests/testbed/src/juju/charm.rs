//! What Juju reads from a charm's folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// A charm: its folder and the YAML files in it.
#[derive(Debug, Clone)]
pub(crate) struct Charm {
    pub(crate) directory: PathBuf,
    pub(crate) metadata: Metadata,
    pub(crate) options: BTreeMap<String, ConfigOption>,
    pub(crate) actions: BTreeMap<String, Action>,
}

/// `metadata.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) provides: BTreeMap<String, Json>,
    #[serde(default)]
    pub(crate) requires: BTreeMap<String, Json>,
    #[serde(default)]
    pub(crate) peers: BTreeMap<String, Json>,
    #[serde(default)]
    pub(crate) extra_bindings: BTreeMap<String, Json>,
}

/// One option of `config.yaml`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ConfigOption {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default: Json,
}

/// One action of `actions.yaml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Action {
    #[serde(default)]
    pub(crate) params: BTreeMap<String, Json>,
    #[serde(default)]
    pub(crate) required: Vec<String>,
    #[serde(default)]
    pub(crate) additional_properties: Option<bool>,
}

#[derive(Default, Deserialize)]
struct ConfigFile {
    #[serde(default)]
    options: BTreeMap<String, ConfigOption>,
}

impl Charm {
    /// Reads the charm; without metadata Juju says that it is missing from disk.
    pub(crate) fn read(directory: &Path) -> Self {
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let metadata = read(&directory.join("metadata.yaml"))
            .unwrap_or_else(|| panic!("charm missing from disk: {}", directory.display()));
        let config: ConfigFile = read(&directory.join("config.yaml")).unwrap_or_default();
        let actions = read(&directory.join("actions.yaml")).unwrap_or_default();
        Self { directory, metadata, options: config.options, actions }
    }

    /// Whether the charm declares this endpoint.
    pub(crate) fn has_endpoint(&self, name: &str) -> bool {
        let Metadata { provides, requires, peers, .. } = &self.metadata;
        [provides, requires, peers].into_iter().any(|endpoints| endpoints.contains_key(name))
    }

    /// Whether `network-get` knows this binding.
    pub(crate) fn has_binding(&self, name: &str) -> bool {
        name == "juju-info" || self.has_endpoint(name) || self.metadata.extra_bindings.contains_key(name)
    }

    /// All options with their defaults; null where there is none.
    pub(crate) fn defaults(&self) -> BTreeMap<String, Json> {
        self.options.iter().map(|(name, option)| (name.clone(), option.default.clone())).collect()
    }

    /// The value of an option as `juju config name=text` sets it.
    pub(crate) fn parse(&self, name: &str, text: &str) -> Json {
        let option = self.options.get(name).unwrap_or_else(|| panic!("unknown option {name:?}"));
        let wrong = || -> ! { panic!("option {name:?} expected {}, got {text:?}", option.kind) };
        match option.kind.as_str() {
            "int" => text.parse::<i64>().map_or_else(|_| wrong(), Json::from),
            "float" => text.parse::<f64>().map_or_else(|_| wrong(), Json::from),
            "boolean" => text.parse::<bool>().map_or_else(|_| wrong(), Json::from),
            _ => Json::from(text),
        }
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    let text = fs::read_to_string(file).ok()?;
    Some(
        serde_yaml::from_str(&text)
            .unwrap_or_else(|error| panic!("failed to read {}: {error}", file.display())),
    )
}

//! A charm folder: what `config.yaml` says of options.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// A charm on disk.
#[derive(Debug, Clone)]
pub(crate) struct Charm {
    pub(crate) directory: PathBuf,
    options: BTreeMap<String, Specification>,
    pub(crate) actions: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct Specification {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default: Option<Value>,
}

impl Charm {
    pub(crate) fn read(directory: &Path) -> Self {
        #[derive(Deserialize, Default)]
        struct Config {
            options: BTreeMap<String, Specification>,
        }
        assert!(directory.join("metadata.yaml").exists(), "charm missing from disk: {}", directory.display());
        let text = |name: &str| std::fs::read_to_string(directory.join(name)).ok();
        let config: Config =
            text("config.yaml").map_or_else(Config::default, |text| serde_yaml::from_str(&text).unwrap());
        let actions =
            text("actions.yaml").map_or_else(BTreeMap::new, |text| serde_yaml::from_str(&text).unwrap());
        Self { directory: directory.to_owned(), options: config.options, actions }
    }

    /// A value as the command line gives it, as the option's type.
    pub(crate) fn value(&self, name: &str, text: &str) -> Value {
        let option = self.options.get(name).unwrap_or_else(|| panic!("unknown option {name:?}"));
        let parsed = match option.kind.as_str() {
            "int" => text.parse::<i64>().ok().map(Value::from),
            "boolean" => text.parse::<bool>().ok().map(Value::from),
            "float" => text.parse::<f64>().ok().map(Value::from),
            _ => Some(Value::from(text)),
        };
        parsed.unwrap_or_else(|| panic!("option {name:?} expected {}, got {text:?}", option.kind))
    }

    /// Options that are set or have a default; with `all`, also the others as null.
    pub(crate) fn effective(&self, set: &BTreeMap<String, Value>, all: bool) -> BTreeMap<String, Value> {
        let value = |name: &String, option: &Specification| {
            set.get(name).or(option.default.as_ref()).cloned().unwrap_or(Value::Null)
        };
        let options = self.options.iter().map(|(name, option)| (name.clone(), value(name, option)));
        options.filter(|(_, value)| all || !value.is_null()).collect()
    }
}

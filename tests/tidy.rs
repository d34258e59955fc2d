//! The house's rules, held by reading the sources: who may use whom, and what stands in one place only.
#![expect(clippy::unwrap_used, reason = "a rule that cannot be checked stops the test at once")]

use std::path::{Path, PathBuf};

/// A file of the project: its path from the root, and its text.
type Source = (String, String);

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str, extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                let name = path.strip_prefix(project()).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "nothing to check in {folder}");
    found
}

/// Code alone: no comments, and nothing after the file's own tests begin.
fn code(text: &str) -> String {
    let own = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = own.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Whom each room may use; a room may always use itself.
const ROOMS: [(&str, &[&str]); 15] = [
    ("model", &[]),
    ("config", &["model"]),
    ("interface", &["model"]),
    ("report", &["model"]),
    ("juju", &["model"]),
    ("openstack", &["model"]),
    // The pure files of the provider, and those that speak to the cloud.
    ("octavia", &["model"]),
    ("octavia/observe", &["model", "octavia", "openstack"]),
    ("octavia/apply", &["model", "octavia", "openstack"]),
    ("octavia/wire", &["model", "octavia", "openstack"]),
    ("error", &["model", "octavia", "openstack"]),
    ("reconcile", &["model", "config", "interface", "report", "juju", "openstack", "octavia", "error"]),
    ("actions", &["model", "juju", "reconcile"]),
    ("dispatch", &["juju", "actions", "reconcile"]),
    ("cli", &[]),
];

fn room_of(path: &str) -> Option<(&'static str, &'static [&'static str])> {
    let inside = path.strip_prefix("src/")?.trim_end_matches(".rs");
    let fits = |room: &str| inside == room || inside.starts_with(&format!("{room}/"));
    let rooms = ROOMS.iter().filter(|(room, _)| fits(room));
    rooms.max_by_key(|(room, _)| room.len()).copied()
}

fn strangers(files: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        let Some((room, friends)) = room_of(path) else { continue };
        let own = room.split('/').next().unwrap_or_default();
        for used in code(text).split("crate::").skip(1) {
            // `use crate::{a, b}` names several.
            let list = used.strip_prefix('{').map_or(used, |list| list.split('}').next().unwrap_or_default());
            let names: Vec<&str> = if used.starts_with('{') { list.split(',').collect() } else { vec![list] };
            for name in names {
                let name: String =
                    name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !name.is_empty() && name != own && !friends.contains(&name.as_str()) {
                    found.push(format!("{path} uses {name}"));
                }
            }
        }
    }
    found
}

#[test]
fn nobody_uses_whom_they_must_not_know() {
    assert_eq!(strangers(&sources("src", "rs")), Vec::<String>::new());
    let planted = |path: &str, text: &str| strangers(&[(path.to_owned(), text.to_owned())]);
    assert_eq!(planted("src/model/port.rs", "use crate::juju::tools;"), ["src/model/port.rs uses juju"]);
    assert_eq!(
        planted("src/octavia/plan/mod.rs", "use crate::openstack::Error;"),
        ["src/octavia/plan/mod.rs uses openstack"]
    );
    assert_eq!(
        planted("src/config/policy.rs", "use crate::{model, report};"),
        ["src/config/policy.rs uses report"]
    );
    assert_eq!(planted("src/octavia/apply.rs", "use crate::openstack::Error;"), Vec::<String>::new());
}

/// Words that stand in one place only.
const ONE_PLACE: [(&str, &[&str]); 4] = [
    ("\"JUJU_", &["src/juju/context.rs"]),
    ("std::env::var", &["src/juju/context.rs"]),
    ("Command::new", &["src/juju/tools.rs"]),
    ("reqwest::", &["src/openstack/"]),
];

fn strays(files: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        for (word, places) in ONE_PLACE {
            if code(text).contains(word) && !places.iter().any(|place| path.starts_with(place)) {
                found.push(format!("{path} has {word}"));
            }
        }
    }
    found
}

#[test]
fn environment_processes_and_http_have_one_place_each() {
    assert_eq!(strays(&sources("src", "rs")), Vec::<String>::new());
    for (word, _) in ONE_PLACE {
        assert_eq!(
            strays(&[("src/report/status.rs".to_owned(), format!("let x = {word};"))]).len(),
            1,
            "{word}"
        );
    }
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let too_long = |files: &[Source]| -> Vec<String> {
        files.iter().filter(|(_, text)| text.lines().count() > 500).map(|(path, _)| path.clone()).collect()
    };
    let files: Vec<Source> = [sources("src", "rs"), sources("tests", "rs")].concat();
    assert_eq!(too_long(&files), Vec::<String>::new());
    assert_eq!(too_long(&[("x.rs".to_owned(), "\n".repeat(501))]), ["x.rs"]);
}

/// Crates that must not come in, and why.
const BANNED: [(&str, &str); 8] = [
    ("openssl-sys", "TLS is rustls; a system library would tie the binary to one Ubuntu"),
    ("native-tls", "TLS is rustls"),
    ("serde_yml", "unsound and unmaintained, RUSTSEC-2025-0068"),
    ("unsafe-libyaml", "archived with serde_yaml"),
    ("backoff", "unmaintained, RUSTSEC-2025-0012"),
    ("async-std", "tokio is the one runtime"),
    ("openstack_sdk", "twice the crates, and a web browser's opener in a hook that runs as root"),
    ("juju", "a library of 2018 that reads hook tools' prose"),
];

fn banned(lock: &str) -> Vec<String> {
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    names.filter(|name| BANNED.iter().any(|(banned, _)| banned == name)).map(str::to_owned).collect()
}

#[test]
fn banned_crates_stay_out() {
    let lock = std::fs::read_to_string(project().join("Cargo.lock")).unwrap();
    assert_eq!(banned(&lock), Vec::<String>::new());
    for (name, _) in BANNED {
        assert_eq!(banned(&format!("[[package]]\nname = \"{name}\"\n")), [name]);
    }
}

#[test]
fn every_dependency_says_why_it_is_there() {
    let manifest = std::fs::read_to_string(project().join("Cargo.toml")).unwrap();
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]") && !line.is_empty() && !line.contains("workspace = true")
        {
            assert!(line.contains(" # "), "{line}");
        }
    }
}

#[test]
fn the_testbed_does_not_know_the_charm() {
    let manifest = std::fs::read_to_string(project().join("tests/testbed/Cargo.toml")).unwrap();
    assert!(manifest.contains("[dependencies]") && !manifest.contains("octavia-integrator"));
    for (path, text) in sources("tests/testbed/src", "rs") {
        assert!(!text.contains("octavia_integrator"), "{path} knows the charm's crate");
    }
}

#[test]
fn module_files_only_wire() {
    for (path, text) in sources("src", "rs") {
        if path.ends_with("/mod.rs")
            && !["src/octavia/plan/mod.rs", "src/actions/mod.rs"].contains(&path.as_str())
        {
            let is_item = |line: &&str| line.starts_with("pub fn ") || line.starts_with("impl ");
            assert_eq!(code(&text).lines().find(is_item), None, "{path}");
        }
    }
}

#[test]
fn lints_are_expected_with_a_reason_and_nothing_is_skipped() {
    let allow = concat!("#[", "allow(");
    let ignored = concat!("#[", "ignore");
    for (path, text) in [sources("src", "rs"), sources("tests", "rs")].concat() {
        for word in [allow, ignored, concat!("todo", "!("), concat!("unimplemented", "!(")] {
            assert!(!text.contains(word), "{path} has {word}");
        }
    }
}

#[test]
fn no_path_of_a_machine_stands_in_the_project() {
    let folders = [("src", "rs"), ("tests", "rs"), ("charm", ""), (".ci", "")];
    for (folder, extension) in folders {
        if !project().join(folder).exists() {
            continue;
        }
        for (path, text) in everything(folder, extension) {
            for start in [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")] {
                assert!(!text.contains(start), "{path} has a path that starts with {start}");
            }
        }
    }
}

fn everything(folder: &str, extension: &str) -> Vec<Source> {
    if !extension.is_empty() {
        return sources(folder, extension);
    }
    let entries = std::fs::read_dir(project().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    files
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap_or_default()))
        .collect()
}

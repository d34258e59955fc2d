//! The charm from its packed file alone; listed only when a file is given by `OCTAVIA_INTEGRATOR_CHARM`.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;

use crate::world::{Setup, UNIT, World};

pub(crate) fn trials() -> Vec<Trial> {
    let Some(file) = std::env::var_os("OCTAVIA_INTEGRATOR_CHARM").map(PathBuf::from) else {
        return Vec::new();
    };
    vec![Trial::test("packed::the_packed_charm_serves_and_cleans_up", move || {
        serves_and_cleans_up(&file);
        Ok(())
    })]
}

fn serves_and_cleans_up(file: &Path) {
    let folder = tempfile::tempdir().unwrap();
    // Python's own zip reader restores no modes, Juju's does: so does this.
    let unpack = "import os, sys, zipfile\n\
                  archive = zipfile.ZipFile(sys.argv[1])\n\
                  for entry in archive.infolist():\n    \
                      path = archive.extract(entry, sys.argv[2])\n    \
                      os.chmod(path, entry.external_attr >> 16)\n";
    let unpacked =
        Command::new("python3").arg("-c").arg(unpack).arg(file).arg(folder.path()).status().unwrap();
    assert!(unpacked.success());
    assert!(folder.path().join("manifest.yaml").exists());
    let charm = Some(folder.path().to_owned());
    let (mut world, outer, inner) = World::serving_with(&Setup { charm, ..Setup::default() });
    world.until("active: 2 load balancers, 6/6 members online");
    assert!(
        world.answer(outer, "api-server-external").is_some()
            && world.answer(inner, "api-server-internal").is_some()
    );
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    world.model.settle();
    world.update_status(UNIT);
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

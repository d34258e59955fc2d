//! Our real databags for the real library: written to `target/interop`, where `tests/interop/run` feeds them to it.

use std::path::Path;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::trials;
use crate::world::{CONTROL_PLANE, US, World, external, internal, with};

trials![our_answers_are_written_down_for_the_real_library];

fn our_answers_are_written_down_for_the_real_library() {
    let mut world = World::usual();
    let bad = with(external(), &json!({"protocol": "sctp"}));
    let cases = [
        ("external", "loadbalancer-external", "api-server-external", external()),
        ("internal", "loadbalancer-internal", "api-server-internal", internal()),
        ("unsupported", "loadbalancer-external", "api-server-external", bad),
    ];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("interop");
    std::fs::create_dir_all(&folder).unwrap();
    for (case, endpoint, name, request) in cases {
        let relation = world.relate(CONTROL_PLANE, endpoint, &[(name, request)]);
        world.model.settle();
        let address = world.answer(relation, name).map(|address| address.to_string());
        assert_eq!(address.is_none(), case == "unsupported");
        let text: Value = json!({
            "endpoint": endpoint,
            "name": name,
            "request": world.model.application_bag(relation, CONTROL_PLANE),
            "answer": world.model.application_bag(relation, US),
            "address": address,
        });
        std::fs::write(folder.join(format!("{case}.json")), format!("{text:#}\n")).unwrap();
    }
    world.end();
}

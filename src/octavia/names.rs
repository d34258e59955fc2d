//! What our objects are called in the cloud: for people; we find things by their marks.

use std::sync::LazyLock;

use tera::{Context, Tera};

use crate::model::port::Port;

/// Octavia's names end here (`octavia/api/v2/types/load_balancer.py`).
const LONGEST: usize = 255;

const TEMPLATE: &str = "{{ app }}-{{ model }}-{{ consumer }}-{{ request }}";

static TEMPLATES: LazyLock<Tera> = LazyLock::new(|| {
    let mut templates = Tera::default();
    let _ = templates.add_raw_template("load balancer", TEMPLATE);
    templates
});

/// The name of a load balancer and of its VIP port.
pub fn load_balancer(application: &str, model: &str, consumer: &str, request: &str) -> String {
    let mut context = Context::new();
    for (key, value) in [("app", application), ("model", model), ("consumer", consumer), ("request", request)]
    {
        context.insert(key, &plain(value));
    }
    let rendered = TEMPLATES.render("load balancer", &context);
    let mut name = rendered.unwrap_or_else(|_| plain(&format!("{application}-{model}-{consumer}-{request}")));
    name.truncate(LONGEST);
    name
}

/// The name of a listener, its pool and its monitor: unique in one load balancer, as a nested create demands.
pub fn listener(request: &str, front: Port) -> String {
    let mut name = plain(request);
    name.truncate(LONGEST - ":65535".len());
    format!("{name}:{front}")
}

/// A request's name may hold anything; ours hold what every client and database takes.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_balancer_says_whose_it_is() {
        assert_eq!(
            load_balancer("octavia-integrator", "k8s", "kubernetes-control-plane", "api-server-external"),
            "octavia-integrator-k8s-kubernetes-control-plane-api-server-external"
        );
    }

    #[test]
    fn hostile_names_become_plain_and_short() {
        let name = load_balancer("a", "m", "c", &"{{ x }}{% for %}\n💥".repeat(100));
        assert!(name.len() <= LONGEST && name.starts_with("a-m-c----x---"), "{name}");
        let name = listener(&"💥".repeat(300), Port::new(65_535).unwrap());
        assert!(name.len() <= LONGEST && name.ends_with("-:65535"), "{name}");
    }
}

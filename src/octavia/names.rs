//! What our objects are called in the cloud: for people; we find things by their marks.

use tera::{Context, Tera};

use crate::model::name_template::{NameTemplate, VARIABLES};
use crate::model::port::Port;

/// Octavia's names end here (`octavia/api/v2/types/load_balancer.py`).
const LONGEST: usize = 255;

/// The names of load balancers and of their VIP ports, by the operator's template.
pub struct Names(Tera);

impl Names {
    /// Reads the template once.
    pub fn new(template: &NameTemplate) -> Self {
        let mut templates = Tera::default();
        // It holds four variables and nothing else, so it can be neither wrong nor slow.
        let _ = templates.add_raw_template(TEMPLATE, template.as_str());
        Self(templates)
    }

    /// Never empty; plain characters, at most 255.
    pub fn load_balancer(&self, application: &str, model: &str, consumer: &str, request: &str) -> String {
        let values = [application, model, consumer, request];
        let mut context = Context::new();
        for (key, value) in VARIABLES.into_iter().zip(values) {
            context.insert(key, &plain(value));
        }
        let rendered = self.0.render(TEMPLATE, &context).map(|name| plain(name.trim())).unwrap_or_default();
        let mut name = if rendered.is_empty() { plain(&values.join("-")) } else { rendered };
        name.truncate(LONGEST);
        name
    }
}

const TEMPLATE: &str = "load balancer";

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
            Names::new(&NameTemplate::default()).load_balancer(
                "octavia-integrator",
                "k8s",
                "kubernetes-control-plane",
                "api-server-external"
            ),
            "octavia-integrator-k8s-kubernetes-control-plane-api-server-external"
        );
    }

    #[test]
    fn an_operator_has_a_say() {
        let name =
            |template: &str| Names::new(&template.parse().unwrap()).load_balancer("app", "k8s", "web", "api");
        assert_eq!(name("lb for {{consumer}}/{{ request }}!"), "lb-for-web-api-");
        assert_eq!(name("k8s"), "k8s");
    }

    #[test]
    fn hostile_names_become_plain_and_short() {
        let names = Names::new(&NameTemplate::default());
        let name = names.load_balancer("a", "m", "c", &"{{ x }}{% for %}\n💥".repeat(100));
        assert!(name.len() <= LONGEST && name.starts_with("a-m-c----x---"), "{name}");
        let name = listener(&"💥".repeat(300), Port::new(65_535).unwrap());
        assert!(name.len() <= LONGEST && name.ends_with("-:65535"), "{name}");
    }
}

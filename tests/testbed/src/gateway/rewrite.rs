//! Answers in which the cloud says where it is: those must lead back through the gateway.

use serde_json::Value;

/// Where the gateway has put what the cloud names.
pub(super) trait Places {
    /// The gateway's URL for an endpoint of this service type in the catalogue.
    fn endpoint(&self, service: &str, url: &str) -> String;
    /// The gateway's URL for a link; none if it leads elsewhere.
    fn link(&self, url: &str) -> Option<String>;
}

/// The answer with its catalogue (`token.catalog` of Keystone) and its links (`href`s of version documents and of
/// `*_links`, Keystone's `links`) rewritten; none if there is nothing to rewrite, so that it is passed on as it is.
pub(super) fn rewrite(body: &[u8], places: &impl Places) -> Option<Vec<u8>> {
    let mut answer: Value = serde_json::from_slice(body).ok()?;
    let mut changed = catalogue(&mut answer, places);
    changed |= links(&mut answer, false, places);
    changed.then(|| serde_json::to_vec(&answer).unwrap())
}

fn catalogue(answer: &mut Value, places: &impl Places) -> bool {
    let mut changed = false;
    for root in ["/token/catalog", "/catalog"] {
        let services = answer.pointer_mut(root).and_then(Value::as_array_mut);
        for service in services.into_iter().flatten() {
            let Some(kind) = service["type"].as_str().map(str::to_owned) else { continue };
            let endpoints = service.get_mut("endpoints").and_then(Value::as_array_mut);
            for endpoint in endpoints.into_iter().flatten() {
                if let Some(Value::String(url)) = endpoint.get_mut("url") {
                    *url = places.endpoint(&kind, url);
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Whatever hangs under `links` or is called `href` is a link.
fn links(value: &mut Value, is_link: bool, places: &impl Places) -> bool {
    match value {
        Value::String(url) if is_link => places.link(url).map(|to| *url = to).is_some(),
        Value::Array(items) => {
            items.iter_mut().fold(false, |changed, item| links(item, is_link, places) | changed)
        }
        Value::Object(fields) => fields.iter_mut().fold(false, |changed, (key, field)| {
            let is_link =
                key == "href" || (key == "links" && field.is_object()) || (is_link && field.is_string());
            links(field, is_link, places) | changed
        }),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Places, rewrite};

    struct Test;

    impl Places for Test {
        fn endpoint(&self, service: &str, url: &str) -> String {
            format!("{service}!{url}")
        }

        fn link(&self, url: &str) -> Option<String> {
            url.strip_prefix("http://cloud").map(|rest| format!("http://gateway{rest}"))
        }
    }

    fn rewritten(answer: &Value) -> Option<Value> {
        rewrite(answer.to_string().as_bytes(), &Test).map(|body| serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn the_catalogue_is_rewritten_by_service() {
        let endpoints = |url: &str| json!([{"interface": "public", "region": "R", "url": url}]);
        let catalogue =
            |url: &str| json!([{"type": "network", "name": "neutron", "endpoints": endpoints(url)}]);
        let token = |url: &str| json!({"token": {"user": {"name": "u"}, "catalog": catalogue(url)}});
        assert_eq!(rewritten(&token("http://a/v2")), Some(token("network!http://a/v2")));
        let alone = |url: &str| json!({"catalog": catalogue(url), "links": {}});
        assert_eq!(rewritten(&alone("http://a/v2")), Some(alone("network!http://a/v2")));
    }

    #[test]
    fn links_are_rewritten_and_nothing_else() {
        for shape in [
            |at: &str| json!({"ports": [], "ports_links": [{"rel": "next", "href": format!("{at}/v2.0/ports?marker=1")}]}),
            |at: &str| json!({"versions": {"values": [{"id": "v3", "links": [{"rel": "self", "href": at}]}]}}),
            |at: &str| json!({"projects": [{"links": {"self": at}}], "links": {"next": null, "self": at}}),
        ] {
            assert_eq!(rewritten(&shape("http://cloud/x")), Some(shape("http://gateway/x")));
            assert_eq!(rewritten(&shape("http://elsewhere/x")), None);
        }
        let words = json!({"ports": [{"description": "http://cloud/x", "links": "http://cloud/x"}]});
        assert_eq!(rewritten(&words), None);
    }

    #[test]
    fn what_is_not_json_stays() {
        assert_eq!(rewrite(b"<html>", &Test), None);
        assert_eq!(rewrite(b"", &Test), None);
    }
}

//! The health monitor of one pool: all drifted fields by one PUT; another type by delete and create.

use super::Tried;
use crate::model::monitor::Monitor;
use crate::model::port::Port;
use crate::octavia::change::{Change, MonitorFields, PoolReference};
use crate::octavia::observed::HealthMonitor;
use crate::octavia::status::Provisioning;

pub(super) fn changes(
    wanted: Option<&Monitor>,
    present: Option<&HealthMonitor>,
    pool: &PoolReference,
    front: Port,
    name: &str,
    tried: &Tried,
    changes: &mut Vec<Change>,
) {
    let stays = |present: &&HealthMonitor| {
        wanted.is_some_and(|wanted| present.kind == Some(wanted.probe.kind()))
            && !tried.has_failed(&present.id, present.provisioning)
    };
    if let (Some(wanted), Some(present)) = (wanted, present.filter(stays)) {
        let fields = drift(wanted, present);
        if fields != MonitorFields::default() {
            changes.push(Change::UpdateMonitor { id: present.id.clone(), front, fields });
        }
        return;
    }
    if let Some(present) = present {
        changes.push(Change::DeleteMonitor { id: present.id.clone(), front, kind: present.kind });
    }
    if let Some(wanted) = wanted {
        changes.push(Change::CreateMonitor {
            pool: pool.clone(),
            front,
            name: name.to_owned(),
            monitor: wanted.clone(),
        });
    }
}

fn drift(wanted: &Monitor, present: &HealthMonitor) -> MonitorFields {
    let again = present.provisioning == Provisioning::Error;
    let number = |wanted: u32, present: u32| Some(wanted).filter(|_| again || wanted != present);
    let text = |wanted: &str, present: &Option<String>| {
        Some(wanted.to_owned()).filter(|_| again || present.as_deref() != Some(wanted))
    };
    let Monitor { probe, delay, timeout, max_retries, max_retries_down, port: _ } = wanted;
    let http = probe.http();
    let method = http.and_then(|http| text(http.method.as_str(), &present.http_method));
    MonitorFields {
        delay: number(*delay, present.delay),
        timeout: number(*timeout, present.timeout),
        max_retries: number(*max_retries, present.max_retries),
        max_retries_down: number(*max_retries_down, present.max_retries_down),
        http_method: method,
        url_path: http.and_then(|http| text(http.path.as_str(), &present.url_path)),
        expected_codes: http.and_then(|http| text(http.expected_codes.as_str(), &present.expected_codes)),
    }
}

//! What went through the gateway, and what is planned for what will.

use std::time::Duration;

use hyper::Method;
use hyper::Uri;
use serde_json::Value;

use super::call::Call;
use super::fault::{Effect, Fault, Planned};
use super::name::{fits, name};

/// All calls, faults and expectations of one scenario.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    calls: Vec<Call>,
    /// Where the present section begins.
    section: usize,
    planned: Vec<Planned>,
    expected: Vec<(String, String, u16)>,
}

impl Ledger {
    /// Records a call that came in; its number, and the fault that is due at it.
    pub(super) fn open(
        &mut self,
        service: &str,
        method: &Method,
        uri: &Uri,
        request: &[u8],
    ) -> (usize, Option<Effect>) {
        let name = name(uri.path());
        // Every plan counts the call; the first that is due takes it.
        let mut due = None;
        for planned in &mut self.planned {
            if planned.is_due(method.as_str(), &name) && due.is_none() {
                due = Some(planned.fire());
            }
        }
        let number = self.calls.len();
        self.calls.push(Call {
            number,
            service: service.to_owned(),
            method: method.to_string(),
            path: uri.path().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            request: value(request),
            status: None,
            answer: Value::Null,
            duration: None,
            fault: due.clone(),
        });
        (number, due)
    }

    /// Records what came of it.
    pub(super) fn close(&mut self, number: usize, answer: Option<(u16, &[u8])>, duration: Duration) {
        let call = &mut self.calls[number];
        call.duration = Some(duration);
        if let Some((status, body)) = answer {
            call.status = Some(status);
            call.answer = value(body);
        }
    }

    pub(super) fn reset(&mut self) {
        self.section = self.calls.len();
    }

    pub(super) fn section(&self) -> &[Call] {
        &self.calls[self.section..]
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.calls.iter().all(|call| call.duration.is_some())
    }

    pub(super) fn plan(&mut self, fault: Fault) {
        self.planned.push(Planned::new(fault));
    }

    pub(super) fn unfired(&self) -> Vec<Fault> {
        self.planned
            .iter()
            .filter(|planned| !planned.is_through())
            .map(|planned| planned.fault.clone())
            .collect()
    }

    pub(super) fn expect_error(&mut self, method: &str, pattern: &str, status: u16) {
        self.expected.push((method.to_owned(), pattern.to_owned(), status));
    }

    pub(super) fn errors(&self) -> Vec<Call> {
        let is_expected = |call: &Call| {
            self.expected.iter().any(|(method, pattern, status)| {
                call.method == *method && call.status == Some(*status) && fits(&call.name(), pattern)
            })
        };
        self.calls.iter().filter(|call| call.is_error_of_the_cloud() && !is_expected(call)).cloned().collect()
    }
}

fn value(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}

//! `show-load-balancers`: what there is in the cloud now, from any unit.

use serde_json::Value;

use super::Parameters;
use crate::juju::{Context, tools};
use crate::reconcile::{self, Shown};

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let parameters = Parameters::read()?;
    let name = parameters.text("load-balancer");
    let Shown { list, table, names } = match reconcile::show(context, name)? {
        Ok(shown) => shown,
        Err(findings) => return Ok(tools::action_fail(&super::join(&findings))?),
    };
    if let (Some(name), true) = (name, list.is_empty()) {
        return Ok(tools::action_fail(&super::unknown(name, &names))?);
    }
    let mut results = vec![("count", list.len().to_string())];
    let json = Value::Array(list).to_string();
    // A tool takes so much in one argument, and JSON that is cut is none.
    if json.len() + "load-balancers=".len() <= tools::LONGEST_ARGUMENT {
        results.push(("load-balancers", json));
    } else {
        let note = "there are too many for one answer as JSON; ask for one by load-balancer=NAME";
        results.push(("note", note.to_owned()));
    }
    if !table.is_empty() {
        results.push(("table", table));
    }
    results.extend(reconcile::leader(context)?.map(|leader| ("leader", leader)));
    Ok(tools::action_set(&results)?)
}

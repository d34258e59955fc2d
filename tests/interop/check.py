"""Our databags as the real consumer library reads them, and its requests as we recorded them."""

import json
import pathlib
import sys

import ops
from loadbalancer_interface import LBProvider
from ops import testing

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent.parent / "target" / "interop"
ENDPOINTS = ("loadbalancer-external", "loadbalancer-internal")
META = {
    "name": "kubernetes-control-plane",
    "requires": {endpoint: {"interface": "loadbalancer"} for endpoint in ENDPOINTS},
}
# What each consumer charm asks for: endpoint, name, front port, whether it is public, and how its check speaks.
CONSUMERS = {
    "cp_external": ("loadbalancer-external", "api-server-external", 443, True, "http"),
    "cp_internal": ("loadbalancer-internal", "api-server-internal", 6443, False, "http"),
    "k8s_external": ("loadbalancer-external", "api-server-external", 443, True, "https"),
}
seen = {}


class Consumer(ops.CharmBase):
    """Asks as kubernetes-control-plane does, and notes what the library sees."""

    asks = CONSUMERS["cp_external"]

    def __init__(self, framework):
        super().__init__(framework)
        self.providers = {endpoint: LBProvider(self, endpoint) for endpoint in ENDPOINTS}
        for endpoint in ENDPOINTS:
            framework.observe(self.on[endpoint].relation_changed, self._on_changed)

    def _on_changed(self, _):
        endpoint, name, front, public, check = self.asks
        provider = self.providers[endpoint]
        if self.unit.is_leader() and provider.is_available:
            request = provider.get_request(name)
            request.protocol = request.protocols.tcp
            request.port_mapping = {front: 6443}
            request.public = public
            if not request.health_checks:
                request.add_health_check(protocol=request.protocols[check], port=6443, path="/livez")
            provider.send_request(request)
        seen["response"] = provider.get_response(name)
        seen["complete"] = list(provider.complete_responses)
        seen["has_response"] = provider.has_response


def run(endpoint, answer, request, leader):
    """One relation-changed of a consumer unit; what the library saw, and the consumer's databag afterwards."""
    seen.clear()
    relation = testing.Relation(
        endpoint,
        remote_app_name="octavia-integrator",
        remote_app_data=answer,
        local_app_data=request,
        remote_units_data={0: {}},
    )
    context = testing.Context(Consumer, meta=META)
    after = context.run(context.on.relation_changed(relation, remote_unit=0), testing.State(leader=leader, relations={relation}))
    return dict(seen), dict(after.get_relation(relation.id).local_app_data)


def corruptions(text):
    """Answers that the library must refuse: proof that it looks."""
    answer = json.loads(text)
    yield "an extra key", json.dumps({**answer, "port": 443})
    yield "an error by its value", json.dumps({**answer, "error": "provider error", "error_message": "x"})
    yield "no address and no error", json.dumps({**answer, "address": None, "error": None, "error_fields": {}})
    yield "no JSON", "10.0.0.5"


def check_answers():
    cases = sorted(CASES.glob("*.json"))
    if not cases:
        sys.exit("no databags in target/interop: run \"cargo test --test scenarios interop\" first")
    for file in cases:
        case = json.loads(file.read_text())
        endpoint, name, address = case["endpoint"], case["name"], case["address"]
        front, public = (443, True) if endpoint.endswith("external") else (6443, False)
        Consumer.asks = (endpoint, name, front, public, "http")
        key = f"response_{name}"
        for leader in (True, False):
            if address is None:
                # What we refuse, the library would not have asked for: only its reader is tried.
                found, _ = run(endpoint, case["answer"], {}, False)
                assert found["response"].error.name == "unsupported" and found["response"].error_fields, found
                continue
            found, bag = run(endpoint, case["answer"], case["request"], leader)
            assert found["response"].address == address, found
            assert len(found["complete"]) == 1 and found["has_response"], found
            if leader:
                # The library writes the same request again, with its own spaces; a new id would be a new request.
                asked, recorded = (json.loads(one[f"request_{name}"]) for one in (bag, case["request"]))
                assert asked == recorded, f"the library would ask anew: {asked}"
            for what, text in corruptions(case["answer"][key]):
                try:
                    found, _ = run(endpoint, {**case["answer"], key: text}, case["request"], leader)
                    refused = found["response"] is None or not found["response"].address
                except Exception:  # the consumer's hook fails
                    refused = True
                assert refused, f"{file.name}: {what} was accepted"
        print(f"{file.name}: {address or 'refused by field'}, as leader and as follower")


def check_requests():
    for name, asks in CONSUMERS.items():
        Consumer.asks = asks
        _, bag = run(asks[0], {"version": "1"}, {}, True)
        written = json.loads(bag[f"request_{asks[1]}"])
        recorded = json.loads((HERE / "requests" / f"{name}.json").read_text())
        for request in (written, recorded):
            request.pop("id")
            request.pop("sent_hash")
        assert written == recorded, f"{name}: the library writes\n{written}\nbut recorded is\n{recorded}"
        print(f"{name}: the library still writes what the scenarios feed")


check_answers()
check_requests()

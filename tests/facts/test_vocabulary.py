# SPDX-License-Identifier: MIT
"""The values that rules may ask for are those that facts really take, in cases and in reports."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
import yaml

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.paths import fields_of
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.unknown import Unknown
from clprobe.validation.cases import case_file_of, load_cases, snapshot_of

KNOWLEDGE = Knowledge.load()
REPORTS = report_files()
# Containers and hypervisors may call themselves anything.
OPEN = {("Virtualization", "container"), ("Virtualization", "machine")}


def _listed(part: msgspec.Struct) -> Iterator[tuple[type, str, str, tuple[str, ...]]]:
    """Yield type, name, value and allowed values of each text below that has a list of them."""
    for name, field in fields_of(type(part)).items():
        value = getattr(part, name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, msgspec.Struct) and not isinstance(one, Unknown):
                yield from _listed(one)
            elif isinstance(one, str) and field.values:
                yield type(part), name, one, field.values


def _strangers(facts: Facts, seen: Counter[tuple[str, str]]) -> list[str]:
    found = []
    for kind, name, value, allowed in _listed(facts):
        seen[kind.__name__, name] += 1
        if value not in allowed and (kind.__name__, name) not in OPEN:
            found.append(f"{kind.__name__}.{name} = {value}")
    return found


def test_no_fact_of_a_case_or_report_has_a_value_that_rules_may_not_ask_for() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    strangers = {
        f"{rule.id}: {text}"
        for rule in KNOWLEDGE.rules
        for file in (load_cases(case_file_of(rule)),)
        for case in file.cases
        for text in _strangers(derive(snapshot_of(case, file), KNOWLEDGE.tables), seen)
    }
    for path in REPORTS:
        given = yaml.safe_dump(yaml.safe_load(path.read_text("utf-8")).get("facts", {}))
        facts = derive(snapshot_from_text(given, name=path.name), KNOWLEDGE.tables)
        strangers |= {f"{path.stem}: {text}" for text in _strangers(facts, seen)}
    assert strangers == set()
    assert len(seen) >= 20
    assert seen["NodeFacts", "denied_because"] >= 80


@pytest.mark.parametrize("path", ["gpus", "device_nodes", "icds", "loaders", "devices", "views"])
def test_each_list_of_hosts_things_has_values_to_choose_from(path: str) -> None:
    struct = fields_of(Facts)[path].struct
    assert struct is not None
    assert any(field.values for field in fields_of(struct).values())

# SPDX-License-Identifier: MIT
"""Every rule of the database against its cases, through the loader that doctor uses."""

import json
from pathlib import Path

import jsonschema
import pytest

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.checked_yaml import parse
from clprobe.report.data_pages import data_pages
from clprobe.resources import rules_path
from clprobe.ruleset.condition_file import OPERATORS
from clprobe.ruleset.load import CASES_SUFFIX, rule_files
from clprobe.ruleset.remedy_file import ACTIONS
from clprobe.ruleset.rule import Rule
from clprobe.validation.cases import case_file_of, load_cases, run_cases

KNOWLEDGE = Knowledge.load()


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_every_case_gets_the_verdict_that_it_expects(rule: Rule) -> None:
    results = list(run_cases(rule, KNOWLEDGE))
    assert [f"{r.case}: {r.complaint}" for r in results if r.complaint] == []


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_every_rule_has_a_case_for_each_verdict(rule: Rule) -> None:
    expected = {case.expect for case in load_cases(case_file_of(rule)).cases}
    assert expected == {"present", "absent", "undetermined"}


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_every_rule_names_a_source_and_leads_to_the_symptom_or_stands_alone(rule: Rule) -> None:
    assert rule.sources
    assert all(source.url.startswith(("https://", "pkg:")) for source in rule.sources)


def test_every_cases_file_belongs_to_a_rule() -> None:
    rules = {path.with_suffix("").name for path in rule_files(rules_path())}
    cases = {path.name.removesuffix(CASES_SUFFIX) for path in rules_path().glob("*/*.cases.yaml")}
    assert cases == rules


@pytest.mark.parametrize(("name", "page"), data_pages(KNOWLEDGE).items())
def test_the_generated_pages_are_fresh(name: str, page: str) -> None:
    assert (rules_path() / name).read_text(encoding="utf-8") == page


def test_every_folder_of_data_has_a_page() -> None:
    folders = {path.parent for path in rules_path().rglob("*.yaml")} - {rules_path() / "tables"}
    of_folders = [Path(name) for name in data_pages(KNOWLEDGE) if name != "FACTS.md"]
    assert {rules_path() / name.parent for name in of_folders} == folders


@pytest.mark.parametrize("path", rule_files(rules_path()), ids=lambda path: path.stem)
def test_every_rule_fits_the_published_schema(path: Path) -> None:
    schema = json.loads((rules_path() / "schema.json").read_text(encoding="utf-8"))
    document = json.loads(json.dumps(parse(path), default=str))
    jsonschema.validate(document, schema)


def test_the_schema_and_the_page_name_every_operator_and_action() -> None:
    schema = json.loads((rules_path() / "schema.json").read_text(encoding="utf-8"))
    page = (rules_path() / "README.md").read_text(encoding="utf-8")
    assert set(schema["$defs"]["test"]["properties"]) == set(OPERATORS)
    assert set(ACTIONS) <= set(schema["$defs"]["WrittenRemedy"]["properties"])
    assert [word for word in (*OPERATORS, *ACTIONS) if f"`{word}`" not in page] == []


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_every_rule_has_a_title_that_holds_without_facts(rule: Rule) -> None:
    assert "{" not in rule.summary
    if "{" in rule.title:
        named_by_its_id = rule.id.replace("-", " ").capitalize()
        assert rule.summary != named_by_its_id, "give the rule a summary"

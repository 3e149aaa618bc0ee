# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - one format is asked for, the others do not load
"""A diagnosis in the format that was asked for, apart from text."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clprobe.diagnosis.diagnose import Knowledge
    from clprobe.model.comparison import Comparison
    from clprobe.model.finding import Diagnosis

SCHEMA = "clprobe.doctor/1"


class Printed(NamedTuple):
    """What a document is made of."""

    diagnosis: "Diagnosis"
    knowledge: "Knowledge"
    exit_status: int
    elapsed_ms: int
    comparison: "Comparison | None" = None


def document_of(printed: Printed, form: str) -> str:
    """Return the document of `form`: json, sarif, junit, markdown or html."""
    diagnosis, rules, elapsed_ms = printed.diagnosis, printed.knowledge.rules, printed.elapsed_ms
    if form == "markdown":
        from clprobe.report.markdown import diagnosis_as_markdown

        return diagnosis_as_markdown(diagnosis, printed.comparison)
    if form == "html":
        from clprobe.report.doctor_html import diagnosis_as_html

        return diagnosis_as_html(
            diagnosis, checks=len(rules), elapsed_ms=elapsed_ms, comparison=printed.comparison
        )
    if form == "sarif":
        from clprobe.report.sarif import diagnosis_as_sarif

        return diagnosis_as_sarif(diagnosis, rules, exit_status=printed.exit_status)
    if form == "junit":
        from clprobe.report.junit import diagnosis_as_junit

        return diagnosis_as_junit(diagnosis, rules, elapsed_ms=elapsed_ms)
    import msgspec

    from clprobe.report.as_json import document

    since = msgspec.to_builtins(printed.comparison) if printed.comparison else {}
    return document(SCHEMA, diagnosis, elapsed_ms=elapsed_ms, **since)

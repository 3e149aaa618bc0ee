# SPDX-License-Identifier: MIT
"""What mends a device whose kernels did not build, as doctor's rules know it."""

from collections.abc import Sequence

from msgspec import structs

from clprobe.cli.bench_progress import say
from clprobe.diagnosis.diagnose import Knowledge, diagnose
from clprobe.model.measurement import Result
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.load import consequences_of

_CONSEQUENCE = "device-cannot-build-kernels"


def tell_remedy(results: Sequence[Result], snapshot: Snapshot) -> None:
    """Say why kernels failed to build and what to do, if a rule explains what was said of them."""
    failures = dict.fromkeys(one.detail for one in results if one.status == "error" and one.detail)
    if not failures:
        return
    knowledge = Knowledge.load()
    by_id = {rule.id: rule for rule in knowledge.rules}
    explaining = {one for one in by_id if _CONSEQUENCE in consequences_of(one, by_id)}
    told = snapshot.messages if isinstance(snapshot.messages, tuple) else ()
    findings = diagnose(structs.replace(snapshot, messages=(*told, *failures)), knowledge).findings
    for finding in findings:
        if finding.verdict == "present" and finding.id in explaining:
            say(f"{finding.title}. clprobe explain {finding.id}")
            for remedy in finding.remedies[:1]:
                say(f"do: {' '.join(remedy.argv)}" if remedy.argv else f"do: {remedy.title}")
            return

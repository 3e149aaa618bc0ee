# SPDX-License-Identifier: MIT
"""From a snapshot and needs to an answer: yes, no with its cause, or not known."""

from collections.abc import Callable, Sequence

from clprobe.facts.derive import derive
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.needs.answer import Cause, CheckReport, HostAnswer
from clprobe.needs.cause import cause_of
from clprobe.needs.host import devices_seen, judge_host
from clprobe.needs.truth import every, in_words
from clprobe.needs.written import Needs

_TRUTHS = {"yes": True, "no": False, "not-known": None}


def check_host(
    needs: Needs,
    snapshot: Snapshot,
    tables: Tables,
    doctor: Callable[[Snapshot], Diagnosis],
    *,
    host: str | None = None,
) -> HostAnswer:
    """Return whether the host of a snapshot fulfils the needs; `host` is what it is called.

    `doctor` is asked only where devices are missing, to say why.
    """
    verdict = judge_host(needs, devices_seen(derive(snapshot, tables)), tables)
    diagnosis: Diagnosis | None = None
    cause: Cause | None = None
    if verdict.truth is not True and verdict.lacking is not None:
        diagnosis = doctor(snapshot)
        cause = cause_of(diagnosis, verdict.lacking)
    return HostAnswer(
        host=host,
        answer=in_words(verdict.truth),
        because=verdict.because,
        cause=cause,
        needs=verdict.answers,
        ask=diagnosis.ask if diagnosis is not None and verdict.truth is None else (),
    )


def not_read(host: str, why: str) -> HostAnswer:
    """Return the answer about a file that cannot be read."""
    return HostAnswer(host=host, answer="not-known", because=why)


def report_of(needs: str, hosts: Sequence[HostAnswer]) -> CheckReport:
    """Return the answers about all hosts as one; `needs` is the file's name."""
    truth = every(_TRUTHS[host.answer] for host in hosts)
    return CheckReport(needs=needs, answer=in_words(truth), hosts=tuple(hosts))

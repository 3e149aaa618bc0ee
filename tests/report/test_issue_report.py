# SPDX-License-Identifier: MIT
"""What `doctor --report` prints says the same to whoever reads it: a person, doctor, GitHub."""

import functools
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from recording import ReplayedHost
from varied import varied_hosts

from clprobe.cli.sources import read_snapshot
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import User
from clprobe.probe.collect import collect
from clprobe.report.issue_report import MOST_CHARACTERS, issue_report
from clprobe.scrub import scrub

HOSTS = Path(__file__).resolve().parents[1] / "hosts"
HEALTHY = HOSTS.parent / "healthy"
RECORDED = [*sorted(HOSTS.glob("*.yaml")), *sorted(HEALTHY.glob("*.json"))]
BROKEN = [f"varied {number}" for number in range(10) if number != 3]
KNOWLEDGE = Knowledge.load()
PASTED = """\
$ lspci -nn | grep VGA
00:02.0 VGA compatible controller [0300]: Intel Corporation UHD Graphics 620 [8086:5917]
$ ls -l /dev/dri
crw-rw---- 1 root render 226, 128 Mar  3 12:00 renderD128
$ id
uid=1000(mallory) gid=1000(mallory) groups=1000(mallory)
mallory@laptop-of-mallory:~$ clinfo
Number of platforms                               0
"""


@functools.cache
def host(name: str) -> Snapshot:
    if name.startswith("varied"):
        return scrub(snapshot_from_text([*varied_hosts(10)][int(name[-1])], name=name))
    if name.endswith(".json"):
        return read_snapshot(str(HEALTHY / name))
    return scrub(collect(ReplayedHost(HOSTS / name).as_host(), timeout_s=9))


@functools.cache
def diagnosis_of(name: str) -> Diagnosis:
    return diagnose(host(name), KNOWLEDGE)


every_host = pytest.mark.parametrize(
    "name", [*(path.name for path in RECORDED), *(f"varied {number}" for number in range(10))]
)


def read(text: str, folder: Path) -> Snapshot:
    (folder / "report.md").write_bytes(text.encode())
    return read_snapshot(str(folder / "report.md"))


def found(diagnosis: Diagnosis) -> tuple[object, ...]:
    present = {(one.id, one.subject) for one in diagnosis.findings if one.verdict == "present"}
    return diagnosis.status, diagnosis.root_cause, present


@every_host
def test_doctor_reads_in_it_the_facts_that_it_was_made_of(name: str, tmp_path: Path) -> None:
    text = issue_report(diagnosis_of(name), host(name))
    copied = re.sub(r"<[^>]*>|\*\*|```(json)?", "", text)  # from the page that GitHub shows

    assert read(text, tmp_path) == host(name)
    assert read(text.replace("\n", "\r\n"), tmp_path) == host(name)
    assert read(copied, tmp_path) == host(name)
    assert read("\n".join(f"> {line}" for line in text.split("\n")), tmp_path) == host(name)


@every_host
def test_it_fits_into_an_issue_and_says_the_verdict_first(name: str) -> None:
    diagnosis = diagnosis_of(name)
    text = issue_report(diagnosis, host(name))

    assert len(text) <= MOST_CHARACTERS
    first, *_ = text.splitlines()
    assert first.startswith("**clprobe ")
    assert f"doctor: {diagnosis.status}**" in first
    words, facts = text.split("<details><summary>Facts")
    assert "clprobe.snapshot/1" not in words
    assert text.isascii() or not re.search("[^ -~\n]", facts)
    assert facts.count("```") == 2


@pytest.mark.parametrize("name", [*(p.name for p in RECORDED[:2]), *BROKEN])
def test_in_an_issue_the_facts_outweigh_the_words_around(name: str, tmp_path: Path) -> None:
    diagnosis = diagnosis_of(name)
    assert diagnosis.root_cause is not None
    block = issue_report(diagnosis, host(name))
    issue = f"### What clprobe sees\n\n{block}\n\n### What you ran\n\nSee above.\n\n_No response_\n"

    facts = read(issue, tmp_path)

    assert found(diagnose(facts, KNOWLEDGE)) == found(diagnosis)
    assert facts.unread == ("See above.",)
    assert facts.statements == ()


def test_what_is_said_beside_it_is_read(tmp_path: Path) -> None:
    name = "debian-12-render-node-closed.yaml"
    block = issue_report(diagnosis_of(name), host(name))

    facts = read(f"{block}\nblender finds no GPU.\n\n{block}\n", tmp_path)

    assert set(facts.told) - {"```"} == {"blender finds no GPU."}


def test_nothing_in_the_facts_is_taken_for_markup(tmp_path: Path) -> None:
    strange = "a&amp;b <b>\x1b[31m```\u202e\U0001f4a5 ü\u00a0\n```\n</details> @user"
    odd = replace(host(RECORDED[0].name), messages=(strange,))

    assert read(issue_report(diagnosis_of(RECORDED[0].name), odd), tmp_path).messages == (strange,)


def test_nobody_is_named_in_it(tmp_path: Path) -> None:
    facts = read(PASTED, tmp_path)
    named = scrub(replace(host(RECORDED[0].name), user=User(uid=1000, name="mallory")))

    for one in (facts, named):
        text = issue_report(diagnose(one, KNOWLEDGE), one)
        assert "mallory" not in text
        assert read(text, tmp_path) == one

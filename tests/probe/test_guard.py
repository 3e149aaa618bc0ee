# SPDX-License-Identifier: MIT
"""One guard for all probes: what fails costs the fact that was asked for, and says so."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from asking import Build, environment, icd_named, register

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Finding
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.probe.collect import collect
from clprobe.probe.facts import STRICT, ask
from clprobe.probe.host import ElfFile, Host, Pending
from clprobe.probe.live_host import LiveHost

_QUESTIONS = sorted(name for name in vars(Host) if not name.startswith("_"))
# Answered from this process's own memory; nothing of the host can make them fail.
_OWN = {"environment", "machine"}
# Said, truly, of every driver on a machine without an OpenCL loader.
_OF_A_BARE_MACHINE = {"no-loader"}
# Said, truly, of the PoCL in pyopencl's wheel where the processor is newer than its LLVM.
_OF_THE_PROCESSOR = {"pocl-too-old-for-cpu"}


class _Faulty(LiveHost):
    """This machine, where one question fails in a way that nobody foresaw."""

    def __init__(self, variables: dict[str, str], question: str, about: str = "") -> None:
        super().__init__(variables)
        real = getattr(self, question)

        def fail(*arguments: Any) -> Any:
            if about and about not in str(arguments):
                return real(*arguments)
            raise OverflowError("Python int too large to convert to C long")

        setattr(self, question, fail)


@pytest.fixture
def _lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)


def _status(snapshot: Snapshot) -> str:
    return diagnose(snapshot, Knowledge.load()).status


def _is_undetermined(snapshot: Snapshot) -> bool:
    """Return whether nothing is called an error, nor the machine healthy."""
    diagnosis = diagnose(snapshot, Knowledge.load())
    present = [one for one in diagnosis.findings if one.verdict == "present"]
    errors = {one.id for one in present if one.severity == "error"}
    return errors <= _OF_A_BARE_MACHINE | _OF_THE_PROCESSOR and diagnosis.status != "healthy"


def _against(snapshot: Snapshot, driver: Path) -> list[Finding]:
    """Return the findings that name a driver."""
    findings = diagnose(snapshot, Knowledge.load()).findings
    named = [one for one in findings if str(driver) in str(one)]
    return [one for one in named if one.id not in _OF_A_BARE_MACHINE]


@pytest.mark.usefixtures("_lenient")
@pytest.mark.parametrize("question", [name for name in _QUESTIONS if name not in _OWN])
def test_no_question_that_fails_ends_the_run(question: str, tmp_path: Path) -> None:
    (tmp_path / "gone.icd").write_text("/nonexistent/libgone.so\n")
    variables = environment(OCL_ICD_VENDORS=f"{tmp_path}/")
    snapshot = collect(_Faulty(variables, question), timeout_s=8.0)
    assert msgspec.json.decode(msgspec.json.encode(snapshot), type=Snapshot) == snapshot
    assert _status(snapshot) != "healthy"


@pytest.mark.usefixtures("_lenient")
def test_a_driver_that_cannot_be_looked_at_is_unknown_and_another_is_kept(
    build: Build, tmp_path: Path
) -> None:
    broken = register(tmp_path, build("evil_name"))
    other = tmp_path / "other.icd"
    other.write_text(f"{build('healthy')}\n")
    variables = environment(OCL_ICD_VENDORS=f"{tmp_path}/")
    snapshot = collect(_Faulty(variables, "elf", "evil_name"), timeout_s=8.0)
    assert icd_named(snapshot, other).answer.outcome == "ok"
    driver = icd_named(snapshot, broken)
    assert isinstance(driver.answer.outcome, Unknown)
    assert isinstance(driver.library.format, Unknown)
    why = driver.library.format.unknown
    assert "libevil_name.so" in why
    assert all(words in why for words in ("fault of clprobe", "report it", "OverflowError"))
    against = _against(snapshot, broken)
    assert against
    assert all(one.verdict == "undetermined" for one in against)
    assert _is_undetermined(snapshot)


@pytest.mark.usefixtures("_lenient")
@pytest.mark.parametrize("question", ["start_opencl", "read", "real_path", "link_status"])
def test_the_diagnosis_of_a_driver_that_clprobe_failed_on_is_undetermined(
    question: str, build: Build, tmp_path: Path
) -> None:
    broken = register(tmp_path, build("healthy"))
    about = {"start_opencl": "libhealthy", "real_path": "libhealthy"}.get(question, str(broken))
    variables = environment(OCL_ICD_VENDORS=f"{tmp_path}/")
    snapshot = collect(_Faulty(variables, question, about), timeout_s=8.0)
    against = _against(snapshot, broken)
    assert [one.id for one in against if one.verdict == "present" and one.severity == "error"] == []


def test_a_fault_of_clprobe_ends_its_own_tests() -> None:
    def fails() -> None:
        raise KeyError("name")

    with pytest.raises(KeyError):
        ask(fails)


class _FailsToWait:
    def wait(self) -> Any:
        raise ValueError("a damaged answer")


class _Waits(LiveHost):
    def start_opencl(self, request: Any) -> Pending:
        return _FailsToWait() if request.role == "icd" else super().start_opencl(request)


@pytest.mark.usefixtures("_lenient")
def test_a_child_whose_answer_cannot_be_read_is_an_unknown_answer(
    build: Build, tmp_path: Path
) -> None:
    broken = register(tmp_path, build("healthy"))
    snapshot = collect(_Waits(environment(OCL_ICD_VENDORS=f"{tmp_path}/")), timeout_s=8.0)
    answer = icd_named(snapshot, broken).answer
    assert isinstance(answer.outcome, Unknown)
    assert "a damaged answer" in answer.outcome.unknown
    assert _is_undetermined(snapshot)


class _DamagedLoader(LiveHost):
    def elf(self, path: str) -> ElfFile:
        if "libOpenCL" in path:
            raise OverflowError(path)
        return super().elf(path)


@pytest.mark.usefixtures("_lenient")
def test_a_loader_that_cannot_be_looked_at_does_not_hide_the_drivers(
    build: Build, tmp_path: Path
) -> None:
    driver = register(tmp_path, build("healthy"))
    snapshot = collect(_DamagedLoader(environment(OCL_ICD_VENDORS=f"{tmp_path}/")), timeout_s=8.0)
    assert icd_named(snapshot, driver).answer.outcome == "ok"

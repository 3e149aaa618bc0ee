# SPDX-License-Identifier: MIT
"""The linker that PoCL needs, as the host's PATH has it."""

from pathlib import Path

import pytest
from recording import RecordingHost, ReplayedHost

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.opencl import Answer, Device, Icd, Library, Loader, Platform, Stage
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Distribution, System
from clprobe.model.unknown import NOT_STATED
from clprobe.probe.host import FileStatus
from clprobe.probe.live_host import LiveHost
from clprobe.probe.system import probe_system
from clprobe.report.doctor_words import verdict


def test_a_linker_is_found_on_the_path_that_children_get(tmp_path: Path) -> None:
    linker = tmp_path / "ld"
    linker.write_text("#!/bin/sh\n")
    linker.chmod(0o755)
    assert probe_system(LiveHost({"PATH": str(tmp_path)})).linker == str(linker)
    assert probe_system(LiveHost({"PATH": str(tmp_path / "empty")})).linker is None


def test_no_linker_is_replayed_as_none(tmp_path: Path) -> None:
    recording = RecordingHost(LiveHost({"PATH": str(tmp_path)}))
    assert recording.as_host().which("ld") is None
    recording.save(tmp_path / "host.yaml")
    assert ReplayedHost(tmp_path / "host.yaml").as_host().which("ld") is None


class _GccWithoutLibcDev(LiveHost):
    """A machine with gcc and binutils, and without the C library's development files."""

    def which(self, command: str) -> str | None:
        return f"/usr/bin/{command}"

    def real_path(self, path: str) -> str:
        return path

    def status(self, path: str) -> FileStatus:
        if path.endswith(("/libc.so", "/crti.o")):
            raise FileNotFoundError(path)
        return super().status(path)


def test_a_linker_without_the_c_librarys_files_is_seen_without_running_a_kernel() -> None:
    assert probe_system(_GccWithoutLibcDev({})).linker_lacks == ("libc.so", "crti.o")


def test_a_linker_that_is_no_part_of_the_system_may_know_other_folders(tmp_path: Path) -> None:
    linker = tmp_path / "ld"
    linker.write_text("#!/bin/sh\n")
    linker.chmod(0o755)
    assert probe_system(LiveHost({"PATH": str(tmp_path)})).linker_lacks == NOT_STATED


def test_the_missing_c_library_explains_the_crash_of_pocl_and_of_no_other_driver() -> None:
    def crashed(path: str, library: str, stage: Stage) -> Icd:
        answer = Answer(
            stage=stage, outcome="crash", signal="SIGABRT",
            printed="Final linking of kernel known_answer failed.",
        )  # fmt: skip
        return Icd(path=path, searched_by=("/l",), library=Library(path=library), answer=answer)

    snapshot = Snapshot(
        system=System(
            distribution=Distribution(id="debian", version="12"),
            linker="/usr/bin/ld",
            linker_lacks=("libc.so", "crti.o"),
        ),
        icds=(
            crashed("/v/pocl.icd", "/v/libpocl.so.2", "compile"),
            crashed("/v/x.icd", "/v/libx.so", "load"),
        ),
    )
    found = diagnose(snapshot, Knowledge.load()).findings
    crashes = {one.subject: one for one in found if one.id == "icd-crashes"}
    assert crashes["/v/pocl.icd"].caused_by == "pocl-without-linker"
    assert crashes["/v/x.icd"].caused_by is None
    cause = next(one for one in found if one.id == "pocl-without-linker")
    assert cause.severity == "error"
    assert [remedy.argv for remedy in cause.remedies] == [("apt", "install", "gcc", "libc6-dev")]
    assert ".." not in crashes["/v/pocl.icd"].because


def _pocl(version: str, *, beside: str | None = None) -> Snapshot:
    """Return a machine with gcc and no libc6-dev, whose PoCL was not asked to run a kernel."""

    def answering(path: str, library: str, device: Device) -> Icd:
        platforms = (Platform(name="Portable Computing Language", devices=(device,)),)
        if beside is not None and library == beside:
            platforms = (Platform(name="Intel(R) OpenCL Graphics", devices=(device,)),)
        answer = Answer(stage="queries", outcome="ok", platforms=platforms)
        return Icd(path=path, searched_by=("/l",), library=Library(path=library), answer=answer)

    icds = [answering("/v/pocl.icd", "/v/libpocl.so.2",
                      Device(name="cpu", type="cpu", driver_version=version))]  # fmt: skip
    if beside is not None:
        icds.append(answering("/v/intel.icd", beside, Device(name="Iris", type="gpu")))
    return Snapshot(
        source="live",
        system=System(
            distribution=Distribution(id="debian", version="12"),
            linker="/usr/bin/ld",
            linker_lacks=("libc.so", "crti.o"),
        ),
        environment={"POCL_PATH_LD": None},
        loaders=(Loader(path="/l", is_default=True),),
        icds=tuple(icds),
    )


@pytest.mark.parametrize("beside", [None, "/v/libigdrcl.so"])
def test_a_machine_whose_pocl_cannot_link_is_not_called_healthy(beside: str | None) -> None:
    """A healthy GPU beside it works; the headline names the PoCL all the same."""
    diagnosis = diagnose(_pocl("3.1", beside=beside), Knowledge.load())
    assert (diagnosis.status, diagnosis.root_cause) == ("problems", "pocl-without-linker")
    assert "linker" in verdict(diagnosis)


def test_a_pocl_that_may_link_by_itself_is_not_blamed_before_it_failed() -> None:
    diagnosis = diagnose(_pocl("7.2"), Knowledge.load())
    assert "pocl-without-linker" not in [one.id for one in diagnosis.findings]

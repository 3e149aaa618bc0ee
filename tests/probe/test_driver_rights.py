# SPDX-License-Identifier: MIT
"""What a driver can do because its code runs with the user's rights: shown, as SECURITY.md says it.

Whoever takes one of these away from drivers changes SECURITY.md with it.
"""

import signal
import subprocess
from pathlib import Path

from asking import Build, device_names, environment, icd_named, register

from clprobe.model.snapshot import Snapshot
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost


def _ask(folder: Path, **variables: str) -> Snapshot:
    surroundings = environment(OCL_ICD_VENDORS=f"{folder}/", **variables)
    return collect(LiveHost(surroundings), timeout_s=8.0)


def test_a_driver_that_a_variable_names_is_run_and_writes_into_the_home(
    build: Build, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    register(tmp_path, build("writes_home"))

    _ask(tmp_path, HOME=str(home))

    assert [path.name for path in home.iterdir()] == ["written-by-a-driver"]


def test_a_driver_ends_other_processes_of_the_user(build: Build, tmp_path: Path) -> None:
    register(tmp_path, build("kills_victim"))
    with subprocess.Popen(["sleep", "60"]) as victim:
        _ask(tmp_path, FIXTURE_VICTIM=str(victim.pid))
        victim.terminate()  # in case it lives

    assert victim.returncode == -signal.SIGKILL


def test_a_whole_report_that_a_driver_forged_is_believed(build: Build, tmp_path: Path) -> None:
    icd = register(tmp_path, build("report_forged_whole"))

    answer = icd_named(_ask(tmp_path), icd).answer

    assert (answer.stage, answer.outcome) == ("queries", "ok")
    assert device_names(answer) == ["Forged GPU"]

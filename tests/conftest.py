# SPDX-License-Identifier: MIT
"""A cache folder for each run, and what two processes that share the tests must not tear apart."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hearing import let_children_hear
from passed_before import passed_before

from clprobe.probe.facts import STRICT

# A fault of clprobe itself must fail a test, not become an Unknown; whole programs that tests
# start inherit it.
os.environ[STRICT] = "1"


def is_worker() -> bool:
    """Return whether this is one of the processes that share the tests."""
    return "PYTEST_XDIST_WORKER" in os.environ


if is_worker():
    # Processes that share processors must not spin on them: torch's threads would, and took half as
    # much time again.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
let_children_hear()
PASSED = "clprobe/passed"
_PASSED: set[str] = set()
_OF_THE_CACHES = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses where temporary folders lie
def pytest_configure(config: pytest.Config) -> None:
    """Let clprobe, PoCL and pyopencl of this run and its children cache in a folder of its own."""
    if not is_worker():  # which has the folder from its parent
        folder = config.stash[_OF_THE_CACHES] = tempfile.mkdtemp(prefix="clprobe-tests-")
        os.environ["XDG_CACHE_HOME"] = f"{folder}/caches"
        # What a developer lets doctor ignore must not decide a test.
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/settings"
        # pytest's own choice names the user, and clprobe scrubs such names from what it prints.
        if config.option.basetemp is None:
            config.option.basetemp = f"{folder}/temporary"


# Nothing of the machine that they run on bears on these: what passed needs no second run.
OF_NO_MACHINE = (
    *("tests/compat/", "tests/diagnosis/", "tests/explain/", "tests/facts/", "tests/install/"),
    *("tests/knowledge/", "tests/paste/", "tests/report/", "tests/ruleset/", "tests/validation/"),
    "tests/test_",
)


# Minutes in one process each: begun last, they would keep one processor busy alone.
LONGEST = ("tests/kernels/", "tests/apply/", "tests/tensor/test_implementations.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test that runs alone where only these are asked for."""
    is_other = collection_path.is_file() and "mark.alone" not in collection_path.read_text()
    return True if config.option.markexpr == "alone" and is_other else None


@pytest.hookimpl(trylast=True)  # once others have left out what they do not make
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes longest first, and leave out what passed before, if .ci/run says so."""
    passed = {name for name in passed_before() if name.startswith(OF_NO_MACHINE)}
    items[:] = [item for item in items if item.nodeid not in passed]
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what passed."""
    if report.when == "call" and report.passed:
        _PASSED.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what passed for .ci/newcomer.py, beside what pytest itself keeps."""
    cache: pytest.Cache | None = getattr(session.config, "cache", None)  # -p no:cacheprovider
    if _PASSED and cache is not None and not is_worker():
        cache.set(PASSED, sorted({*cache.get(PASSED, []), *_PASSED}))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing of it behind."""
    if folder := config.stash.get(_OF_THE_CACHES, None):
        shutil.rmtree(folder, ignore_errors=True)


# Their fixtures take long, a copy of this system for one, and serve several files.
ONE_PROCESS_EACH = {"apply", "kernels", "reality"}
# Long tests that share nothing.
ANY_PROCESS = {"tests/tensor/test_implementations.py"}

if find_spec("xdist") is not None:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling, Scheduling

    class _ByFileOrFolder(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            if file in ANY_PROCESS:
                return nodeid
            folder = file.split("/")[1]
            return folder if folder in ONE_PROCESS_EACH else file

    @pytest.hookimpl(optionalhook=True)  # for whoever switches xdist off
    def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
        """Refine `--dist loadfile`: some folders stay together as files do, some files do not."""
        return _ByFileOrFolder(config, log) if config.getoption("dist") == "loadfile" else None

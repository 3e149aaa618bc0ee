# SPDX-License-Identifier: MIT
"""Shares what the checks fetch, and ends the run with how many facts each kind compared."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from debian_archive import Archive, SuiteUnreachableError
from neo_builds import Build, legacy1_of_sid, newest_of_sid, of_debian_12
from offline_compiler import OfflineCompiler

T = TypeVar("T")
_PROPERTY = "facts compared: "
SUBJECTS = ("Debian", "Ubuntu", "NEO", "ocloc", "Beignet", "Mesa", "distribution answers")


@pytest.fixture(scope="session")
def archive() -> Iterator[Archive]:
    """Debian's archive; what is fetched, some 200 MB at a time, goes with the end of the run."""
    with tempfile.TemporaryDirectory(prefix="clprobe-reality-") as folder:
        yield _or_skip(lambda: Archive(Path(folder)))


@pytest.fixture(scope="session")
def debian_12_neo(request: pytest.FixtureRequest) -> Build:
    return _or_skip(lambda: of_debian_12(lambda: request.getfixturevalue("archive")))


@pytest.fixture(scope="session")
def legacy1(archive: Archive) -> Build:
    return _or_skip(lambda: legacy1_of_sid(archive))


@pytest.fixture(scope="session")
def newest_compiler(archive: Archive) -> OfflineCompiler:
    return _or_skip(lambda: newest_of_sid(archive))


def _or_skip(fetch: Callable[[], T]) -> T:
    """Return what is fetched; out of reach, the tests that want it are skipped."""
    try:
        return fetch()
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


@pytest.fixture
def compared(record_property: Callable[[str, object], None]) -> Callable[[str, int], None]:
    """Return what a check calls with its subject and how many facts it compared."""

    def count(subject: str, facts: int) -> None:
        assert subject in SUBJECTS
        record_property(f"{_PROPERTY}{subject}", facts)

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell the counts, zeros too, wherever one of these checks was asked for."""
    reports = [
        report
        for kind in terminalreporter.stats.values()
        for report in kind
        if isinstance(report, pytest.TestReport) and "reality" in report.keywords
    ]
    if not reports:
        return
    counts: Counter[str] = Counter()
    for report in reports:
        if report.when == "call":
            for name, facts in report.user_properties:
                if name.startswith(_PROPERTY) and isinstance(facts, int):
                    counts[name.removeprefix(_PROPERTY)] += facts
    told = ", ".join(f"{counts[subject]} {subject}" for subject in SUBJECTS)
    terminalreporter.write_line(f"facts compared with reality: {told}")

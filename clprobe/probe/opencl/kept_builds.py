# SPDX-License-Identifier: MIT
"""Keeps what a driver's compiler made of the known-answer kernel, for as long as nothing changes.

Compiling takes drivers 0.2 to 0.8 s of processor time, running 1 ms. For how long a build is
believed is told by kept_files.py. Whatever differs: the kernel is compiled again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from clprobe.probe.opencl.kept_files import KeptAnswer
from clprobe.probe.opencl.questions import identity
from clprobe.probe.opencl.reports import Report


class KeptBuilds:
    """The builds of one driver, in the environment in which it is asked.

    They are kept by device, each after the word for what it computed.
    """

    def __init__(self, library: str, environment: Mapping[str, str]) -> None:
        self._kept = KeptAnswer("known_answer.py", library, environment)
        self._builds = self._kept.believed(dict[str, bytes]) or {}

    def give(self, folder: Path) -> None:
        """Write the builds into a folder for a child.

        Raises: OSError
        """
        folder.mkdir()
        for name, build in self._builds.items():
            (folder / name).write_bytes(build)

    def take(self, reports: Iterable[Sequence[Report]]) -> None:
        """Keep what children built anew."""
        fresh: dict[str, bytes] = {}
        paths: set[str] = set()
        for child in reports:
            for facts in _facts(child):
                if "kernel_build" in facts:
                    build = bytes.fromhex(str(facts["kernel_build"]))
                    name = identity(
                        str(facts.get("name", "")), str(facts.get("driver_version", ""))
                    )
                    fresh[name] = str(facts["kernel_result"]).encode() + b"\n" + build
                    paths.update(str(facts["kernel_files"]).splitlines())
        if fresh:
            self._kept.keep({**self._builds, **fresh}, paths)


def _facts(reports: Sequence[Report]) -> Iterator[dict[str, object]]:
    """Yield what was told of each device."""
    by_place: dict[tuple[int, ...], dict[str, object]] = {}
    for report in reports:
        if "fact" in report and "value" in report:
            by_place.setdefault(tuple(report["at"]), {})[report["fact"]] = report["value"]
    yield from by_place.values()

# SPDX-License-Identifier: MIT
"""What is around the drivers of a host, looked at while their children are at work."""

import contextlib
from collections.abc import Callable
from datetime import datetime, timezone

from clprobe.model.snapshot import Snapshot
from clprobe.model.system import User
from clprobe.model.unknown import Unknown, listed
from clprobe.probe.environment import probe_environment
from clprobe.probe.facts import ask, or_unknown
from clprobe.probe.gpus import probe_gpus
from clprobe.probe.host import Host
from clprobe.probe.interfaces import probe_interfaces
from clprobe.probe.libraries import Libraries
from clprobe.probe.nodes import probe_nodes
from clprobe.probe.opencl.icds import FoundIcd, probe_runtime_libraries
from clprobe.probe.packages.installed import probe_package_trouble, probe_packages
from clprobe.probe.packages.sources import probe_package_sources
from clprobe.probe.system import probe_system
from clprobe.probe.user import probe_sudo_caller, probe_user
from clprobe.version import __version__

Owners = dict[str, str | None] | Unknown


def probe_surroundings(
    host: Host,
    libraries: Libraries,
    icds: tuple[FoundIcd, ...],
    waiting: Callable[[str], contextlib.AbstractContextManager[None]],
) -> tuple[Snapshot, Owners]:
    """Return all facts of a host but what drivers and loaders tell, and whose packages ICDs are."""
    with waiting("the package manager"):
        packages = ask(probe_packages, host)
        trouble = ask(probe_package_trouble, host)
        owners = ask(_owners, host, icds)
    system = probe_system(host)
    environment = ask(probe_environment, host)
    caller = ask(probe_sudo_caller, host)
    snapshot = Snapshot(
        clprobe=__version__,
        source="live",
        taken=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        system=system,
        user=or_unknown(ask(probe_user, host), User),
        environment={} if isinstance(environment, Unknown) else environment,
        gpus=ask(probe_gpus, host, system.virtualization.container),
        device_nodes=ask(probe_nodes, host),
        packages=packages,
        package_sources=ask(probe_package_sources, host),
        package_trouble=trouble,
        libraries=probe_runtime_libraries(host, libraries, icds),
        interfaces=ask(probe_interfaces, host, libraries),
        excerpts=(),
        perspectives=listed(caller),
    )
    return snapshot, owners


def _owners(host: Host, icds: tuple[FoundIcd, ...]) -> Owners:
    """Return the package of each ICD's files; a library is asked for by its real path too."""
    paths = []
    for icd in icds:
        paths.append(icd.facts.path)
        if isinstance(icd.facts.library.path, str):
            paths += [icd.facts.library.path, host.real_path(icd.facts.library.path)]
    return ask(host.owners, tuple(dict.fromkeys(paths))) if paths else {}

# SPDX-License-Identifier: MIT
"""What a plan for this host is made of; without collect(), for drivers that it need not ask."""

from clprobe.model.snapshot import Snapshot
from clprobe.model.system import User
from clprobe.model.unknown import listed
from clprobe.probe.facts import ask, or_unknown
from clprobe.probe.gpus import probe_gpus
from clprobe.probe.live_host import LiveHost
from clprobe.probe.packages.installed import probe_packages
from clprobe.probe.packages.sources import probe_package_sources
from clprobe.probe.system import probe_system
from clprobe.probe.user import probe_sudo_caller, probe_user


def facts_for_plan() -> Snapshot:
    """Return the hardware, the system and the packages of this host."""
    host = LiveHost()
    return Snapshot(
        system=probe_system(host),
        user=or_unknown(ask(probe_user, host), User),
        gpus=probe_gpus(host),
        packages=ask(probe_packages, host),
        package_sources=ask(probe_package_sources, host),
        excerpts=(),
        perspectives=listed(ask(probe_sudo_caller, host)),
    )

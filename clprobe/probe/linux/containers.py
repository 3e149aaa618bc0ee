# SPDX-License-Identifier: MIT
"""Which container, sandbox or imitation of Linux this process runs in."""

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text
from clprobe.probe.host import Host

_CGROUP_MARKS = {"kubepods": "kubernetes", "docker": "docker", "libpod": "podman", "lxc": "lxc"}
# The constant build text of gVisor's kernel, pkg/sentry/syscalls/linux/linux64.go.
_GVISOR = "#1 SMP Sun Jan 10 15:06:54 PST 2016"
_FILES = {
    "/run/.toolboxenv": "toolbox",
    "/dev/.cros_milestone": "crostini",
    "/opt/google/cros-containers": "crostini",
    "/var/run/secrets/kubernetes.io": "kubernetes",
    "/run/.containerenv": "podman",
    "/.dockerenv": "docker",
}


def probe_container(host: Host) -> str | Unknown | None:
    """Return what the nearest one is called, None if there is none.

    What stands nearest to the program comes first: a toolbox is a podman container too.
    """
    environment = host.environment()
    signs = (
        ("flatpak", _exists(host, "/.flatpak-info")),
        ("snap", _is_in_snap(host)),
        ("apptainer", "APPTAINER_CONTAINER" in environment),
        ("singularity", "SINGULARITY_CONTAINER" in environment or _exists(host, "/.singularity.d")),
        ("gvisor", _is_gvisor(host)),
        ("distrobox", "DISTROBOX_ENTER_PATH" in environment),
        ("kubernetes", "KUBERNETES_SERVICE_HOST" in environment),
    )
    if found := next((name for name, present in signs if present), None):
        return found
    if found := next((name for file, name in _FILES.items() if _exists(host, file)), None):
        return found
    announced = ask_text(host.read, "/run/systemd/container")
    if isinstance(announced, str) and announced.strip():
        return announced.strip()
    return environment.get("container") or _container_of_init(host)


def _is_in_snap(host: Host) -> bool:
    """Tell whether a snap confines this process; a classic one, an editor's say, does not."""
    environment = host.environment()
    if "SNAP" not in environment or "SNAP_NAME" not in environment:
        return False
    label = ask_text(host.read, "/proc/self/attr/current")
    return isinstance(label, Unknown) or not label.strip("\0\n ").endswith("(complain)")


def _is_gvisor(host: Host) -> bool:
    machine = ask(host.machine)
    return not isinstance(machine, Unknown) and machine.version == _GVISOR


def _container_of_init(host: Host) -> str | Unknown | None:
    variables = ask(host.read, "/proc/1/environ")
    if isinstance(variables, bytes):
        for variable in variables.split(b"\0"):
            if variable.startswith(b"container="):
                return variable[10:].decode("utf-8", "replace")
    groups = ask_text(host.read, "/proc/1/cgroup")
    if isinstance(groups, Unknown):
        return groups
    return next((name for mark, name in _CGROUP_MARKS.items() if mark in groups), None)


def _exists(host: Host, path: str) -> bool:
    return not isinstance(ask(host.link_status, path), Unknown)

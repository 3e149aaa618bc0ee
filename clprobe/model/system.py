# SPDX-License-Identifier: MIT
"""The host around the GPU: distribution, Linux, CPU, user, packages."""

from typing import Annotated

import msgspec

from clprobe.model.fact import FactStruct, described
from clprobe.model.unknown import NOT_STATED, Fact, Unknown


class Distribution(FactStruct, frozen=True, kw_only=True):
    """The distribution as os-release names it."""

    id: Annotated[Fact[str], described("such as debian, ubuntu, fedora", "/etc/os-release")] = (
        NOT_STATED
    )
    version: Annotated[
        Fact[str | None],
        described("release number, such as 12 or 24.04; null: rolling", "/etc/os-release"),
    ] = NOT_STATED
    codename: Annotated[
        Fact[str | None], described("such as bookworm; null: none", "/etc/os-release")
    ] = NOT_STATED
    name: Annotated[Fact[str], described("for people", "/etc/os-release")] = NOT_STATED
    like: Annotated[
        Fact[tuple[str, ...]], described("ids of related distributions", "/etc/os-release")
    ] = NOT_STATED


class Linux(FactStruct, frozen=True, kw_only=True):
    """The operating system's kernel; "kernel" alone is an OpenCL kernel in this project."""

    release: Annotated[Fact[str], described("such as 6.8.0-51-generic", "uname -r")] = NOT_STATED
    version: Annotated[Fact[str], described("build text", "uname -v")] = NOT_STATED
    command_line: Annotated[Fact[str], described("boot parameters", "/proc/cmdline")] = NOT_STATED
    log: Annotated[
        Fact[str],
        described("lines of the kernel log about GPUs, their firmware and their nodes", "dmesg"),
    ] = NOT_STATED
    modules: Annotated[
        Fact[tuple[str, ...]],
        described(
            "kernel modules of GPUs, loaded or built in, such as i915, xe, amdgpu",
            "/proc/modules, /sys/module",
        ),
    ] = NOT_STATED
    module_versions: Annotated[
        dict[str, str | Unknown | None],
        described(
            "versions of loaded modules that tell one, such as nvidia: 535.183.01; null: none told",
            "/sys/module/*/version",
        ),
    ] = msgspec.field(default_factory=dict)
    blacklisted_modules: Annotated[
        Fact[tuple[str, ...]],
        described(
            "kernel modules of GPUs that must not load by themselves",
            "/etc/modprobe.d, /proc/cmdline",
        ),
    ] = NOT_STATED
    firmware: Annotated[
        Fact[tuple[str, ...]],
        described("folders of GPU firmware that hold files: i915, xe, amdgpu …", "/lib/firmware"),
    ] = NOT_STATED
    lockdown: Annotated[
        Fact[str | None],
        described(
            "null: Linux without it",
            "/sys/kernel/security/lockdown",
            values=("none", "integrity", "confidentiality"),
        ),
    ] = NOT_STATED


class Cpu(FactStruct, frozen=True, kw_only=True):
    """The processor."""

    model: Annotated[Fact[str], described("marketing name", "/proc/cpuinfo")] = NOT_STATED
    vendor: Annotated[Fact[str], described("such as GenuineIntel", "/proc/cpuinfo")] = NOT_STATED
    architecture: Annotated[Fact[str], described("such as x86_64", "uname -m")] = NOT_STATED
    logical_cores: Annotated[Fact[int], described("processors usable here", "sched affinity")] = (
        NOT_STATED
    )


CONTAINERS = (
    "docker", "podman", "lxc", "lxd", "incus", "lxc-libvirt", "kubernetes", "systemd-nspawn", "rkt",
    "openvz", "proot", "wsl", "toolbox", "distrobox", "apptainer", "singularity", "crostini",
    "gvisor", "flatpak", "snap",
)  # fmt: skip
MACHINES = (
    "qemu", "kvm", "amazon", "google", "vmware", "microsoft", "oracle", "xen", "bochs", "uml",
    "parallels", "bhyve", "qnx", "acrn", "powervm", "zvm", "apple", "unnamed hypervisor",
)  # fmt: skip


class Virtualization(FactStruct, frozen=True, kw_only=True):
    """What stands between this system and the hardware."""

    container: Annotated[
        Fact[str | None],
        described(
            "as it calls itself; null: none",
            "/run/.containerenv, /.dockerenv, /proc/1/environ, /.flatpak-info",
            values=CONTAINERS,
        ),
    ] = NOT_STATED
    machine: Annotated[
        Fact[str | None],
        described(
            "as systemd-detect-virt calls it; null: bare metal",
            "DMI, /proc/cpuinfo",
            values=MACHINES,
        ),
    ] = NOT_STATED
    wsl: Annotated[
        Fact[int | None], described("1 or 2 under WSL; null: not WSL", "/proc/version")
    ] = NOT_STATED
    user_namespace: Annotated[
        Fact[bool],
        described("true where user ids are mapped (rootless containers)", "/proc/self/uid_map"),
    ] = NOT_STATED
    service: Annotated[
        Fact[str | None],
        described(
            "systemd unit of this process, such as jellyfin.service; null: none",
            "/proc/self/cgroup",
        ),
    ] = NOT_STATED
    windows_driver: Annotated[
        Fact[str | None],
        described(
            "under WSL, version of the Windows display driver; null: not told",
            "DriverVer in /usr/lib/wsl/drivers, the Windows device manager",
        ),
    ] = NOT_STATED
    wsl_libraries: Annotated[
        Fact[bool],
        described(
            "under WSL, whether the linker finds the libraries that Windows lends",
            "/usr/lib/wsl/lib in the linker's cache",
        ),
    ] = NOT_STATED


class Limits(FactStruct, frozen=True, kw_only=True):
    """What this process may use at most."""

    address_space_bytes: Annotated[Fact[int | None], described("null: unlimited", "ulimit -v")] = (
        NOT_STATED
    )
    locked_memory_bytes: Annotated[Fact[int | None], described("null: unlimited", "ulimit -l")] = (
        NOT_STATED
    )
    memory_bytes: Annotated[
        Fact[int | None],
        described("of the control group; null: unlimited", "/sys/fs/cgroup/memory.max"),
    ] = NOT_STATED


class Security(FactStruct, frozen=True, kw_only=True):
    """What stands above file permissions."""

    selinux: Annotated[
        Fact[str | None],
        described(
            "null: not in use", "/sys/fs/selinux/enforce", values=("enforcing", "permissive")
        ),
    ] = NOT_STATED
    apparmor_profile: Annotated[
        Fact[str | None],
        described(
            "profile that confines this process; null: unconfined", "/proc/self/attr/current"
        ),
    ] = NOT_STATED


class Group(FactStruct, frozen=True, kw_only=True):
    """A group id and its name."""

    gid: Annotated[Fact[int], described("group id")] = NOT_STATED
    name: Annotated[Fact[str | None], described("null: the id has no name here")] = NOT_STATED


class ServiceUnit(FactStruct, frozen=True, kw_only=True):
    """What the unit files of the systemd service say that runs as this user."""

    name: Annotated[Fact[str | None], described("such as jellyfin.service; null: none")] = (
        NOT_STATED
    )
    private_devices: Annotated[
        Fact[bool],
        described("whether its /dev is its own and holds no hardware", "PrivateDevices= of {name}"),
    ] = NOT_STATED
    device_policy: Annotated[
        Fact[str], described("auto, closed or strict", "DevicePolicy= of {name}")
    ] = NOT_STATED
    device_allow: Annotated[
        Fact[tuple[str, ...]],
        described(
            "devices that it may use, such as char-drm rw; []: none named",
            "DeviceAllow= of {name}",
        ),
    ] = NOT_STATED
    protect_system: Annotated[
        Fact[str],
        described(
            "which folders it may not write",
            "ProtectSystem= of {name}",
            values=("no", "yes", "full", "strict"),
        ),
    ] = NOT_STATED


class System(FactStruct, frozen=True, kw_only=True):
    """Distribution, Linux, CPU and what they run in."""

    distribution: Distribution = Distribution()
    linux: Linux = Linux()
    cpu: Cpu = Cpu()
    virtualization: Virtualization = Virtualization()
    limits: Limits = Limits()
    security: Security = Security()
    udev: Annotated[
        Fact[bool], described("whether udev runs and sets up nodes", "/run/udev/control")
    ] = NOT_STATED
    service_unit: Annotated[
        ServiceUnit, described("the service that is asked about; left out: none")
    ] = ServiceUnit()
    gpu_groups: Annotated[
        Fact[tuple[Group, ...]],
        described(
            "groups named render and video, with their numbers here; []: neither exists",
            "the group database",
        ),
    ] = NOT_STATED
    linker: Annotated[
        Fact[str | None],
        described("path of ld, the linker of a C tool chain; null: none on PATH", "ld on PATH"),
    ] = NOT_STATED
    linker_lacks: Annotated[
        Fact[tuple[str, ...]],
        # Older snapshots do not state it, and they leave no question open by that.
        described(
            "files of the C library that it needs, libc.so or crti.o, and no usual folder has",
            "/usr/lib and the like",
            on_request=True,
        ),
    ] = NOT_STATED


class Session(FactStruct, frozen=True, kw_only=True):
    """The log-in session of logind; a local, active one gets access lists on device nodes."""

    kind: Annotated[
        Fact[str | None],
        described(
            "null: the process belongs to none", "logind", values=("local", "remote", "service")
        ),
    ] = NOT_STATED
    seat: Annotated[
        Fact[str | None],
        described("such as seat0; null: none (SSH, cron, a service)", "/run/systemd/sessions"),
    ] = NOT_STATED
    active: Annotated[
        Fact[bool], described("whether it is in front of its seat", "/run/systemd/sessions")
    ] = NOT_STATED
    kept_by: Annotated[
        Fact[str | None],
        described(
            "what keeps its processes, and their groups, over a log-out; user-manager: lingering; "
            "null: nothing known",
            "ancestors of this process, /var/lib/systemd/linger",
            values=("tmux", "screen", "an editor's server", "user-manager"),
        ),
    ] = NOT_STATED


class User(FactStruct, frozen=True, kw_only=True):
    """Who runs the program, as the process and as the group database have it."""

    uid: Annotated[Fact[int], described("effective user id; 0 is root", "geteuid()")] = NOT_STATED
    name: Annotated[
        Fact[str | None], described("log-in name; null: the id has no name here", "/etc/passwd")
    ] = NOT_STATED
    groups: Annotated[
        Fact[tuple[Group, ...]],
        described("groups that this process really has", "getegid(), getgroups()"),
    ] = NOT_STATED
    database_groups: Annotated[
        Fact[tuple[Group, ...]],
        described("groups that a new session of this user would get", "the group database"),
    ] = NOT_STATED
    overrides_permissions: Annotated[
        Fact[bool],
        described(
            "whether the process has CAP_DAC_OVERRIDE; not stated: true for root alone",
            "CapEff in /proc/self/status",
        ),
    ] = NOT_STATED
    is_asker: Annotated[
        Fact[bool],
        described("false: another account or a service that was asked about; not stated: true"),
    ] = NOT_STATED
    session: Session = Session()


class Package(FactStruct, frozen=True, kw_only=True):
    """An installed package that matters to OpenCL."""

    name: Annotated[str, described("as the package manager names it")]
    version: Annotated[Fact[str], described("as the package manager writes it")] = NOT_STATED
    manager: Annotated[Fact[str], described("dpkg, rpm, pacman, apk, pip or conda")] = NOT_STATED
    architecture: Annotated[Fact[str], described("such as amd64")] = NOT_STATED
    state: Annotated[
        Fact[str],
        described(
            "how far its installation got",
            values=(
                "installed",
                "half-installed",
                "unpacked",
                "half-configured",
                "config-files",
                "removed",
            ),
        ),
    ] = NOT_STATED
    origin: Annotated[
        Fact[str | None],
        described("where it came from: a repository, PPA or COPR, or by hand; null: not recorded"),
    ] = NOT_STATED

# SPDX-License-Identifier: MIT
"""The host around the GPU: distribution, Linux, CPU, user, packages."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact, Unknown


class Distribution(FactStruct, frozen=True, kw_only=True):
    """The distribution as os-release names it."""

    id: Fact[str] = fact("such as debian, ubuntu, fedora", "/etc/os-release")
    version: Fact[str | None] = fact(
        "release number, such as 12 or 24.04; null: rolling", "/etc/os-release"
    )
    codename: Fact[str | None] = fact("such as bookworm; null: none", "/etc/os-release")
    name: Fact[str] = fact("for people", "/etc/os-release")
    like: Fact[tuple[str, ...]] = fact("ids of related distributions", "/etc/os-release")


class Linux(FactStruct, frozen=True, kw_only=True):
    """The operating system's kernel; "kernel" alone is an OpenCL kernel in this project."""

    release: Fact[str] = fact("such as 6.8.0-51-generic", "uname -r")
    version: Fact[str] = fact("build text", "uname -v")
    command_line: Fact[str] = fact("boot parameters", "/proc/cmdline")
    log: Fact[str] = fact(
        "lines of the kernel log about GPUs, their firmware and their nodes", "dmesg"
    )
    modules: Fact[tuple[str, ...]] = fact(
        "kernel modules of GPUs, loaded or built in, such as i915, xe, amdgpu",
        "/proc/modules, /sys/module",
    )
    module_versions: dict[str, str | Unknown | None] = fact(
        "versions of loaded modules that tell one, such as nvidia: 535.183.01; null: none told",
        "/sys/module/*/version",
        default={},
    )
    blacklisted_modules: Fact[tuple[str, ...]] = fact(
        "kernel modules of GPUs that must not load by themselves", "/etc/modprobe.d, /proc/cmdline"
    )
    firmware: Fact[tuple[str, ...]] = fact(
        "folders of GPU firmware that hold files: i915, xe, amdgpu …", "/lib/firmware"
    )
    lockdown: Fact[str | None] = fact(
        "null: Linux without it",
        "/sys/kernel/security/lockdown",
        values=("none", "integrity", "confidentiality"),
    )


class Cpu(FactStruct, frozen=True, kw_only=True):
    """The processor."""

    model: Fact[str] = fact("marketing name", "/proc/cpuinfo")
    vendor: Fact[str] = fact("such as GenuineIntel", "/proc/cpuinfo")
    family: Fact[int] = fact("cpu family of x86, from CPUID: compilers go by it", "/proc/cpuinfo")
    model_number: Fact[int] = fact("model of x86 within its family, from CPUID", "/proc/cpuinfo")
    architecture: Fact[str] = fact("such as x86_64", "uname -m")
    logical_cores: Fact[int] = fact("processors usable here", "sched affinity")


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

    container: Fact[str | None] = fact(
        "as it calls itself; null: none",
        "/run/.containerenv, /.dockerenv, /proc/1/environ, /.flatpak-info",
        values=CONTAINERS,
    )
    machine: Fact[str | None] = fact(
        "as systemd-detect-virt calls it; null: bare metal", "DMI, /proc/cpuinfo", values=MACHINES
    )
    wsl: Fact[int | None] = fact("1 or 2 under WSL; null: not WSL", "/proc/version")
    absent_driver: Fact[str | None] = fact(
        "extension with a driver that a flatpak takes for this Linux, such as "
        "org.freedesktop.Platform.GL.nvidia-535-183-01, where it is not installed; null: none "
        "lacks",
        "flatpak --gl-drivers, flatpak list",
        on_request=True,
    )
    user_namespace: Fact[bool] = fact(
        "true where user ids are mapped (rootless containers)", "/proc/self/uid_map"
    )
    service: Fact[str | None] = fact(
        "systemd unit of this process, such as jellyfin.service; null: none", "/proc/self/cgroup"
    )
    windows_driver: Fact[str | None] = fact(
        "under WSL, version of the Windows display driver; null: not told",
        "DriverVer in /usr/lib/wsl/drivers, the Windows device manager",
    )
    wsl_libraries: Fact[bool] = fact(
        "under WSL, whether the linker finds the libraries that Windows lends",
        "/usr/lib/wsl/lib in the linker's cache",
    )


class Limits(FactStruct, frozen=True, kw_only=True):
    """What this process may use at most."""

    address_space_bytes: Fact[int | None] = fact("null: unlimited", "ulimit -v")
    locked_memory_bytes: Fact[int | None] = fact("null: unlimited", "ulimit -l")
    memory_bytes: Fact[int | None] = fact(
        "of the control group; null: unlimited", "/sys/fs/cgroup/memory.max"
    )


class Security(FactStruct, frozen=True, kw_only=True):
    """What stands above file permissions."""

    selinux: Fact[str | None] = fact(
        "null: not in use", "/sys/fs/selinux/enforce", values=("enforcing", "permissive")
    )
    apparmor_profile: Fact[str | None] = fact(
        "profile that confines this process; null: unconfined", "/proc/self/attr/current"
    )


class Group(FactStruct, frozen=True, kw_only=True):
    """A group id and its name."""

    gid: Fact[int] = fact("group id")
    name: Fact[str | None] = fact("null: the id has no name here")


class ServiceUnit(FactStruct, frozen=True, kw_only=True):
    """What the unit files of the systemd service say that runs as this user."""

    name: Fact[str | None] = fact("such as jellyfin.service; null: none")
    private_devices: Fact[bool] = fact(
        "whether its /dev is its own and holds no hardware", "PrivateDevices= of {name}"
    )
    device_policy: Fact[str] = fact("auto, closed or strict", "DevicePolicy= of {name}")
    device_allow: Fact[tuple[str, ...]] = fact(
        "devices that it may use, such as char-drm rw; []: none named", "DeviceAllow= of {name}"
    )
    protect_system: Fact[str] = fact(
        "which folders it may not write",
        "ProtectSystem= of {name}",
        values=("no", "yes", "full", "strict"),
    )


class System(FactStruct, frozen=True, kw_only=True):
    """Distribution, Linux, CPU and what they run in."""

    distribution: Distribution = Distribution()
    linux: Linux = Linux()
    cpu: Cpu = Cpu()
    virtualization: Virtualization = Virtualization()
    limits: Limits = Limits()
    security: Security = Security()
    udev: Fact[bool] = fact("whether udev runs and sets up nodes", "/run/udev/control")
    service_unit: ServiceUnit = fact(
        "the service that is asked about; left out: none", default=ServiceUnit()
    )
    gpu_groups: Fact[tuple[Group, ...]] = fact(
        "groups named render and video, with their numbers here; []: neither exists",
        "the group database",
    )
    linker: Fact[str | None] = fact(
        "path of ld, the linker of a C tool chain; null: none on PATH", "ld on PATH"
    )
    linker_lacks: Fact[tuple[str, ...]] = fact(
        "files of the C library that it needs, libc.so or crti.o, and no usual folder has",
        "/usr/lib and the like",
        on_request=True,
    )


class Session(FactStruct, frozen=True, kw_only=True):
    """The log-in session of logind; a local, active one gets access lists on device nodes."""

    kind: Fact[str | None] = fact(
        "null: the process belongs to none", "logind", values=("local", "remote", "service")
    )
    seat: Fact[str | None] = fact(
        "such as seat0; null: none (SSH, cron, a service)", "/run/systemd/sessions"
    )
    active: Fact[bool] = fact("whether it is in front of its seat", "/run/systemd/sessions")
    kept_by: Fact[str | None] = fact(
        "what keeps its processes, and their groups, over a log-out; user-manager: lingering; "
        "null: nothing known",
        "ancestors of this process, /var/lib/systemd/linger",
        values=("tmux", "screen", "an editor's server", "user-manager"),
    )


class User(FactStruct, frozen=True, kw_only=True):
    """Who runs the program, as the process and as the group database have it."""

    uid: Fact[int] = fact("effective user id; 0 is root", "geteuid()")
    name: Fact[str | None] = fact("log-in name; null: the id has no name here", "/etc/passwd")
    groups: Fact[tuple[Group, ...]] = fact(
        "groups that this process really has", "getegid(), getgroups()"
    )
    database_groups: Fact[tuple[Group, ...]] = fact(
        "groups that a new session of this user would get", "the group database"
    )
    overrides_permissions: Fact[bool] = fact(
        "whether the process has CAP_DAC_OVERRIDE; not stated: true for root alone",
        "CapEff in /proc/self/status",
    )
    is_asker: Fact[bool] = fact(
        "false: another account or a service that was asked about; not stated: true"
    )
    session: Session = Session()


class Package(FactStruct, frozen=True, kw_only=True):
    """An installed package that matters to OpenCL."""

    name: Annotated[str, described("as the package manager names it")]
    version: Fact[str] = fact("as the package manager writes it")
    manager: Fact[str] = fact("dpkg, rpm, pacman, apk, pip or conda")
    architecture: Fact[str] = fact("such as amd64")
    state: Fact[str] = fact(
        "how far its installation got",
        values=(
            "installed",
            "half-installed",
            "unpacked",
            "half-configured",
            "config-files",
            "removed",
        ),
    )
    origin: Fact[str | None] = fact(
        "where it came from: a repository, PPA or COPR, or by hand; null: not recorded"
    )

# SPDX-License-Identifier: MIT
"""The host around the GPU: distribution, Linux, CPU, user, packages."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described
from clprobe.model.unknown import NOT_STATED, Fact


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


class Cpu(FactStruct, frozen=True, kw_only=True):
    """The processor."""

    model: Annotated[Fact[str], described("marketing name", "/proc/cpuinfo")] = NOT_STATED
    vendor: Annotated[Fact[str], described("such as GenuineIntel", "/proc/cpuinfo")] = NOT_STATED
    architecture: Annotated[Fact[str], described("such as x86_64", "uname -m")] = NOT_STATED
    logical_cores: Annotated[Fact[int], described("processors usable here", "sched affinity")] = (
        NOT_STATED
    )


class Virtualization(FactStruct, frozen=True, kw_only=True):
    """What stands between this system and the hardware."""

    container: Annotated[
        Fact[str | None],
        described(
            "docker, podman, lxc, kubernetes, systemd-nspawn, flatpak, snap …; null: none",
            "/run/.containerenv, /.dockerenv, /proc/1/environ, /.flatpak-info",
        ),
    ] = NOT_STATED
    machine: Annotated[
        Fact[str | None],
        described("kvm, vmware, oracle, microsoft, xen …; null: bare metal", "DMI, /proc/cpuinfo"),
    ] = NOT_STATED
    wsl: Annotated[
        Fact[int | None], described("1 or 2 under WSL; null: not WSL", "/proc/version")
    ] = NOT_STATED
    user_namespace: Annotated[
        Fact[bool],
        described("true where user ids are mapped (rootless containers)", "/proc/self/uid_map"),
    ] = NOT_STATED


class System(FactStruct, frozen=True, kw_only=True):
    """Distribution, Linux, CPU and what they run in."""

    distribution: Distribution = Distribution()
    linux: Linux = Linux()
    cpu: Cpu = Cpu()
    virtualization: Virtualization = Virtualization()
    linker: Annotated[
        Fact[str | None],
        described("path of ld, the linker of a C tool chain; null: none on PATH", "ld on PATH"),
    ] = NOT_STATED


class Group(FactStruct, frozen=True, kw_only=True):
    """A group id and its name."""

    gid: Annotated[Fact[int], described("group id")] = NOT_STATED
    name: Annotated[Fact[str | None], described("null: the id has no name here")] = NOT_STATED


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


class Package(FactStruct, frozen=True, kw_only=True):
    """An installed package that matters to OpenCL."""

    name: Annotated[str, described("as the package manager names it")]
    version: Annotated[Fact[str], described("as the package manager writes it")] = NOT_STATED
    manager: Annotated[Fact[str], described("dpkg, rpm, pacman, apk or pip")] = NOT_STATED
    architecture: Annotated[Fact[str], described("such as amd64")] = NOT_STATED

# SPDX-License-Identifier: MIT
"""What a line of rules/tables means, as types; rules/tables/README.md says how to write one.

Ranges are written as `versions.in_range` reads them. `sources` says where a claim comes from, and
`unverified` that nobody has confirmed it.
"""

import re
from typing import Literal

import msgspec

from clprobe.knowledge.recognise_table import Recognise
from clprobe.knowledge.versions import Scheme
from clprobe.model.finding import Source

KernelDriver = Literal["i915", "xe", "i915!", "xe!", "amdgpu", "nvidia", "mali", "panfrost",
    "panthor", "kgsl", "msm", "v3d", "vc4", "asahi"]  # fmt: skip
DeviceType = Literal["cpu", "gpu", "accelerator"]


Names = Literal["file", "folder", "folders"]
"""What the value of a variable names; of several folders, one that is there will do."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all table entries have."""

    sources: tuple[Source, ...] = ()
    unverified: bool = False


PRE_PRODUCTION = "pre-production"
"""Stands for the generation of ids that only old driver releases list and that never shipped."""


class GpuEntry(Entry, frozen=True, kw_only=True):
    """One Intel PCI id.

    `platform` is a key of its generation's platforms. `kernel_drivers` are those that list the id
    in the newest Linux looked at; "xe!" binds only with xe.force_probe. `eus`: of the unfused chip.
    `neo`: compute-runtime releases that list the id, `legacy1` whether that branch does. `beignet`:
    the oldest Debian package whose library accepts it, `beignet_upstream` "1.3.2", or "git" for
    later commits only. `sample` marks development boards.
    """

    codename: str
    platform: str
    name: str | None = None
    gt: str | None = None
    eus: int | None = None
    kernel_drivers: tuple[KernelDriver, ...] = ()
    mesa: Literal["crocus", "iris"] | None = None
    mesa_force_probe: bool = False
    mesa_lacks: str | None = None
    mesa_since: str | None = None
    mesa_until: str | None = None
    neo: str | None = None
    neo_by_platform: bool = False
    legacy1: bool = False
    beignet: str | None = None
    beignet_upstream: Literal["1.3.2", "git"] | None = None
    sample: bool = False
    generation: str = ""
    pci_id: str = ""


class GpuFile(Entry, frozen=True, kw_only=True):
    """One file of rules/tables/gpus."""

    generation: str
    gpus: dict[str, GpuEntry]


class LinuxSupport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Linux releases whose kernel driver binds by itself, or only when forced; None: never."""

    i915: str | None = None
    i915_force_probe: str | None = None
    xe: str | None = None
    xe_force_probe: str | None = None


class Platform(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chip of a generation, such as Coffee Lake; `firmware`: it does not start without GuC's.

    `threads_per_eu` and `eus_per_subslice` only where they differ from the generation's.
    """

    names: str
    linux: LinuxSupport
    firmware: bool = False
    threads_per_eu: int | None = None
    eus_per_subslice: int | None = None
    cpus: str | None = None
    years: str | None = None
    note: str | None = None

    @property
    def is_inside(self) -> bool:
        """Whether it is known to be inside a processor; it may be a card otherwise."""
        return self.cpus not in (None, "discrete")


class Support(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Versions of an implementation that drive a generation, and the Linux they need.

    Where `versions` are those that were looked at, `never` are older ones that surely don't.
    `images`: whether kernels can use images there.
    """

    versions: str
    linux: str = "*"
    never: str | None = None
    images: bool | None = None


class Capabilities(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an implementation reports on a generation; `fp16`, `fp64`: without being asked to."""

    opencl_version: str
    max_work_group_size: int
    sub_group_sizes: tuple[int, ...]
    local_memory_bytes: int
    fp16: bool
    fp64: bool
    images: bool | None = None
    note: str | None = None


class Generation(Entry, frozen=True, kw_only=True):
    """A generation of Intel GPUs.

    `ip_versions` are the `architecture.release` ranges of CL_DEVICE_IP_VERSION_INTEL,
    `ip_versions_early` those of drivers that packed it as 8-bit fields (seen in 22.43).
    `not_driven_by` says why an implementation never drives it.
    """

    generation: str
    microarchitecture: str
    platforms: dict[str, Platform]
    implementations: dict[str, Support] = {}
    no_opencl_because: str | None = None
    not_driven_by: dict[str, str] = {}
    capabilities: dict[str, Capabilities] = {}
    ip_versions: tuple[str, ...] = ()
    ip_versions_early: tuple[str, ...] = ()
    level_zero: bool | None = None
    threads_per_eu: int | None = None
    eus_per_subslice: int | None = None
    fp32_flops_per_clock_per_eu: int | None = None
    fp16_flops_per_clock_per_eu: int | None = None

    @property
    def age(self) -> tuple[str, str]:
        """What generations are sorted by: the year of the first chip, then the name."""
        years = [one.years for one in self.platforms.values() if one.years]
        return min(years, default="9"), self.generation


class BuiltWith(Entry, frozen=True, kw_only=True):
    """The compiler and memory library that upstream's manifest of a release names."""

    igc: str
    gmmlib: str


class Chooser(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a variable may say that chooses an implementation's devices: words between separators.

    `values` are the words that any build knows, with the versions that do; others, and words in
    capitals, choose nothing. `without_gpu` are those that are always there.
    """

    separator: str
    values: dict[str, str]
    without_gpu: tuple[str, ...]


class Implementation(Entry, frozen=True, kw_only=True):
    """An OpenCL implementation.

    `packages` are per distribution id, and so is `level_zero`: those with its Level Zero driver and
    that API's loader; `level_zero_of_maker` is what its maker's repositories call them.
    `companions` are loaded at run time. `enable` are variables without which it shows no device.
    `platform_without_device` tells whether it lists its platform when it has no device,
    `no_device_errors` which OpenCL errors mean just that. `builds` are the first build numbers, as
    platforms tell them, of some releases. `ids_listed` is the column of the tables of GPUs with its
    list of PCI ids; without one it drives all chips of the generations that name it. `linux`: what
    it needs on any GPU; `wsl2`: the generations and platforms that it drives under WSL2.
    `built_with` is per release. `variables`: what they change; `variables_name`: what the values of
    some name. `caches`: the folder for what it compiles, by the variable that names another one;
    where it `needs_cache` it computes nothing without. `commands` are those that it starts by name.
    `choosers`: values of those that choose devices. `packaging` corrects what is often said about
    which releases package it. `not_planned` says why no plan installs it. `called`: more names.
    `not_under_wsl2` says why it drives nothing there. `enable_by_vendor`: as `enable`, where a
    GPU's vendor decides. `afterwards`: what is to be done once it is installed. `opencl` is the
    least version that it offers on any GPU, `images` whether kernels can use them on every one.
    `tells_llvm` finds in its platform's version the LLVM of builds that `releases` with `cores` are
    about.
    """

    implementation: str
    name: str
    status: str
    maintained: bool
    device_types: tuple[DeviceType, ...]
    version_scheme: Scheme
    recognise: Recognise
    platform_without_device: bool
    device_nodes: tuple[str, ...] = ()
    kernel_drivers: tuple[KernelDriver, ...] = ()
    linux: str = "*"
    wsl2: tuple[str, ...] = ()
    not_under_wsl2: str | None = None
    architectures: tuple[str, ...] = ()
    ids_listed: Literal["neo", "legacy1", "beignet", "mesa"] | None = None
    enable: dict[str, str] = {}
    enable_by_vendor: dict[str, dict[str, str]] = {}
    modules_of: "tuple[KernelModule, ...]" = ()
    afterwards: tuple[str, ...] = ()
    no_device_errors: tuple[int, ...] = ()
    packages: dict[str, tuple[str, ...]] = {}
    level_zero_of_maker: tuple[str, ...] = ()
    level_zero: dict[str, tuple[str, ...]] = {}
    companions: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    builds: dict[str, str] = {}
    built_with: dict[str, BuiltWith] = {}
    variables: dict[str, str] = {}
    variables_name: dict[str, Names] = {}
    caches: dict[str, str] = {}
    needs_cache: bool = False
    commands: tuple[str, ...] = ()
    choosers: dict[str, Chooser] = {}
    packaging: str | None = None
    tells_llvm: str | None = None
    not_planned: str | None = None
    opencl: str | None = None
    images: bool | None = None
    recipe: "Recipe | None" = None
    releases: "tuple[Release, ...]" = ()  # Python 3.10 resolves only whole strings
    elsewhere: "tuple[Elsewhere, ...]" = ()
    problems: tuple[str, ...] = ()

    @property
    def modules(self) -> frozenset[str]:
        """The modules of Linux that it works with, some only once they are forced to bind."""
        return frozenset(driver.rstrip("!") for driver in self.kernel_drivers)


class KernelModule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The package with the kernel module that a library's package needs, of the same version.

    `library` is a regular expression; `closed` and `open` may name its groups. `open_since`: the
    version from which the open module is taken where the GPU works with either. `headers` is what
    the module is built with. `instead`: the package replaces the library's, and brings it.
    """

    library: str
    closed: str | None = None
    open: str | None = None
    open_since: str | None = None
    headers: str | None = None
    instead: bool = False


class Enabling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step that switches a repository on: packages to install, or a command that root runs.

    `{release}` stands for the distribution's release.
    """

    title: str
    packages: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    undo: tuple[str, ...] | None = None
    verify: tuple[str, ...] | None = None


class Configuration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a distribution that is configured in one file gets a driver.

    `file` is the file, `driver` the lines with `{packages}` for the packages, `variable` a line
    with `{name}` and `{value}`, `apply` the command that builds it. `prefix` goes before each
    package.
    """

    file: str
    driver: str
    variable: str
    apply: str
    prefix: str = ""


class Recipe(Entry, frozen=True, kw_only=True):
    """How to build it from source, as text: `commits` by repository, and what must be known."""

    commits: dict[str, str]
    note: str
    python: str = "*"


class Release(Entry, frozen=True, kw_only=True):
    """Something to know about a range of versions, on some generations (none: all) and Linux.

    `breaks`: it does not work as installed; `environment` are variables with which it does.
    `mended`: package versions inside the range that carry the correction. `flawed`: now and then it
    computes wrongly, hangs or crashes; `shows` is how that reads in what programs print, where it
    is no flaw without. `families` are some of AMD's and others'. `wsl2`: it holds there alone.
    `outdated`: its makers ask for a newer one. `cores`: it holds on these processors, under builds
    that compile with these versions of `llvm`, whatever the GPU.
    """

    versions: str
    note: str
    linux: str = "*"
    llvm: str = "*"
    generations: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    cores: tuple[str, ...] = ()
    wsl2: bool = False
    outdated: bool = False
    breaks: bool = False
    flawed: bool = False
    shows: str = ""
    environment: dict[str, str] = {}
    mended: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Whether it does not work, whatever variable is set."""
        return self.breaks and not self.environment

    def concerns(self, generation: Generation | None, family: str | None = None) -> bool:
        """Whether it is about that generation or that key of a family, or about all GPUs."""
        if self.cores:
            return False
        of_it = generation is not None and generation.generation in self.generations
        return of_it or family in self.families or not (self.generations or self.families)


class Compiler(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a build compiles kernels with, where that must have a name for the processor.

    `note` is what to know of it where the processor is not known.
    """

    llvm: str
    note: str


class Elsewhere(Entry, frozen=True, kw_only=True):
    """A way to install it where the distribution itself has none.

    `origin` is a distribution or a project's releases (files fetched by hand), a key of
    rules/tables/origins, or "pip"; `onto` are the distributions it was seen to fit, "*" all.
    `version` None: the newest, not looked at; `versions` are those of packages that differ.
    `glibc` and `python` are the ranges that its files were built for, `architectures` likewise.
    `page` is where files are fetched by hand, with `{package}` for the name of each, and `sha256`
    what they must hash to. `writes` are small files, by path, that it needs besides. `lines` are
    what a person types or writes where no step does it. `module_for`: the generations whose kernel
    driver is among the packages, because Linux has none for them; it is for no others. `compiler`
    is as in `PackageVersion`.
    """

    how: Literal["file", "repository", "pip", "by-hand"]
    origin: str
    onto: tuple[str, ...]
    packages: tuple[str, ...]
    note: str
    version: str | None = None
    versions: dict[str, str] = {}
    glibc: str = "*"
    python: str = "*"
    architectures: tuple[str, ...] = ()
    status: Literal["supported", "workaround", "unverified"] = "workaround"
    page: str | None = None
    sha256: dict[str, str] = {}
    writes: dict[str, str] = {}
    lines: tuple[str, ...] = ()
    module_for: tuple[str, ...] = ()
    compiler: Compiler | None = None


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A small file that says how a package is to be installed, written before that.

    `vendors` are those of the GPUs that it is for; without any it is for all.
    """

    path: str
    text: str
    vendors: tuple[str, ...] = ()


class PackageVersion(Entry, frozen=True, kw_only=True):
    """A package in one pocket (release, updates, security, backports …) of a distribution.

    `also_drives` are generations that this build holds although its version leaves that open.
    `base`: the source package that makes it, where that has another name. Where
    nobody read which version it is, `version` is the least that follows from releases around it,
    and `at_most` the newest. `compiler`: what it compiles kernels with, where a `release` of the
    implementation asks which processor that knows. `settings` are files that its installation
    asks for, such as Gentoo's USE flags.
    """

    pocket: str
    version: str
    at_most: str | None = None
    implementations: tuple[str, ...] = ()
    role: (
        Literal[
            "loader", "tool", "companion", "level-zero", "binding", "vulkan", "firmware", "linux"
        ]
        | None
    ) = None
    component: str | None = None
    also_drives: tuple[str, ...] = ()
    base: str | None = None
    note: str | None = None
    compiler: Compiler | None = None
    settings: tuple[Setting, ...] = ()


class LinuxVersions(Entry, frozen=True, kw_only=True):
    """Linux as a release ships it, as hardware-enablement kernel, and in its backports.

    `at_least`: updates bring GPU drivers of a later Linux than `default`; nobody saw which.
    """

    default: str
    at_least: bool = False
    hwe: str | None = None
    backports: str | None = None


class NotPackaged(Entry, frozen=True, kw_only=True):
    """Implementations without a package, and why that is known, or what would settle it."""

    implementations: tuple[str, ...]
    because: str


class Ended(Entry, frozen=True, kw_only=True):
    """The day of a release's last updates, the release that has them `instead`, and what remains.

    Only ends that were past when they were written down are here: a plan asks no clock. `unless`
    is what brings them for longer. `of` is what has ended, where that is not the whole release.
    """

    date: str
    instead: str
    of: str | None = None
    unless: str | None = None
    note: str | None = None


class Derived(Entry, frozen=True, kw_only=True):
    """Releases of other distributions, without a table, that are built on this one.

    `note` is what their users must know before they install packages of this one. `ended` is their
    own end. `linux`, `headers` and `firmware` are what they have in place of this one's.
    `linux_ends`: how their Linux's release ends, where os-release is this one's.
    """

    names: tuple[str, ...]
    note: str | None = None
    ended: Ended | None = None
    linux: LinuxVersions | None = None
    linux_ends: str | None = None
    headers: str | None = None
    firmware: str | None = None


class Distribution(Entry, frozen=True, kw_only=True):
    """A release of a distribution, which people also write as it is `called`.

    `node_group` is the group of render nodes, `absent` are packages that it verifiably lacks,
    `python` and `glibc` those that it ships, `also` ids of rebuilds, `image` the name of its
    official container image. `os_release_of` is the release whose os-release it shows as well, so
    that a host alone does not tell which of the two it is. `released` False: no page of its release
    was found yet, so that its distribution's name alone does not mean it. Every implementation for
    this architecture is in a row of `packages`, in `lacks` (no package there) or in `unknown`
    (nobody has looked), with what would settle it. `enabling` are the steps that switch a pocket
    on, `configuration` how it is configured where no package manager installs drivers. `manager`
    is the package manager of an edition of it, where that has another. `nvidia_group` may open the
    nodes of NVIDIA's driver, where not everybody may. `loader` is the package of the ICD loader,
    for which not every driver asks by itself. `settings_note` is what to know of the files that
    packages ask for. `systemd` False: its services are not systemd's.
    `ended`: it gets no updates any more. `headers` is the package of those of its Linux, where that
    is its own, `firmware` the one that holds all of it.
    """

    id: str
    release: str
    name: str
    packages: dict[str, tuple[PackageVersion, ...]]
    codename: str | None = None
    called: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    python: str | None = None
    glibc: str | None = None
    linux: LinuxVersions | None = None
    node_group: str | None = None
    nvidia_group: str | None = None
    loader: str | None = None
    image: str | None = None
    os_release_of: str | None = None
    index_date: str | None = None
    released: bool = True
    absent: tuple[str, ...] = ()
    enabling: dict[str, tuple[Enabling, ...]] = {}
    configuration: Configuration | None = None
    manager: str | None = None
    settings_note: str | None = None
    systemd: bool = True
    ended: Ended | None = None
    headers: str | None = None
    firmware: str | None = None
    lacks: tuple[NotPackaged, ...] = ()
    unknown: tuple[NotPackaged, ...] = ()

    @property
    def key(self) -> str:
        """Its name on the command line, such as ubuntu-24.04."""
        return f"{self.id}-{self.release}"

    @property
    def short_name(self) -> str:
        """Its name in sentences, without the code name: "Debian 12"."""
        return re.sub(r" \(.*\)", "", self.name)

    @property
    def c_library(self) -> str | None:
        """The version of glibc; "0" where the C library is another one, None if not known."""
        return "0" if self.id == "alpine" else self.glibc

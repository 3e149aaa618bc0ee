# SPDX-License-Identifier: MIT
"""The tables of rules/tables: GPUs, generations, implementations, distributions, stacks."""

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from clprobe.knowledge import core_table, gpu_names, processors, release_names
from clprobe.knowledge.adapter_table import Adapter, Adapters
from clprobe.knowledge.checked_yaml import document, nearest, read, table_error, text_of
from clprobe.knowledge.core_table import Core, Cores
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.interface_table import Interface
from clprobe.knowledge.named_gpu import NamedGpu, Names, resolve
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.processors import ProcessorLine, Processors
from clprobe.knowledge.program_table import Program
from clprobe.knowledge.stack_table import Stack
from clprobe.knowledge.system_table import Systems
from clprobe.knowledge.table_types import (
    Distribution,
    Entry,
    Generation,
    GpuEntry,
    GpuFile,
    Implementation,
)
from clprobe.knowledge.windows_table import WindowsDriver
from clprobe.model.errors import ClprobeError
from clprobe.model.system import Cpu
from clprobe.model.unknown import Fact
from clprobe.resources import rules_path

T = TypeVar("T", bound=Entry)


class Tables:
    """Everything the tables know. Files are read when they are first asked for, and kept."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, Any] = {}
        self._texts: dict[Path, str] = {}
        self._chips: dict[str, tuple[GpuEntry, ...]] = {}
        self._processors: dict[str, ProcessorLine] | None = None
        self._names: Names | None = None
        self._listed: dict[str, list[Path]] = {}
        self._keys: dict[str, dict[str, Path]] = {}

    @classmethod
    def load(cls, root: Path | None = None) -> "Tables":
        """Return the tables under `root`, or clprobe's own.

        Raises: ClprobeError if there is no such folder. What is wrong in a file is raised by the
        first question that needs it.
        """
        root = rules_path() / "tables" if root is None else root
        if not root.is_dir():
            raise ClprobeError(
                reference="tables-missing",
                message=f"{root} is not a folder of tables.",
                hint="Reinstall clprobe; its data files are gone.",
            )
        return cls(root)

    @property
    def are_shipped(self) -> bool:
        """Whether these are clprobe's own tables."""
        return self._root == rules_path() / "tables"

    def gpu(self, pci_id: Fact[str | None]) -> GpuEntry | None:
        """Return what is known of a PCI id such as "8086:5916"; None if it is in no table."""
        if not isinstance(pci_id, str):
            return None
        pci_id = pci_id.lower()
        for path in self._paths("gpus"):
            # Reading 16 files costs less than parsing one, so parse only the one that has it.
            if path in self._files or f'"{pci_id}"' in self._text(path):
                found = self._file(path, GpuFile).gpus.get(pci_id)
                if found is not None:
                    return found
        return None

    def gpus(self) -> dict[str, GpuEntry]:
        """Return every GPU by its PCI id. This parses all files and takes a moment."""
        return {
            pci_id: entry
            for path in self._paths("gpus")
            for pci_id, entry in self._file(path, GpuFile).gpus.items()
        }

    def chips(self, generation: str) -> tuple[GpuEntry, ...]:
        """Return the GPUs of a generation that were sold."""
        if not self._chips:
            for entry in self.gpus().values():
                if not entry.sample:
                    self._chips[entry.generation] = (*self._chips.get(entry.generation, ()), entry)
        return self._chips.get(generation, ())

    def named_gpu(self, name: str) -> NamedGpu:
        """Return what a name, a PCI id or what a program prints of a GPU stands for."""
        return resolve(name, self)

    def gpu_names_known(self) -> Names:
        """Return the names and PCI ids of all cards and adapters that are not in gpus/."""
        if self._names is None:
            self._names = Names(list(self.families().values()), self.adapters())
        return self._names

    def adapters(self) -> list[Adapter]:
        """Return the display adapters that cannot compute."""
        return [one for table in self._all("adapters", Adapters) for one in table.adapters]

    def find_gpus(self, name: str) -> list[tuple[str, GpuEntry]]:
        """Return Intel's GPUs that people call `name`: by marketing name, codename or generation.

        The name of a processor stands for the GPU inside it.
        """
        return [(one.pci_id, one) for one in self.named_gpu(name).chips]

    def processor(self, name: str) -> ProcessorLine | None:
        """Return what is known of the GPU in the processor of that name; None: of no such one."""
        if not processors.may_be_one(name):
            return None
        if self._processors is None:
            self._processors = processors.index(self.processors())
        return processors.find(name, self._processors)

    def program(self, name: str) -> Program | None:
        """Return what is known of a program by its name as a viewer; None: nothing is."""
        return self._one("programs", name, Program)

    def programs(self) -> list[Program]:
        """Return what programs print, by the name of their files."""
        return self._all("programs", Program)

    def processors(self) -> list[Processors]:
        """Return the processors of each vendor."""
        return self._all("processors", Processors)

    def cores(self) -> list[Cores]:
        """Return the cores of each maker of processors, as compilers tell them apart."""
        return self._all("cores", Cores)

    def core_of(self, cpu: Cpu) -> Core | None:
        """Return the core of a processor; None: it is not known, or in no table."""
        return core_table.core_of(cpu, self.cores())

    def core_named(self, name: str) -> Core | None:
        """Return the core that a name such as "zen4" or "Ryzen 7 5800X" stands for."""
        return core_table.core_named(name, self.cores())

    def only_core(self, vendor: str) -> Core | None:
        """Return the core of all processors of a maker; None where it has several."""
        found = [core for one in self.cores() if one.vendor == vendor for core in one.cores]
        return found[0] if len(found) == 1 else None

    def nearest_gpu_names(self, name: str) -> str:
        """Return a hint that names the GPUs whose name looks most like `name`."""
        boards = self.gpu_names_known().boards
        return gpu_names.suggest(name, self.gpus(), self.generations(), boards)

    def generation(self, key: str) -> Generation | None:
        """Return a generation such as "Gen9.5", "Gen12/Xe-LP" or, for short, "xe-lp"."""
        found = self._one("generations", key.replace("/", "-"), Generation)
        if found is not None:
            return found
        known = self.generations().values()
        return next((g for g in known if key.lower() in g.generation.lower().split("/")), None)

    def generations(self) -> dict[str, Generation]:
        """Return all generations by key, the oldest first."""
        found = sorted(self._all("generations", Generation), key=lambda g: g.age)
        return {generation.generation: generation for generation in found}

    def generation_of_ip_version(self, ip_version: int) -> str | None:
        """Return the generation of a CL_DEVICE_IP_VERSION_INTEL; None if it decides nothing.

        Drivers up to 22.43 report 9.0 for all of Gen9 and Gen9.5, which is no answer either.
        """
        found = [
            g.generation
            for g in self.generations().values()
            if gpu_names.ip_version_in(ip_version, g)
        ]
        return found[0] if len(found) == 1 else None

    def named_system(self, name: str) -> release_names.NamedSystem:
        """Return what a system's name stands for: a release, what it is built on, or another."""
        return release_names.resolve(name, self.distributions(), self.systems())

    def systems(self) -> list[Systems]:
        """Return the systems that no file of distributions/ is about."""
        return self._all("systems", Systems)

    def families(self) -> dict[str, Family]:
        """Return the families of chips that are not in gpus/ by key."""
        return {f.family: f for f in self._all("families", Family)}

    def interfaces(self) -> dict[str, Interface]:
        """Return the interfaces beside OpenCL by key."""
        return {one.interface: one for one in self._all("interfaces", Interface)}

    def implementation(self, key: Fact[str | None]) -> Implementation | None:
        """Return an implementation such as "compute-runtime"."""
        return self._one("implementations", key, Implementation) if isinstance(key, str) else None

    def implementations(self) -> dict[str, Implementation]:
        """Return all implementations by key."""
        return {i.implementation: i for i in self._all("implementations", Implementation)}

    def recognise(
        self,
        library_path: str | None = None,
        platform_name: Fact[str | None] = None,
        platform_version: Fact[str | None] = None,
        driver_version: Fact[str | None] = None,
    ) -> str | None:
        """Return the implementation behind a library or a platform; None if nothing fits.

        A library decides alone. By platform, an entry that asks for more beats one that asks for
        less: mainline and legacy1 of compute-runtime share all but the driver version.
        """
        known = self.implementations().values()
        if library_path is not None:
            file_name = library_path.rsplit("/", 1)[-1]
            for entry in known:
                for pattern in entry.recognise.libraries:
                    if fnmatchcase(library_path if "/" in pattern else file_name, pattern):
                        return entry.implementation
        fitting = [
            entry
            for entry in known
            if _fits(platform_name, entry.recognise.platform_names, needed=True)
            and _fits(platform_version, entry.recognise.platform_versions)
            and _fits(driver_version, entry.recognise.driver_versions)
        ]
        fitting.sort(key=lambda entry: entry.recognise.driver_versions == ("*",))
        return fitting[0].implementation if fitting else None

    def recognise_file(self, icd_path: str) -> str | None:
        """Return the implementation that registers a file of that name; None if none is known."""
        file_name = icd_path.rsplit("/", 1)[-1]
        for entry in self.implementations().values():
            if any(fnmatchcase(file_name, pattern) for pattern in entry.recognise.files):
                return entry.implementation
        return None

    def distribution(self, distribution_id: str, release: str) -> Distribution | None:
        """Return a release such as ("ubuntu", "24.04"), also by codename or as a rebuild."""
        found = self._one("distributions", f"{distribution_id}-{release}", Distribution)
        if found is not None:
            return found
        for entry in self.distributions():
            same = distribution_id in (entry.id, *entry.also)
            if same and release in (entry.release, entry.codename):
                return entry
        return None

    def distributions(self) -> list[Distribution]:
        """Return all releases, by id and then from old to new."""
        return sorted(self._all("distributions", Distribution), key=_by_release)

    def stack(self, key: str) -> Stack | None:
        """Return a deep-learning stack such as "pytorch-xpu"."""
        return self._one("stacks", key, Stack)

    def stacks(self) -> dict[str, Stack]:
        """Return all stacks by key."""
        return {s.stack: s for s in self._all("stacks", Stack)}

    def origin(self, key: str) -> Origin | None:
        """Return a third party's repository such as "nvidia-cuda"."""
        return self._one("origins", key, Origin)

    def origins(self) -> dict[str, Origin]:
        """Return all repositories of third parties by key."""
        return {o.origin: o for o in self._all("origins", Origin)}

    def package_managers(self) -> dict[str, PackageManager]:
        """Return all package managers by key."""
        return {m.manager: m for m in self._all("package_managers", PackageManager)}

    def windows_drivers(self) -> dict[str, WindowsDriver]:
        """Return the drivers for Windows by vendor."""
        return {one.vendor: one for one in self._all("windows_drivers", WindowsDriver)}

    def _paths(self, folder: str) -> list[Path]:
        if folder not in self._listed:
            self._listed[folder] = sorted((self._root / folder).glob("*.yaml"))
        return self._listed[folder]

    def _by_key(self, folder: str) -> dict[str, Path]:
        if folder not in self._keys:
            self._keys[folder] = {path.stem: path for path in self._paths(folder)}
        return self._keys[folder]

    def _one(self, folder: str, key: str, kind: type[T]) -> T | None:
        key = key.lower()
        if not re.fullmatch(r"[a-z0-9._-]+", key):
            return None
        # Looked for in what is there: a name from a host may be too long to ask a disk about.
        path = self._by_key(folder).get(key)
        return self._file(path, kind) if path is not None else None

    def _all(self, folder: str, kind: type[T]) -> list[T]:
        return [self._file(path, kind) for path in self._paths(folder)]

    def _text(self, path: Path) -> str:
        if path not in self._texts:
            self._texts[path] = path.read_text(encoding="utf-8")
        return self._texts[path]

    def _file(self, path: Path, kind: type[T]) -> T:
        if path not in self._files:
            self._files[path] = read_table(path, kind)
        content: T = self._files[path]
        return content


_WITH_PARTS = (dict, list)
KINDS: dict[str, type[Entry]] = {
    "gpus": GpuFile,
    "generations": Generation,
    "families": Family,
    "interfaces": Interface,
    "implementations": Implementation,
    "distributions": Distribution,
    "stacks": Stack,
    "origins": Origin,
    "package_managers": PackageManager,
    "processors": Processors,
    "cores": Cores,
    "windows_drivers": WindowsDriver,
    "adapters": Adapters,
    "systems": Systems,
    "programs": Program,
}
"""What a file is, by its folder under rules/tables."""


def read_table(path: Path, kind: type[T]) -> T:
    """Return one file of the tables.

    Raises: ClprobeError if it does not fit the type; names file, line and the nearest word.
    """
    data = document(path)
    if isinstance(data, dict):
        legend = data.get("sources", {})
        _put_sources(data, legend if isinstance(legend, dict) else {}, path)
        gpus = data.get("gpus")
        if kind is GpuFile and isinstance(gpus, dict):
            for pci_id, entry in gpus.items():
                if isinstance(entry, dict):
                    entry.update(pci_id=pci_id, generation=data.get("generation"))
    return read(path, kind, data=data)


def _put_sources(data: dict[str, Any] | list[Any], legend: dict[str, Any], path: Path) -> None:
    """Put the sources themselves where entries name them: by key, or by letters as in KMN."""
    parts = data.items() if isinstance(data, dict) else enumerate(data)
    for key, part in parts:
        # Most parts are texts, and all tables have some 30,000.
        if isinstance(part, _WITH_PARTS) and key != "sources":
            _put_sources(part, legend, path)
    if isinstance(data, list) or "sources" not in data:
        return
    named = data.pop("sources")
    if named is legend:
        data["sources"] = list(legend.values())
    elif isinstance(named, str | list):
        data["sources"] = [_source(name, legend, path) for name in _names(named, legend)]


def _names(named: str | list[Any], legend: dict[str, Any]) -> list[str]:
    return [named] if isinstance(named, str) and named in legend else list(map(str, named))


def _source(name: str, legend: dict[str, Any], path: Path) -> Any:
    if name not in legend:
        lines = text_of(path).splitlines()
        line = next(
            (i for i, t in enumerate(lines, 1) if re.search(rf"sources:.*{re.escape(name)}", t)), 1
        )
        hint = nearest(name, list(map(str, legend)))
        raise table_error(path, line, f"{name!r} is no source of this file.", hint)
    return legend[name]


def _fits(value: Fact[str | None], patterns: tuple[str, ...], *, needed: bool = False) -> bool:
    if not isinstance(value, str):
        return not needed and "*" in patterns
    return any(fnmatchcase(value.strip(), pattern) for pattern in patterns)


def _by_release(entry: Distribution) -> tuple[str, list[int], str]:
    # Names such as forky and sid come after all numbers.
    numbers = re.findall(r"\d+", entry.release)
    return entry.id, [int(number) for number in numbers] or [9999], entry.release

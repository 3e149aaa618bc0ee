# SPDX-License-Identifier: MIT
"""Finds libraries as the dynamic linker would, and looks at them without loading any."""

from itertools import product
from typing import Any

from msgspec.structs import replace

from clprobe.model.opencl import Library
from clprobe.model.unknown import Unknown, listed
from clprobe.probe.facts import ask, is_there
from clprobe.probe.host import ElfFile, Host

# Folders that linkers search without any configuration: glibc's (Debian's with the multiarch
# triplet), then musl's.
_DEFAULT_FOLDERS = ("/lib/{triplet}", "/usr/lib/{triplet}", "/lib64", "/usr/lib64", "/lib",
                    "/usr/lib", "/usr/local/lib")  # fmt: skip
_TRIPLETS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "i386": "i386-linux-gnu"}
_NARROW = {"x86_64": "i386", "aarch64": "arm"}
_MOST_LIBRARIES = 500
# What else x86's dynamic linker may fill in for $PLATFORM (ld.so(8)): the processor's class.
_CLASSES = {"x86_64": ("haswell", "xeon_phi"), "i386": ("i586", "i686")}

_IN_HEADERS = ("format", "elf_class", "machine", "size_bytes", "required_bytes",
               "missing_dependencies")  # fmt: skip


class Libraries:
    """The dynamic linker's view of one host; remembers what it has looked at."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._headers: dict[str, ElfFile | Unknown] = {}
        self._folders_of: dict[str, str] = {}
        self._found: dict[tuple[str, str, tuple[str, ...]], str | None] = {}
        machine = host.machine()
        self._bits = machine.pointer_bits
        self._machine = (
            machine.architecture
            if machine.pointer_bits == 64
            else _NARROW.get(machine.architecture, machine.architecture)
        )
        self._folders = tuple(
            folder.format(triplet=_TRIPLETS.get(self._machine, self._machine))
            for folder in _DEFAULT_FOLDERS
        )
        self._tokens = {
            # Which one it is was decided when the linker itself was built.
            "LIB": tuple(folder[1:] for folder in self._folders if folder.startswith("/lib")),
            "PLATFORM": (self._machine, *_CLASSES.get(self._machine, ())),
        }

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders that the linker searches without any configuration."""
        return self._folders

    def find(self, name: str, *, beside: tuple[str, ...] = ()) -> str | None:
        """Return the file that dlopen would open, None if it finds none.

        `beside` are folders searched first. A file for another processor is returned only if
        there is no better one, because the linker passes over it too.
        """
        if "\0" in name:
            return None
        if "/" in name:
            # dlopen fills in tokens, $ORIGIN by who calls it, which nobody knows here.
            paths = self._expanded(name, "$ORIGIN")
            return next((path for path in paths if is_there(self._host.status, path)), None)
        candidates = [f"{folder}/{name}" for folder in (*beside, *self.path_of_environment())]
        candidates += self.in_cache(name)
        candidates += self.in_default_folders(name)
        other: str | None = None
        for path in dict.fromkeys(candidates):
            if is_there(self._host.status, path):
                if self.is_for_this_process(path):
                    return path
                other = other or path
        return other

    def in_cache(self, name: str) -> list[str]:
        """Return what the linker's cache has under the name; nothing where there is no cache."""
        cached = listed(ask(self._host.cached_libraries, name))
        return [library.path for library in cached]

    def in_default_folders(self, name: str) -> list[str]:
        """Return where the linker looks in the end, after its cache."""
        return [f"{folder}/{name}" for folder in self._folders]

    def path_of_environment(self) -> tuple[str, ...]:
        """Return the folders of LD_LIBRARY_PATH."""
        text = self._host.environment().get("LD_LIBRARY_PATH", "")
        return tuple(folder.rstrip("/") for folder in text.replace(";", ":").split(":") if folder)

    def is_for_this_process(self, path: str) -> bool:
        """Tell whether a library has the class and machine of this Python."""
        elf = self.headers(path)
        return (
            isinstance(elf, ElfFile)
            and elf.format == "elf"
            and (elf.elf_class, elf.machine) == (self._bits, self._machine)
        )

    def why_not_loadable(self, path: str) -> str | Unknown | None:
        """Return why a library must not or cannot be loaded here, None if it may be tried.

        Unknown: it opens, and yet nobody could look at it.
        """
        elf = self.headers(path)
        if isinstance(elf, Unknown):
            return elf if self._opens(path) else elf.unknown
        damage = self.damage(path)
        if isinstance(damage, str):
            return f"{path} {damage}"
        if not self.is_for_this_process(path):
            return (
                f"{path} is a {elf.elf_class}-bit library for {elf.machine}, "
                f"this process is {self._bits}-bit {self._machine}"
            )
        return None

    def damage(self, path: str) -> str | Unknown | None:
        """Return why a file is no whole library, None if it looks whole; whatever it is for."""
        elf = self.headers(path)
        if isinstance(elf, Unknown):
            return elf
        if elf.format != "elf":
            return "is empty" if elf.format == "empty" else "is not an ELF library"
        if self._is_damaged(elf):
            return f"is damaged: {elf.problem}"
        if self.is_for_this_process(path) and elf.required_bytes > elf.size_bytes:
            return f"is cut off: {elf.size_bytes} of at least {elf.required_bytes} bytes"
        return None

    def describe(self, path: str | None) -> Library:
        """Return what is known of the library at `path` without loading it."""
        if path is None:
            nothing = Unknown("the dynamic linker finds no such file")
            return _unread(nothing, path=None, open_error=nothing, package=None)
        status = ask(self._host.status, path)
        open_error = ask(self._host.open_error, path, "read")
        told = {"path": path, "open_error": open_error}
        if not isinstance(status, Unknown) and status.kind != "file":
            kind = "directory" if status.kind == "directory" else "not-elf"
            return _unread(Unknown(f"{path} is a {status.kind}"), format=kind, **told)
        elf = self.headers(path)
        if isinstance(elf, Unknown):
            return _unread(elf, format=elf if self._opens(path) else "unreadable", **told)
        if elf.format != "elf":
            why = Unknown(f"{path} has no ELF header")
            return _unread(why, format=elf.format, size_bytes=elf.size_bytes, **told)
        whole = Library(
            path=path,
            real_path=self._host.real_path(path),
            format="elf",
            elf_class=elf.elf_class,
            machine=elf.machine,
            size_bytes=elf.size_bytes,
            required_bytes=elf.required_bytes,
            missing_dependencies=self.missing_dependencies(path),
            open_error=open_error,
        )
        if not self._is_damaged(elf):
            return whole
        why = Unknown(f"{path} is damaged: {elf.problem}")
        return replace(
            whole,
            format="damaged",
            elf_class=elf.elf_class or why,
            machine=elf.machine or why,
            required_bytes=why,
            missing_dependencies=why,
        )

    def _opens(self, path: str) -> bool:
        """Tell whether the path is a file that opens."""
        status = ask(self._host.status, path)
        if isinstance(status, Unknown) or status.kind != "file":
            return False
        return ask(self._host.open_error, path, "read") is None

    def _is_damaged(self, elf: ElfFile) -> bool:
        """Tell whether headers that are meant for this processor contradict themselves."""
        return bool(elf.problem) and elf.machine in ("", self._machine)

    def headers(self, path: str) -> ElfFile | Unknown:
        """Return the ELF headers of a file, Unknown if it is no file or cannot be read."""
        if path not in self._headers:
            self._headers[path] = self._read_headers(path)
        return self._headers[path]

    def _read_headers(self, path: str) -> ElfFile | Unknown:
        status = ask(self._host.status, path)
        if isinstance(status, Unknown):
            return status
        if status.kind != "file":
            return Unknown(f"{path} is a {status.kind}")
        return ask(self._host.elf, path)

    def missing_dependencies(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the needed libraries that the linker finds nowhere, those of needed ones too."""
        if not self.is_for_this_process(path):
            return Unknown(f"{path} is for another processor than this Python")
        missing: list[str] = []
        seen: set[str] = set()
        waiting = [path]
        while waiting and len(seen) < _MOST_LIBRARIES:
            current = waiting.pop(0)
            elf = self.headers(current)
            if isinstance(elf, Unknown):
                continue
            folder = self._folder_of(current)
            beside = self.run_path(elf, folder)
            for name in elf.needed:
                if name in seen:
                    continue
                seen.add(name)
                found = self._needed(name, folder, beside)
                if found is None:
                    missing.append(name)
                else:
                    waiting.append(found)
        return tuple(missing)

    def _folder_of(self, path: str) -> str:
        if path not in self._folders_of:
            self._folders_of[path] = self._host.real_path(path).rpartition("/")[0]
        return self._folders_of[path]

    def run_path(self, elf: ElfFile, origin: str) -> tuple[str, ...]:
        """Return the folders that a library in the folder `origin` names to find others in."""
        return tuple(
            folder.rstrip("/") for part in elf.run_path for folder in self._expanded(part, origin)
        )

    def _needed(self, name: str, origin: str, beside: tuple[str, ...]) -> str | None:
        """Return the library that the linker takes for a name in DT_NEEDED, None if none."""
        asked = name, origin, beside
        if asked not in self._found:
            found = (self.find(one, beside=beside) for one in self._expanded(name, origin))
            usable = (path for path in found if path is not None and self.is_for_this_process(path))
            self._found[asked] = next(usable, None)
        return self._found[asked]

    def _expanded(self, text: str, origin: str) -> tuple[str, ...]:
        """Return what the linker may make of a text by filling in its tokens (ld.so(8))."""
        tokens = {"ORIGIN": (origin,), **self._tokens}
        used = [name for name in tokens if f"${name}" in text or f"${{{name}}}" in text]
        texts = []
        for values in product(*(tokens[name] for name in used)):
            filled = text
            for name, value in zip(used, values, strict=True):
                filled = filled.replace(f"${{{name}}}", value).replace(f"${name}", value)
            texts.append(filled)
        return tuple(texts)


def _unread(why: Unknown, **told: Any) -> Library:
    """Return a library of whose headers nothing is known but what is `told`."""
    return Library(**dict.fromkeys(_IN_HEADERS, why) | told)

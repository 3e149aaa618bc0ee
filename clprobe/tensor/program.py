# SPDX-License-Identifier: MIT
"""Finds, builds and caches the kernels of one device, in memory and on disk (binary_cache)."""

import gc
import re
import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import finalize

import pyopencl as cl

from clprobe.resources import kernels_path
from clprobe.tensor.binary_cache import BinaryCache, default_folder, key_of
from clprobe.tensor.errors import BuildError
from clprobe.tensor.limits import Limits, said

Choice = TypeVar("Choice")

_SHOWN_ERRORS = 5
_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel built for one device."""

    name: str
    file: str
    work_group_limit: int
    """CL_KERNEL_WORK_GROUP_SIZE, or the device's limit where that is smaller."""
    handle: cl.Kernel
    program: Any = None
    """The cl.Program that the kernel is of; Intel's CPU runtime does not tell."""

    def clone(self) -> cl.Kernel:
        """Return another handle, whose arguments are its own."""
        return cl.Kernel(self.program, self.handle.function_name)


def bind(handle: cl.Kernel, arguments: Sequence[Any]) -> None:
    """Set all arguments of a kernel: buffers, and NumPy scalars or arrays.

    **Raises** pyopencl.Error.
    """
    for index, argument in enumerate(arguments):
        if isinstance(argument, cl.Buffer):
            handle.set_arg(index, argument)
        else:
            # set_arg takes the same bytes, but 6 to 10 µs to find out what a scalar is.
            handle._set_arg_buf(index, argument.tobytes())  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way to build a kernel, and what a work-group of it takes."""

    file: str
    defines: Mapping[str, int]
    work_group_size: int
    local_memory_bytes: int = 0


class Programs:
    """The kernels of one device, each built when it is first asked for."""

    def __init__(  # noqa: PLR0913 - what builds depend on
        self,
        context: cl.Context,
        device: cl.Device,
        limits: Limits,
        folder: Path | None = None,
        cache: BinaryCache | None = None,
        *,
        fast_math: bool = False,
    ) -> None:
        self.compile_ns = 0
        self._always = ["-cl-std=CL1.2", *(["-cl-fast-relaxed-math"] if fast_math else [])]
        self._cache = BinaryCache(default_folder()) if cache is None else cache
        self._unsaved: list[tuple[str, cl.Program]] = []
        # Whoever does not close the device has its programs stored at the end all the same.
        finalize(self, _store, self._cache, self._unsaved)
        self._context = context
        self._device = device
        self._limits = limits
        self.folder = kernels_path() if folder is None else folder
        self._programs: dict[tuple[str, str], cl.Program] = {}
        self._kernels: dict[tuple[str, str, str], Kernel] = {}
        self._choices: dict[Hashable, Any] = {}
        self.skipped: list[tuple[Candidate, str]] = []
        """Candidates that did not build, with the compiler's words."""

    def kernel(self, file: str, name: str, defines: Mapping[str, int] | None = None) -> Kernel:
        """Return kernel `name` of kernels/`file`, built with the given tunables.

        **Raises** BuildError.
        """
        options = _options(defines)
        key = (file, name, options)
        if key not in self._kernels:
            program = self._programs.get((file, options))
            if program is None:
                source = read_with_includes(self.folder, file)
                program = self._build(source, options, str(self.folder / file))
                self._programs[file, options] = program
            self._kernels[key] = self._kernel(program, name, file, name)
        return self._kernels[key]

    def generated(self, source: str, name: str, defines: Mapping[str, int], shown: str) -> Kernel:
        """Return kernel `name` of a source that is in no file, under the name `shown`.

        **Raises** BuildError.
        """
        program = self._build(expand_includes(self.folder, source), _options(defines), source)
        return self._kernel(program, name, "generated source", shown)

    def first_that_fits(
        self, name: str, candidates: Sequence[Candidate]
    ) -> tuple[Kernel, Candidate]:
        """Build candidates in order until one fits the device's and its own kernel's limits.

        **Raises** BuildError, also where none fits.
        """
        for candidate in candidates:
            if (
                candidate.work_group_size > self._limits.max_work_group_size
                or candidate.work_group_size > self._limits.max_work_item_sizes[0]
                or candidate.local_memory_bytes > self._limits.local_memory_bytes
            ):
                continue
            kernel = self._kernel_if_it_builds(name, candidate)
            if kernel is None:
                # pyopencl's errors and their frames hold each other, and so our callers' arrays.
                gc.collect()
            elif candidate.work_group_size <= kernel.work_group_limit:
                return kernel, candidate
        for skipped, reason in self.skipped:
            if skipped in candidates:
                raise BuildError(reason)
        raise BuildError(
            f"No way to build {name} fits {self._device.name}: at most "
            f"{self._limits.max_work_group_size} work-items in a work-group and "
            f"{self._limits.local_memory_bytes} bytes of local memory.",
            hint="Add a candidate that needs less.",
        )

    def save(self) -> None:
        """Store what was compiled since the last time, so that another process need not."""
        _store(self._cache, self._unsaved)

    def forget(self, is_stale: Callable[[Hashable], bool]) -> None:
        """Drop what `remember` remembers under the keys that are stale."""
        self._choices = {key: it for key, it in self._choices.items() if not is_stale(key)}

    def remember(self, key: Hashable, choose: Callable[[], Choice]) -> Choice:
        """Return what `choose` chose for this device when `key` was first asked for."""
        if key not in self._choices:
            self._choices[key] = choose()
        choice: Choice = self._choices[key]
        return choice

    def _kernel_if_it_builds(self, name: str, candidate: Candidate) -> Kernel | None:
        try:
            return self.kernel(candidate.file, name, candidate.defines)
        except BuildError as error:
            self.skipped.append((candidate, error.message))
            return None

    def _kernel(self, program: cl.Program, name: str, file: str, shown: str) -> Kernel:
        handle = cl.Kernel(program, name)
        limit = handle.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, self._device)
        return Kernel(
            name=shown,
            file=file,
            work_group_limit=min(max(1, int(limit)), self._limits.max_work_group_size),
            handle=handle,
            program=program,
        )

    def _build(self, source: str, options: str, shown: str) -> cl.Program:
        started = time.perf_counter_ns()
        try:
            with warnings.catch_warnings():
                # Some compilers greet every build with a log; only a failed build is news.
                warnings.simplefilter("ignore", cl.CompilerWarning)
                return self._load_or_compile(source, [*self._always, *options.split()])
        except cl.Error as error:
            raise BuildError(
                f"{shown} does not build.\n"
                f"options  {' '.join(self._always)} {options}\n"
                f"device   {said(self._device.platform, 'name')}, {said(self._device, 'name')}\n"
                + "\n".join(first_errors(str(error))),
            ) from error
        finally:
            self.compile_ns += time.perf_counter_ns() - started

    def _load_or_compile(self, source: str, options: list[str]) -> cl.Program:
        key = key_of(self._device, source, options)
        binary = self._cache.load(key)
        if binary is not None:
            try:
                loaded = cl.Program(self._context, [self._device], [binary])
                return cast("cl.Program", loaded.build(options))
            except cl.Error:
                # A driver may refuse what it wrote itself, after an update of its compiler, say.
                self._cache.forget(key)
        program = cl.Program(self._context, source)
        built: cl.Program = program.build(
            options,
            cache_dir=False,  # type: ignore[arg-type]  # means "none"
        )
        if self._cache.keeps:
            self._unsaved.append((key, built))
        return built


def _store(cache: BinaryCache, programs: list[tuple[str, cl.Program]]) -> None:
    """Move programs to the cache.

    Not as soon as they are built: asked for a binary, PoCL compiles every kernel for work-groups of
    any size, which takes longer than all else and which nobody has to wait for before a first step.
    """
    while programs:
        key, program = programs.pop()
        with suppress(cl.Error):
            binaries = cast("list[bytes]", program.get_info(cl.program_info.BINARIES))
            if binaries and binaries[0]:
                cache.store(key, binaries[0])


def read_with_includes(folder: Path, file: str) -> str:
    """Return a kernel file's source with the files that it includes pasted in."""
    return expand_includes(folder, (folder / file).read_text(encoding="utf-8"))


def expand_includes(folder: Path, source: str) -> str:
    """Return a source with the files that it includes pasted in.

    An include path would have to survive every compiler's splitting of options at spaces.
    """
    return _INCLUDE.sub(lambda found: read_with_includes(folder, found[1]), source)


def _options(defines: Mapping[str, int] | None) -> str:
    return " ".join(f"-D{key}={value}" for key, value in (defines or {}).items())


def first_errors(log: str) -> list[str]:
    """Return the first lines of a build log that name an error, or else its first lines."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return (errors or lines)[:_SHOWN_ERRORS]

# SPDX-License-Identifier: MIT
"""What a file of rules/tables/stacks means, as types."""

from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry, Recipe

Outcome = Literal["works", "untested", "fails"]


class StackSupport(Entry, frozen=True, kw_only=True):
    """What a stack does on some generations of Intel's GPUs, or families of other vendors'.

    `via` are the implementations it was seen with. `slower_than_cpu`: it was reported to be, on
    such hardware. `names` are regular expressions for the GPUs that it is about (none: all), of
    which the first entry counts; `chip` is what compilers call them, such as gfx1103.
    """

    outcome: Outcome
    because: str
    generations: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    chip: str | None = None
    via: tuple[str, ...] = ()
    slower_than_cpu: bool = False


class StackBuild(Entry, frozen=True, kw_only=True):
    """A build of a stack: its version, the torch it belongs to, and the Python it runs on.

    `glibc` is the range that its wheels are for; with another C library none of them works.
    `requires` are further packages that it was seen working with, by version. `index` is the
    address of the index that has it, where that is not Python's own, and `local` the local part of
    its version there, such as cu126. `families` are those it holds code for (none: all of the
    stack's), and of these `chips` the chips. `extra` names the code for one chip, whose name takes
    the place of {chip}. `driver` is the range of the GPU's driver that it works with, `systems` are
    those that it is for (none: all of the stack's). `check` takes the place of the stack's own.
    `lines` are what a person types or reads where no wheel is to be had, and so no step.
    """

    version: str
    python: str
    index: str | None = None
    local: str | None = None
    families: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    extra: str | None = None
    driver: str = "*"
    systems: tuple[str, ...] = ()
    torch: str | None = None
    file: str | None = None
    glibc: str = "*"
    requires: dict[str, str] = msgspec.field(default_factory=dict)
    check: str | None = None
    lines: tuple[str, ...] = ()


class Stack(Entry, frozen=True, kw_only=True):
    """A deep-learning stack.

    `api` is what it needs below it, `cpu` what it does without a GPU, `check` Python code that
    shows whether it works. `brings_driver`: it needs the kernel's driver alone, for it brings the
    libraries above that. `summary` says what it is, where people take it for something else.
    `called` are names that people use besides. `vendor`: it is for the GPUs of that one alone.
    `framework` is the one that its programs are written for, where that is another's. `recipe`
    builds it from source where no build fits. `cpu_needs_opencl` False: it brings its own code for
    the CPU.
    """

    stack: str
    name: str
    status: str
    vendor: Literal["intel", "nvidia", "amd"] | None = None
    framework: Literal["pytorch"] | None = None
    recipe: Recipe | None = None
    purpose: Literal["training", "inference", "library", "technique"]
    api: Literal[
        "opencl", "level-zero", "direct3d12", "vulkan", "cuda", "hip", "sycl", "lua", "none"
    ]
    builds: tuple[StackBuild, ...] = ()
    supports: tuple[StackSupport, ...] = ()
    summary: str | None = None
    called: tuple[str, ...] = ()
    systems: tuple[str, ...] = ("linux",)
    packages: tuple[str, ...] = ()
    device: str | None = None
    check: str | None = None
    brings_driver: bool = False
    cpu_needs_opencl: bool = True
    cpu: Outcome = "fails"
    problems: tuple[str, ...] = ()

    @property
    def is_dormant(self) -> bool:
        """Whether nobody works on it any more, as its status says."""
        return self.status.startswith(("unmaintained", "dormant"))

# SPDX-License-Identifier: MIT
"""What a file of rules/tables/stacks means, as types."""

from typing import Literal

from clprobe.engine.table_types import Entry

Outcome = Literal["works", "untested", "fails"]


class StackSupport(Entry, frozen=True, kw_only=True):
    """What a stack does on some generations; `via` are the implementations it was seen with."""

    generations: tuple[str, ...]
    outcome: Outcome
    because: str
    via: tuple[str, ...] = ()


class StackBuild(Entry, frozen=True, kw_only=True):
    """A build of a stack: its version, the torch it belongs to, and the Python it runs on."""

    version: str
    python: str
    torch: str | None = None
    file: str | None = None


class Stack(Entry, frozen=True, kw_only=True):
    """A deep-learning stack.

    `api` is what it needs below it, `cpu` what it does without a GPU, `check` Python code that
    shows whether it works. `summary` says what it is, where people take it for something else.
    `called` are names that people use besides.
    """

    stack: str
    name: str
    status: str
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
    cpu: Outcome = "fails"
    problems: tuple[str, ...] = ()

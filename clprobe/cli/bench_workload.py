# SPDX-License-Identifier: MIT
"""What --workload takes: a name that bench knows, or a net of the user's own."""

import re

import click

from clprobe.bench.protocol import WORKLOADS

_OWN_NET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)


class WorkloadType(click.Choice[str]):
    """A choice, with module:Class beside it."""

    def __init__(self) -> None:
        super().__init__(WORKLOADS)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the workload."""
        return value if _OWN_NET.fullmatch(value) else str(super().convert(value, param, ctx))

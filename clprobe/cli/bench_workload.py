# SPDX-License-Identifier: MIT
"""What --workload takes: a name that bench knows, or a net of the user's own."""

import re

import click

from clprobe.bench.protocol import WORKLOADS, Asked, OwnNet

_OWN_NET = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)", re.ASCII)


class WorkloadType(click.Choice[Asked]):
    """A choice, with module:Class beside it."""

    def __init__(self) -> None:
        super().__init__(WORKLOADS)

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Asked:
        """Return the name of the workload, or the user's net."""
        own = _OWN_NET.fullmatch(value)
        return super().convert(value, param, ctx) if own is None else OwnNet(*own.groups())

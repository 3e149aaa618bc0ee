# SPDX-License-Identifier: MIT
"""What the site tells beside the rules and tables: README, the commands, and the Python API."""

import click

import clprobe
from clprobe.cli.guide.man_pages import manual
from clprobe.report.site.pages import Sources
from clprobe.resources import readme


def site_sources(root: click.Command) -> Sources:
    """Return it; `root` is the command `clprobe`."""
    public = [name for name in clprobe.__all__ if not name.startswith("_")]
    return Sources(
        readme=readme(),
        manual=manual(root) if isinstance(root, click.Group) else (),
        public={name: getattr(clprobe, name) for name in public},
        package=clprobe,
    )

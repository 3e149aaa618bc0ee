# SPDX-License-Identifier: MIT
"""What is typed to do a thing to a host: the command lines, proof and undo of each action."""

# Each of them says which commands its actions are, so that `commands_of` knows them all.
from clprobe.commands import containers, files, groups, mending, others, packages, python

__all__ = ["containers", "files", "groups", "mending", "others", "packages", "python"]

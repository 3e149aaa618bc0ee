# SPDX-License-Identifier: MIT
"""`python -m clprobe`."""

from clprobe.cli.ending import run

run()

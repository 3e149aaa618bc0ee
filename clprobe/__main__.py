# SPDX-License-Identifier: MIT
"""`python -m clprobe`."""

from clprobe.cli.exit.ending import run

run()

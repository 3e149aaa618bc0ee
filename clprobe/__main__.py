# SPDX-License-Identifier: MIT
"""`python -m clprobe`."""

from clprobe.cli.main import main

main()

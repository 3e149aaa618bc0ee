# SPDX-License-Identifier: MIT
"""Exit statuses; scripts rely on them."""

OK = 0
PROBLEMS = 1
USAGE = 2
UNDECIDED = 3

# SPDX-License-Identifier: MIT
"""Who may open what, and why not: the kernel's own algorithm, then the reasons behind it."""

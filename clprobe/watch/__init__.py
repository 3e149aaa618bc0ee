# SPDX-License-Identifier: MIT
"""Looks at a program while it runs: what it loads, opens, is refused, and runs on devices."""

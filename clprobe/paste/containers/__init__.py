# SPDX-License-Identifier: MIT
"""Reads what texts tell of containers: which one it is, and what it was started with."""

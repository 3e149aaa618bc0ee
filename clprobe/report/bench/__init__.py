# SPDX-License-Identifier: MIT
"""Lays out what bench measured, and comparisons of runs."""

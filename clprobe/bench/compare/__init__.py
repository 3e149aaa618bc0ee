# SPDX-License-Identifier: MIT
"""Compares runs of bench."""

# SPDX-License-Identifier: MIT
"""Reads output whose meaning only the command above it tells."""

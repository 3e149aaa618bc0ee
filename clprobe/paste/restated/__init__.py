# SPDX-License-Identifier: MIT
"""Reads `key: value` lines in which people restate facts."""

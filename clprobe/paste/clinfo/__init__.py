# SPDX-License-Identifier: MIT
"""Reads pasted output of clinfo, every format and version, whole or damaged."""

# SPDX-License-Identifier: MIT
"""Reads one host; nothing else does."""

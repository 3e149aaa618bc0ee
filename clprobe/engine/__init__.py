# SPDX-License-Identifier: MIT
"""Turns a snapshot and the rules database into findings; pure."""

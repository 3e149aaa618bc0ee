# SPDX-License-Identifier: MIT
"""Looks into containers, flatpaks and snaps from outside, by the tools that run them."""

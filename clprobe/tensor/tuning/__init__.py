# SPDX-License-Identifier: MIT
"""Measures which configuration of a kernel is fastest on a device, and remembers it."""

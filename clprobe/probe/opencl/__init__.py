# SPDX-License-Identifier: MIT
"""Asks loaders and drivers for their devices, each in a child process."""

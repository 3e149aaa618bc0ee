# SPDX-License-Identifier: MIT
"""Tells whether a device's waits, commands, clock and figures can be believed."""

# SPDX-License-Identifier: MIT
"""The log of one device: which steps from the bus to the program it passes, and where it stops."""

# SPDX-License-Identifier: MIT
"""What leads to the right command, and explains it."""

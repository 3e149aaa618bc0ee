# SPDX-License-Identifier: MIT
"""What follows from the facts that a report states, filled in before any rule asks."""

# SPDX-License-Identifier: MIT
"""How a command ends: statuses, signals, errors, limits."""

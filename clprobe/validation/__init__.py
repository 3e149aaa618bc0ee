# SPDX-License-Identifier: MIT
"""Holds the rules and tables against themselves and against their cases."""

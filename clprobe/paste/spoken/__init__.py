# SPDX-License-Identifier: MIT
"""Reads what programs print by rules/tables/programs: one generic reader for all of them."""

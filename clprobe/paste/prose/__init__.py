# SPDX-License-Identifier: MIT
"""Reads what people write in sentences: clause by clause, with its negation, time and place."""

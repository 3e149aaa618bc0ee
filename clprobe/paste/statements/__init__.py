# SPDX-License-Identifier: MIT
"""Reads what a report says as typed statements: by clauses, fields and lists."""

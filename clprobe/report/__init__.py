# SPDX-License-Identifier: MIT
"""Lays out results as text, JSON and Markdown; prints nothing itself."""

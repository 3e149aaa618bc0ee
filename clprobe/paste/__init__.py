# SPDX-License-Identifier: MIT
"""Reads what people paste into reports: texts to snapshots, without looking at any host."""

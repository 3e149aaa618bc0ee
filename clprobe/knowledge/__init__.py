# SPDX-License-Identifier: MIT
"""What the tables under rules/tables/ say about GPUs, drivers, distributions and versions; pure."""

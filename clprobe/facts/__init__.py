# SPDX-License-Identifier: MIT
"""What follows from a snapshot and the tables: the facts that rules ask about; pure."""

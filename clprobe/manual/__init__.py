# SPDX-License-Identifier: MIT
"""What the manual says beyond the commands' own help: topics, and data for each command."""

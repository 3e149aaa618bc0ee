# SPDX-License-Identifier: MIT
"""Times in turns and tells noise from difference."""

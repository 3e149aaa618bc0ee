# SPDX-License-Identifier: MIT
"""The sums of many machines, in every format."""

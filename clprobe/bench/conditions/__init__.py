# SPDX-License-Identifier: MIT
"""What the machine was like while bench measured: its clock, heat and energy."""

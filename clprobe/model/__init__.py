# SPDX-License-Identifier: MIT
"""What the words mean: frozen types without input or output."""

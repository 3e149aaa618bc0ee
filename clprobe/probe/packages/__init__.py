# SPDX-License-Identifier: MIT
"""Which packages are installed, from where, and what is wrong with them."""

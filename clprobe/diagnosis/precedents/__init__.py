# SPDX-License-Identifier: MIT
"""What solved reports say about a case that the rules leave open."""

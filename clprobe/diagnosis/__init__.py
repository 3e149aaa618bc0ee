# SPDX-License-Identifier: MIT
"""Which rules hold on a host, the one root cause, and its remedies; pure."""

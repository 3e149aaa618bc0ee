# SPDX-License-Identifier: MIT
"""Which implementation, in which version, drives which GPU on which release and Linux; pure."""

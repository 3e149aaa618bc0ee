# SPDX-License-Identifier: MIT
"""Carries out the steps of a route on this host, keeps a journal, and takes them back."""

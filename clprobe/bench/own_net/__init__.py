# SPDX-License-Identifier: MIT
"""Trains a net of the user's own on the device, and holds it against PyTorch."""

# SPDX-License-Identifier: MIT
"""The version; a module of its own, so that nobody imports the whole package for it."""

__version__ = "0.1.0"

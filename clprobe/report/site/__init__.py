# SPDX-License-Identifier: MIT
"""The knowledge base as a folder of static pages: no server, no network, readable on a phone."""

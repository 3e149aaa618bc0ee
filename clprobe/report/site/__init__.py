# SPDX-License-Identifier: MIT
"""The manual and all that is known as a folder of static pages: no server, no network."""

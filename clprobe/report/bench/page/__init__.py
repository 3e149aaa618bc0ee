# SPDX-License-Identifier: MIT
"""The pictures and tables of the bench report's page, drawn as SVG without any library."""

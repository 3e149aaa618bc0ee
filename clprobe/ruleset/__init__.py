# SPDX-License-Identifier: MIT
"""The rules' language: files, conditions, templates and three-valued evaluation; pure."""

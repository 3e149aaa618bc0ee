# SPDX-License-Identifier: MIT
"""What a program needs of a host, as data, and whether a host has it: yes, no or not known."""

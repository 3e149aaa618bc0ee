# SPDX-License-Identifier: MIT
"""What is typed to do a thing to a host: the command lines, proof and undo of each action."""

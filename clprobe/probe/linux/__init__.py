# SPDX-License-Identifier: MIT
"""What Linux says of itself: modules, log, limits, containers, virtual machines."""

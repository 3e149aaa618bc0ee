# SPDX-License-Identifier: MIT
"""Trains small real nets on devices and says whether they beat the CPU."""

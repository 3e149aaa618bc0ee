# SPDX-License-Identifier: MIT
"""`clprobe doctor` on the snapshots of many machines."""

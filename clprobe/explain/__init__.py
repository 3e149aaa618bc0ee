# SPDX-License-Identifier: MIT
"""What clprobe knows about one name: a GPU, a driver, a package, a release, a rule; pure."""

# SPDX-License-Identifier: MIT
"""Plans what to install, and installs it."""

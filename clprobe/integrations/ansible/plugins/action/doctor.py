# SPDX-License-Identifier: MIT
"""The controller's half of the module `doctor`."""

from __future__ import annotations

from ansible_collections.clprobe.opencl.plugins.plugin_utils.with_single_file import WithSingleFile


class ActionModule(WithSingleFile):
    """Brings the single file to the host and runs the module."""

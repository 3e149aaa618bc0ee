# SPDX-License-Identifier: MIT
"""Nothing in this folder can be imported without PyOpenCL."""

from importlib.util import find_spec

if find_spec("numpy") is None or find_spec("pyopencl") is None:
    collect_ignore_glob = ["test_*.py"]

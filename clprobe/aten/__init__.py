# SPDX-License-Identifier: MIT
"""Runs graphs of PyTorch's operations (ATen) on an OpenCL device. Needs torch."""

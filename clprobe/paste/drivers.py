# SPDX-License-Identifier: MIT
"""Which library names are OpenCL drivers, for listings that name libraries without their .icd."""

import re

_DRIVERS = re.compile(
    r"(?:.*/)?(?:libigdrcl|libigdrcl_legacy1|libcl|libgbeinterp|libintelocl|libMesaOpenCL"
    r"|libRusticlOpenCL|libamdocl\d*"
    r"|libamdocl-orca64|libnvidia-opencl|libpocl(?:-[0-9a-f]{8})?|libalteracl"
    r"|libxilinxopencl|libLLVMOpenCL|libmali|liboclgrind-rt-icd"
    r"|libigdocl|libclvk|libOpenCL-pocl)\.so[\w.]*$"
)


def is_driver(path: str) -> bool:
    """Tell whether the file name is that of a vendor's OpenCL library."""
    return _DRIVERS.match(path) is not None

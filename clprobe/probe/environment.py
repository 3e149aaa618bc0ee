# SPDX-License-Identifier: MIT
"""Environment variables that decide what OpenCL programs see."""

from clprobe.model.unknown import Unknown
from clprobe.probe.host import Host

# Always stated, null where unset: that a variable is absent is a fact that rules ask for.
LISTED = (
    "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OCL_ICD_PLATFORM_SORT", "OCL_ICD_DEFAULT_PLATFORM",
    "OCL_ICD_ASSUME_ICD_EXTENSION", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS", "OPENCL_LAYER_PATH",
    "RUSTICL_ENABLE", "RUSTICL_FEATURES", "RUSTICL_DEVICE_TYPE",
    "POCL_DEVICES", "POCL_CACHE_DIR", "POCL_PATH_LD",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "CONDA_PREFIX", "VIRTUAL_ENV",
    "ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR", "NEOReadDebugKeys", "OverrideGpuAddressSpace",
    "OverrideDefaultFP64Settings", "IGC_EnableDPEmulation", "FilterBdfPath",
    "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
    "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "HSA_OVERRIDE_GFX_VERSION",
    "OPENCV_OPENCL_DEVICE", "OPENCV_OPENCL_RUNTIME", "MAGICK_OCL_DEVICE", "SAL_DISABLE_OPENCL",
    "GEGL_USE_OPENCL", "OPENMM_PLUGIN_DIR",
    "XDG_SESSION_ID", "XDG_SESSION_TYPE",
)  # fmt: skip
# Their values are nobody's business; that they are set tells a desktop, an SSH log-in or sudo.
PRESENCE = ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SUDO_UID", "HOME", "XDG_CACHE_HOME",
            "NEO_CACHE_DIR", "APPIMAGE", "SNAP")  # fmt: skip
_FAMILIES = ("OCL_ICD_", "OPENCL_LAYER", "RUSTICL_", "POCL_")


def probe_environment(host: Host) -> dict[str, str | Unknown | None]:
    """Return the variables that matter; those of `PRESENCE` are `set` or null."""
    environment = host.environment()
    values: dict[str, str | Unknown | None] = {name: environment.get(name) for name in LISTED}
    values |= {name: "set" if name in environment else None for name in PRESENCE}
    more = {name: value for name, value in environment.items() if name.startswith(_FAMILIES)}
    return {**values, **dict(sorted(more.items()))}


def is_recorded(name: str) -> bool:
    """Tell whether the variable is one of those that snapshots hold."""
    return name in LISTED or name in PRESENCE or name.startswith(_FAMILIES)

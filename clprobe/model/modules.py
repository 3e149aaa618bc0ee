# SPDX-License-Identifier: MIT
"""Which kernel modules drive GPUs, or hold them for somebody else."""

GPU_MODULES = frozenset((
    "i915", "xe", "gma500_gfx", "amdgpu", "radeon", "amdkfd", "nouveau", "nova_core",
    "nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "vfio_pci", "panfrost", "panthor",
    "lima", "msm", "v3d", "vc4", "etnaviv", "asahi", "powervr", "vmwgfx", "virtio_gpu", "qxl",
    "bochs", "vboxvideo", "hyperv_drm", "dxgkrnl", "bbswitch", "simpledrm", "ast", "mgag200",
))  # fmt: skip
"""As /proc/modules writes them, with underscores."""


def module_name(text: str) -> str:
    """Return a module's name as /proc/modules writes it; modprobe takes hyphens too."""
    return text.replace("-", "_")

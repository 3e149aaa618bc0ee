# SPDX-License-Identifier: MIT
"""Installed packages that matter to OpenCL, from the distribution's manager, pip and conda."""

import re

from clprobe.model.system import Package
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host
from clprobe.probe.packages.conda import probe_conda_packages

# Drivers, compilers, loaders, kernel modules and firmware, under any distribution's names.
RELEVANT = (
    r"(?i)opencl|ocl-?icd|^ocl|pocl|^clinfo|beignet|rusticl|libclc|clvk"
    r"|^intel-|intel-(compute|graphics|level|gpu|media|igc|gmm|opencl|ocloc)|^igc|libigc|libigdf"
    r"|gmmlib|libigdgmm|level-zero|libze|^mesa|libgl1-mesa|libdrm|linux-(image|modules)|^kernel"
    r"|^linux(-lts|-zen|-hardened)?$|^dkms$|firmware|nvidia|cuda|rocm|hsa-|hsakmt|^hip|amdgpu|comgr"
    r"|i915|xe-dkms|oneapi|spirv|libllvm|^llvm|libclang-cpp|libclang-common"
)
_PYTHON_RELEVANT = re.compile(
    r"(?i)pyopencl|pocl|opencl|intel_|dpctl|dpnp|^torch(vision|audio)?$|pytorch|^triton|tinygrad"
    r"|numpy$|pytools|pyvkfft|openvino|nvidia|^tbb$"
)
_CONDA_RELEVANT = re.compile(f"{RELEVANT}|{_PYTHON_RELEVANT.pattern.removeprefix('(?i)')}")
_DIST_INFO = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")


def probe_packages(host: Host) -> tuple[Package, ...] | Unknown:
    """Return the packages whose names matter, each as its manager writes it."""
    records = ask(host.packages, RELEVANT)
    if isinstance(records, Unknown):
        return records
    system = (
        Package(
            name=record.name,
            version=record.version,
            manager=record.manager,
            architecture=record.architecture or Unknown(f"{record.manager} does not say"),
            state=record.state,
            origin=record.origin or None,
        )
        for record in records
    )
    conda = probe_conda_packages(host, _CONDA_RELEVANT)
    return (*system, *_python_packages(host), *conda)


def _python_packages(host: Host) -> list[Package]:
    python = ask(host.python)
    folders = () if isinstance(python, Unknown) else python.package_folders
    packages = []
    for folder in folders:
        names = ask(host.list_folder, folder)
        matches = () if isinstance(names, Unknown) else map(_DIST_INFO.fullmatch, names)
        packages += [
            Package(
                name=match["name"].replace("_", "-").lower(),
                version=match["version"],
                manager="pip",
                architecture=Unknown("pip does not say"),
                state="installed",
                origin=None,
            )
            for match in matches
            if match and _PYTHON_RELEVANT.search(match["name"])
        ]
    return packages

# SPDX-License-Identifier: MIT
"""Needs of one device, each beside what a program concludes from its own answers and builds.

`d` is what needs_program.py printed of a device, `d["gpu"]` whether hardware of a GPU is behind it
and `d["generation"]` which.
"""

import re

GIB, KIB = 1 << 30, 1 << 10


def version(text):
    """Return the first numbers with dots in a text, as a program would split it."""
    return tuple(int(one) for one in re.search(r"\d+(\.\d+)*", text)[0].split("."))


def opencl(d):
    return version(d["version"].removeprefix("OpenCL "))


def half(d):
    return "cl_khr_fp16" in d["extensions"] and d["half"]


def double(d):
    return "cl_khr_fp64" in d["extensions"] and d["double"]


def subgroups(d):
    named = {"cl_khr_subgroups", "cl_intel_subgroups"} & set(d["extensions"])
    return bool(named or d["sub_groups"]) and d["subgroups"]


def c3(d):
    return "3.0" in d["languages"]


CASES = [
    ({"type": "gpu"}, lambda d: d["gpu"]),
    ({"type": "cpu"}, lambda d: not d["gpu"]),
    ({"type": "accelerator"}, lambda _: False),
    ({"vendor": "intel"}, lambda d: "intel" in d["vendor"].lower()),
    ({"vendor": "amd"}, lambda d: "AMD" in d["vendor"]),
    ({"vendor": "nvidia"}, lambda d: "NVIDIA" in d["vendor"]),
    ({"vendor": "mesa"}, lambda d: "Mesa" in d["vendor"]),
    ({"generation": "Gen8"}, lambda d: d["generation"] == "Gen8"),
    ({"generation": "Gen9"}, lambda d: d["generation"] == "Gen9"),
    ({"generation": "Gen9.5"}, lambda d: d["generation"] == "Gen9.5"),
    ({"generation": ["Gen11", "Xe-LP"]}, lambda d: d["generation"] in ("Gen11", "Gen12/Xe-LP")),
    ({"platform": "pocl"}, lambda d: d["platform"] == "Portable Computing Language"),
    ({"platform": "rusticl"}, lambda d: d["platform"] == "rusticl"),
    ({"platform": "Intel(R) OpenCL"}, lambda d: d["platform"].startswith("Intel(R) OpenCL")),
    ({"name": "llvmpipe"}, lambda d: d["name"].startswith("llvmpipe")),
    ({"name": "graphics"}, lambda d: "Graphics" in d["name"]),
    ({"driver": ">=22.3"}, lambda d: version(d["driver"]) >= (22, 3)),
    ({"driver": ">=22.43, <24"}, lambda d: (22, 43) <= version(d["driver"]) < (24,)),
    ({"driver": ">=3.0"}, lambda d: version(d["driver"]) >= (3, 0) and "rc" not in d["driver"]),
    ({"driver": "<3.1"}, lambda d: version(d["driver"]) < (3, 1)),
    ({"driver": "==3.1"}, lambda d: version(d["driver"]) == (3, 1)),
    ({"opencl": ">=3.0"}, lambda d: opencl(d) >= (3, 0)),
    ({"opencl": ">=1.2, <3"}, lambda d: (1, 2) <= opencl(d) < (3,)),
    ({"opencl": ">=3.1"}, lambda d: opencl(d) >= (3, 1)),
    ({"opencl": "<2"}, lambda d: opencl(d) < (2,)),
    ({"opencl_c": ">=1.2"}, lambda d: "1.2" in d["languages"]),
    ({"opencl_c": ">=3.0"}, c3),
    ({"opencl_c": "<3"}, lambda d: not c3(d)),
    ({"features": ["fp16"]}, half),
    ({"features": ["fp64"]}, double),
    ({"features": ["subgroups"]}, subgroups),
    ({"features": ["images"]}, lambda d: d["images"]),
    ({"features": ["fp16", "fp64"]}, lambda d: half(d) and double(d)),
    ({"features": ["fp16", "subgroups", "images"]},
     lambda d: half(d) and subgroups(d) and d["images"]),
    ({"extensions": ["cl_khr_fp64"]}, lambda d: "cl_khr_fp64" in d["extensions"]),
    ({"extensions": ["cl_khr_subgroup_ballot"]},
     lambda d: "cl_khr_subgroup_ballot" in d["extensions"]),
    ({"extensions": ["cl_khr_int64_base_atomics", "cl_khr_icd"]},
     lambda d: {"cl_khr_int64_base_atomics", "cl_khr_icd"} <= set(d["extensions"])),
    ({"extensions": ["cl_intel_unified_shared_memory"]},
     lambda d: "cl_intel_unified_shared_memory" in d["extensions"]),
    ({"extensions": ["cl_khr_fp1"]}, lambda _: False),
    ({"global_memory": "2 GiB"}, lambda d: d["global_memory"] >= 2 * GIB),
    ({"global_memory": "13.5 GB"}, lambda d: d["global_memory"] >= 13_500_000_000),
    ({"largest_buffer": "4 GiB"}, lambda d: d["buffer"] >= 4 * GIB),
    ({"largest_buffer": 4294959104}, lambda d: d["buffer"] >= 4294959104),
    ({"local_memory": "64 KiB"}, lambda d: d["local_memory"] >= 64 * KIB),
    ({"local_memory": "65 KiB"}, lambda d: d["local_memory"] >= 65 * KIB),
    ({"compute_units": 24}, lambda d: d["units"] >= 24),
    ({"compute_units": 2}, lambda d: d["units"] >= 2),
    ({"work_group_size": 512}, lambda d: d["work_group"] >= 512),
    ({"work_group_size": 257}, lambda d: d["work_group"] >= 257),
    ({"sub_group_size": 8}, lambda d: 8 in d["sized"] and subgroups(d)),
    ({"sub_group_size": 16}, lambda d: 16 in d["sized"] and subgroups(d)),
    ({"none": [{"platform": "pocl"}]}, lambda d: "Portable" not in d["platform"]),
    ({"none": [{"type": "gpu"}, {"vendor": "amd"}]},
     lambda d: not d["gpu"] and "AMD" not in d["vendor"]),
    ({"any": [{"features": ["fp64"]}, {"features": ["fp16"]}]}, lambda d: half(d) or double(d)),
    ({"any": [{"vendor": "nvidia"}, {"vendor": "amd"}]}, lambda d: "AMD" in d["vendor"]),
    ({"all": [{"opencl": ">=3.0"}, {"any": [{"vendor": "mesa"}, {"features": ["fp64"]}]}]},
     lambda d: opencl(d) >= (3, 0) and ("Mesa" in d["vendor"] or double(d))),
    ({"type": "gpu", "none": [{"features": ["fp64"]}]}, lambda d: d["gpu"] and not double(d)),
    ({"type": "gpu", "opencl": ">=3.0", "features": ["fp16"], "global_memory": "2 GiB",
      "driver": ">=22, <27", "none": [{"platform": "pocl"}]},
     lambda d: d["gpu"] and half(d) and d["global_memory"] >= 2 * GIB),
    ({"type": "cpu", "opencl_c": ">=3.0", "features": ["fp64", "images"], "compute_units": 2},
     lambda d: not d["gpu"] and c3(d) and double(d) and d["images"] and d["units"] >= 2),
    ({"type": "gpu", "work_group_size": 256, "local_memory": "32 KiB", "features": ["images"]},
     lambda d: d["gpu"] and d["work_group"] >= 256 and d["images"]),
    ({}, lambda d: d["builds"]),
]  # fmt: skip

# SPDX-License-Identifier: MIT
"""Wrong and outdated claims that go round about OpenCL on Intel GPUs are not repeated here.

Each row: what a person looks up, words that the answer holds, and words that would repeat the
claim. The numbers are those of the review of 2026-11-20 that judged the claims.
"""

import re

import pytest

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import entries, explain
from clprobe.model.errors import ClprobeError

KNOWLEDGE = Knowledge.load()

CLAIMS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("4: OpenCL 1.2 is too old", "clprobe-tensor", ("OpenCL C 1.2",), ("1.2 is deprecated",)),
    ("5: current software needs Gen8", "compute-runtime", (r"Gen9 18\.\S+ to 24\.31", "Gen12"), ()),
    ("6: NEO serves the 5th generation", "NEO", (r"Gen8 \S+ to 24\.31",), ("Gen8 or newer",)),
    ("7: Haswell by NEO", "HD 4600", ("compute-runtime starts at Gen8", "beignet"), ()),
    ("9: Beignet ends with Ubuntu 22.04", "beignet",
        ("ubuntu-20.04", "debian-11"), (r"ubuntu-22.04: beignet", r"ubuntu-24.04: beignet")),
    ("10: nothing on Ubuntu 24.04", "Ubuntu 24.04", ("pocl-opencl-icd 5.0",), ()),
    ("10b: rusticl for Haswell", "Haswell", ("crocus, is not part of rusticl",), ()),
    ("11: Beignet and pytorch_dlprim suffice", "pytorch_dlprim",
        (r"Gen7, Gen7.5: fails", "OpenCL C 2.0"), ()),
    ("11b: a virtual machine helps", "pytorch_dlprim", ("passes? it through",), ()),
    ("18b: ocl:0 is the GPU", "pytorch_dlprim", ("ocl:0 may be a CPU",), ()),
    ("18: then the iGPU shows", "HD 4600", ("pytorch_dlprim: fails",), ()),
    ("19: DirectML is a layer for OpenCL", "DirectML",
        ("Direct3D 12", "does not use OpenCL"), (r"layer for OpenCL",)),
    ("20: DirectML is for TensorFlow", "DirectML",
        ("torch-directml", "ONNX Runtime"), ("mainly for TensorFlow",)),
    ("21: DirectML on HD 4600", "torch-directml", (r"15\.40\.44\.5107",), ()),
    ("22: no layer for TensorFlow", "tensorflow-opencl", ("DirectML", "ITEX", "PlaidML"), ()),
    ("23: TensorFlow only on NVIDIA", "itex", ("TensorFlow 2.15", "dormant"), ()),
    ("24: old cards stay in CUDA wheels", "pytorch-cuda", ("Pascal",), ()),
    ("32: torch.device('opencl') does not parse", "pytorch-opencl",
        ("parses", "internal assertion"), ("does not parse",)),
    ("36: SYCL could serve PyTorch one day", "sycl-python", ("uses SYCL there is torch.xpu",), ()),
    ("37: import sycl", "sycl-python", ("no module sycl", "dpctl"), ()),
    ("38: sycl as a device type", "pytorch-opencl", ("'sycl' and 'ocl' are not device types",), ()),
    ("39: cltorch is for PyTorch", "cltorch",
        ("Torch7", "never worked with PyTorch", "2016-09-17"), ("bridge for PyTorch",)),
    ("40: cltorch in Python", "cltorch", ("no Python interface",), ("get_devices",)),
    ("42: nothing runs PyTorch on OpenCL", "pytorch-opencl", ("pytorch_dlprim",), ()),
    ("42b: torch-opencl is a backend", "torch-opencl", ("no network runs",), ()),
    ("43: only CUDA", "rocm-pytorch", ("AMD's own way",), ()),
    ("46: always 150 to 200 %", "dlprimitives", ("115 to 211 %", "66 % in inference"),
        ("150 to 200", "150-200")),
    ("47: 50 to 70 % of CUDA", "dlprimitives", ("41 to 72 %",), ("50 to 70", "50-70")),
    ("50: ROCm is for Linux only", "rocm-pytorch", ("Windows",), ("Linux only",)),
    ("51: ROCm without RDNA", "rocm-pytorch", ("lists RDNA", "gfx1030", "gfx1100"), ("no RDNA",)),
    ("52: RDNA untested", "dlprimitives", ("RX 6600 XT",), ()),
    ("53: Caffe", "caffe-opencl", ("2018-07-10", "dead"), ()),
    ("54: PlaidML and Keras 3", "plaidml", ("0.7.0 of 2020-01", "PlaidML is none of them"), ()),
    ("56: Vulkan as a model", "pytorch-vulkan",
        ("removed", "ExecuTorch", "no model for a new device", "PrivateUse1"), ()),
    ("58: a device key by a change in PyTorch", "pytorch-opencl", ("PrivateUse1",), ()),
    ("59: no open Winograd", "dlprimitives", ("Winograd",), ()),
    ("59b: ncnn", "ncnn", ("Winograd",), ()),
    ("61: oneDNN on all of Intel", "onednn", (r"Gen9, Gen9.5, Gen11: fails", "3.3.6"), ()),
    ("69: WSL2 for the B series", "pytorch-xpu", ("B series since torch 2.7",), ()),
    ("70: XPU has AOTInductor and INT8", "pytorch-xpu", ("prototype",), ("INT8", "AOTInductor")),
    ("71: FSDP on Ponte Vecchio only", "FSDP", ("XCCL",), ("Ponte Vecchio", "only on Linux")),
    ("74: any Intel GPU is XPU", "pytorch-xpu",
        (r"Gen9, Gen9.5, Gen11: fails", r"Gen12/Xe-LP: fails"), ("any Intel GPU",)),
    ("75: XPU is finished", "pytorch-xpu", ("prototype",), ()),
    ("76: IPEX", "IPEX", ("archived on 2026-03-30", "use pytorch-xpu instead"), ()),
    ("77: IPEX on old iGPUs", "IPEX", ("before Meteor Lake were never supported",), ()),
    ("79: netcl from Skylake", "netcl", ("Gen8", "Gen7.5"), (r"from Skylake",)),
    ("80: fp16 from Gen9.5", "Gen8", (r"compute-runtime: OpenCL 3.0, fp16 yes",), ()),
    ("80b: fp16 from Gen9.5", "netcl", ("from Gen8 on",), (r"requires Gen9\.5",)),
    ("81: Clover for AMD", "clover", ("removed in Mesa 25.2",), ()),
    ("82: NVIDIA has OpenCL 1.2", "nvidia", (), (r"OpenCL 1\.2",)),
    ("83: AMD's own OpenCL for CPUs", "pocl", ("cpu",), ("AMD",)),
    ("83b: AMD's own OpenCL for CPUs", "amd-rocm", ("devices gpu",), (r"devices .*cpu",)),
    ("84: Apple's deprecation", "netcl", (), ("macOS 15",)),
    ("88: netcl picks by name", "netcl", ("not by name",), ()),
    ("91: netcl's AMP recipe", "netcl", ("recipe raises",), ("scale_loss",)),
    ("92: autocast policy", "netcl", ("no list of operations",), ()),
    ("93: a warning without fp16", "netcl", ("without a warning",), ()),
    ("96: netcl's collectives", "netcl", ("all_gather, reduce and DataParallel are missing",), ()),
    ("97: Horovod", "horovod", ("dormant",), ()),
    ("100: netcl tunes", "netcl", ("tuner always answers naive",), ()),
    ("101: netcl feeds vendors' profilers", "netcl", (), ("VTune", "RGP", "GPU Profiler")),
    ("109: optimizer state is lost", "netcl", ("save_checkpoint",), ("not persisted",)),
    ("113: 256 work-items", "netcl", ("OpenCL guarantees one work-item",), ("256 are guaranteed",)),
    ("116: local memory", "Gen7.5", ("64 KiB local memory",), ()),
    ("118: local memory times the work-group", "Gen9",
        ("64 KiB local memory",), (r"local memory (per|times|for each) work-item", "multipl")),
    ("belief: pytorch_dlprim on every Intel GPU", "pytorch_dlprim",
        ("Xe2, Xe3, Xe3p, Xe-HPC: fails", "sub-group size 8"), ()),
    ("belief: llama.cpp's OpenCL is for Intel", "llama.cpp", ("made for Adreno",), ()),
)  # fmt: skip

# Of these clprobe has no page; what the documents claimed of them was wrong, outdated or in part
# so (28 a vendor's help page, 83 AMD's CPU runtime, 86 FPGAs, 101 the profilers, 115 a build
# option), or nobody confirmed it (87 boards with Rockchip's and Allwinner's chips).
WITHOUT_A_PAGE = (
    "AMD APP SDK", "Intel FPGA SDK for OpenCL", "SDAccel", "VTune", "Radeon GPU Profiler",
    "-cl-fast-relaxed-math", "Zivid", "Rockchip", "Allwinner",
)  # fmt: skip
# Every claim that the review judged wrong, outdated, superseded, misleading, fictional or right
# only in part. Unconfirmed ones are in NOWHERE.
JUDGED = (
    4, 5, 6, 9, 10, 11, 18, 19, 20, 21, 22, 23, 24, 32, 36, 37, 38, 39, 40, 42, 43, 46, 47, 50, 51,
    56, 58, 59, 70, 71, 74, 77, 79, 80, 81, 82, 83, 84, 86, 88, 91, 92, 93, 96, 97, 100, 101, 109,
    113, 115, 118,
)  # fmt: skip
# Of 86 (FPGAs) and 115 (a build option) there is no page.
PAGELESS = (86, 115)
# Said by no page of the lexicon, whatever its subject; the number is the claim's.
NOWHERE = (
    r"DirectML is a(n OpenCL)? layer", r"primarily for TensorFlow", r"150 ?(to|-) ?200 ?%",
    r"\b50 ?(to|-) ?70 ?%", r"ROCm is (for )?Linux only", r"macOS 15", r"256 work-items are",
    r"from Skylake on|Skylake\+", r"Gen ?9\.5\+", r"fast-relaxed-math", r"orders of magnitude",
    r"binary blob", r"1\.5x|2\.2x", r"\b100?x", r"import sycl works", r"every Intel GPU is XPU",
    r"Ubuntu 22\.04 (still )?(has|carries) Beignet", r"downgrade", r"cltorch for PyTorch",
)  # fmt: skip


def told(name: str) -> str:
    lines = []
    for entry in explain(name, KNOWLEDGE).entries:
        lines += [entry.title, *(f"{label} {text}" for label, text in entry.facts)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("claim", "subject", "holds", "never"), CLAIMS, ids=[claim for claim, *_ in CLAIMS]
)
def test_a_wrong_claim_is_not_repeated(
    claim: str, subject: str, holds: tuple[str, ...], never: tuple[str, ...]
) -> None:
    text = told(subject)

    for words in holds:
        assert re.search(words, text), f"{claim}: {words!r} is missing from\n{text}"
    for words in never:
        assert not re.search(words, text, re.IGNORECASE), f"{claim}: {words!r} is repeated"


def test_every_judged_claim_has_a_row_or_no_page() -> None:
    rows = {int(re.sub(r"\D.*", "", claim)) for claim, *_ in CLAIMS if claim[0].isdigit()}

    assert set(JUDGED) - rows == set(PAGELESS)


@pytest.mark.parametrize("name", WITHOUT_A_PAGE)
def test_of_a_subject_without_a_page_nothing_is_claimed(name: str) -> None:
    with pytest.raises(ClprobeError, match="Nothing is known"):
        explain(name, KNOWLEDGE)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {
        entry.title: "\n".join(f"{label} {text}" for label, text in entry.facts)
        for _, entry in entries(KNOWLEDGE)
    }


@pytest.mark.parametrize("claim", NOWHERE)
def test_no_page_at_all_repeats_the_claim(claim: str, pages: dict[str, str]) -> None:
    repeated = [title for title, text in pages.items() if re.search(claim, text, re.IGNORECASE)]

    assert repeated == []


def test_each_stack_says_what_it_is_made_for_and_has_a_source() -> None:
    for key in KNOWLEDGE.tables.stacks():
        (entry, *_) = explain(key, KNOWLEDGE).entries
        assert entry.kind == "stack"
        assert entry.sources, key

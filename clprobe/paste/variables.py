# SPDX-License-Identifier: MIT
"""Reads environment variables that matter to OpenCL: env, export, Environment=, ENV, -e."""

import re
from collections.abc import Iterator

from clprobe.model.snapshot import Snapshot
from clprobe.paste.commands import command_line
from clprobe.paste.reading import Paste, Reading

_NAMES = (
    r"OCL_ICD_\w+|OPENCL_\w+|OCL_\w+|LD_LIBRARY_PATH|LD_PRELOAD|RUSTICL_\w+|POCL_\w+"
    r"|CUDA_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES"
    r"|HIP_VISIBLE_DEVICES|HSA_OVERRIDE_GFX_VERSION|GPU_DEVICE_ORDINAL|ZE_\w+|ONEAPI_\w+"
    r"|SYCL_\w+|NEO\w+|NEOReadDebugKeys|OverrideGpuAddressSpace"
    r"|CONDA_PREFIX|VIRTUAL_ENV|NVIDIA_\w+|MESA_\w+|LIBVA_DRIVER_NAME|DRI_PRIME"
    r"|PYOPENCL_\w+|CL_CONFIG_\w+|UR_\w+|SNAP|APPIMAGE|DOCKER_MODS"
    r"|INTEL_\w+|IGC_\w+|AMD_\w+|__NV_PRIME_RENDER_OFFLOAD|CL_\w+"
)
_ASSIGNED = re.compile(
    r"(?:(?:- )?(?:export|setenv|set|declare -x|ENV|-e|--env|Environment="
    rf"|environment:) ?)?[\"']?(?P<name>{_NAMES})(?:=|: "
    r"| )[\"']?(?P<value>[^\"'\s;][^\"';]{0,800}?)?[\"']?;?$"
)
_OTHER = re.compile(r"(?:declare -x )?[A-Za-z_]\w{0,80}=")
_LISTS = re.compile(r"(?:env|printenv|export|set)\b")
_INLINE = re.compile(
    rf"(?<![\w$])(?P<name>{_NAMES})=(?P<value>[^\s\"']{{0,400}}|\"[^\"]{{0,400}}\"|'[^']{{0,400}}')"
)
_ECHOED = re.compile(r"echo \"?\$\{?(?P<name>[A-Z_a-z]{2,40})\}?\"?$")


def read_variables(paste: Paste) -> Iterator[Reading]:
    """Give the variables that lines set, and those that commands were run with."""
    for index, line in paste.free():
        found = _ASSIGNED.match(line) if re.match(r"[\"'A-Za-z_-]", line) else None
        if found is None or (
            " " in found[0]
            and "=" not in found[0]
            and not found[0].startswith(("ENV", "-e", "setenv"))
        ):
            found = None
        if found is not None:
            facts = Snapshot(environment={found["name"]: (found["value"] or "").strip()})
            yield Reading(lines=(index,), facts=facts, private=True)
        elif _LISTS.match(paste.contexts[index].command) and _OTHER.match(line):
            yield Reading(lines=(index,), facts=Snapshot())
        elif (echoed := _ECHOED.match(paste.contexts[index].command)) is not None:
            is_answer = index > 0 and "echo" in paste.lines[index - 1]
            if is_answer and re.fullmatch(_NAMES, echoed["name"]):
                facts = Snapshot(environment={echoed["name"]: line})
                yield Reading(lines=(index,), facts=facts, private=True)


def read_inline_variables(paste: Paste) -> Iterator[Reading]:
    """Give the variables of lines such as `OCL_ICD_VENDORS=/x clinfo`, which stay commands."""
    for index, line in enumerate(paste.lines):
        if "=" not in line or command_line(line) is None:
            continue
        for found in _INLINE.finditer(line):
            value = found["value"].strip("\"'")
            facts = Snapshot(environment={found["name"]: value})
            context = paste.contexts[index]
            yield Reading(lines=(), facts=facts, private=True, context=context)

# SPDX-License-Identifier: MIT
"""Reads how programs say that OpenCL gave them nothing: error codes, Python tracebacks, ffmpeg."""

import re
from collections.abc import Iterator

from clprobe.model.opencl import Answer, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown
from clprobe.paste.crashes import viewer_of
from clprobe.paste.reading import Context, Paste, Reading

_NO_PLATFORM = re.compile(
    r"(?:CL_)?PLATFORM_NOT_FOUND(?:_KHR)?|clGetPlatformIDs?\b.{0,80}-1001|OpenCL "
    r"platforms?:? *:? *-1001|(?:error|code|returned|ret|failed)\W{0,4}-1001\b"
    r"|(?i:no OpenCL(?:[- ]compatible)? platforms? (?:found|available|detected)|no "
    r"platforms? found|could not find any OpenCL platform|found 0 OpenCL platforms?)"
)
_NO_DEVICE = re.compile(
    r"(?:CL_)?DEVICE_NOT_FOUND|clGetDeviceIDs?\b.{0,80}-1\b|(?i:no (?:suitable |matching "
    r"|usable |supported )?OpenCL devices? (?:found|available|detected)|OpenCL devices?:? "
    r"-1\b)"
)
_NO_LOADER = re.compile(
    r"(?i)(?:cannot|can't|could not|unable to|failed to) (?:find|load|open|dlopen) "
    r".{0,40}(?:OpenCL (?:runtime|library|ICD loader|driver library)|libOpenCL)|no "
    r"OpenCL.{0,60}installation found|OpenCL library not found|libOpenCL\.so.{0,20} not "
    r"found"
)
_CL_CALL = re.compile(r"\b(?P<call>cl[A-Z]\w{3,40})\b.{0,60}?(?P<code>-\d{1,4})\b")
_EXCEPTION = re.compile(
    r"(?P<name>[A-Za-z_][\w.]{1,80}(?:Error|Exception|Warning)|RuntimeError|OSError): "
    r"?(?P<text>.*)$"
)
_FRAME = re.compile(
    r"File \"[^\"]{1,300}\", line \d{1,7}(?:, in .{1,120})?$|\^{2,}|~{2,}|During handling "
    r"of the above|The above exception was the direct cause|\.\.\. \d+ more"
)
_FFMPEG = re.compile(
    r"\[(?:AVHWDeviceContext|opencl|h264|hevc|vaapi|Parsed_\w+|AVFilterGraph|fc#\d|vf#\S+"
    r"|out#\S+|hwaccel)\b[^\]]{0,80}\] (?P<text>.{1,500})$|(?P<other>(?:Failed to (?:set "
    r"value|create|get number of OpenCL)|Device creation failed|Error (?:parsing|opening"
    r"|initiali[sz]ing|creating)|Failed to create OpenCL).{0,400})$"
)
_BANNER = re.compile(
    r"ffmpeg version \S|built with gcc|configuration: --|lib(?:av|sw|postproc)\w+ +\d+\. "
    r"*\d+\.|\S*/ffmpeg -"
    r"|Stream #\d|Stream mapping:|Press \[q\]|Input #\d|Output #\d|Duration: |Metadata:"
)
_FFMPEG_BAD = re.compile(
    r"(?i)failed|no matching devices|no .{0,20}devices|error|cannot|not found|invalid"
)
_PROGRAMS = re.compile(
    r"(?i)\b(pyopencl|hashcat|darktable(?:-cltest)?|ffmpeg|clpeak|blender|openvino"
    r"|sycl-ls|john|xmrig|leela|boinc|rocminfo|opencv|arrayfire|davinci|handbrake|gromacs"
    r"|bfgminer|cgminer|ethminer|tvm)\b"
)


def read_tracebacks(paste: Paste) -> Iterator[Reading]:
    """Give the exceptions that end Python's tracebacks; the frames above them tell no fact."""
    lines: list[int] = []
    for index, line in paste.free():
        if line.startswith("Traceback (most recent call last)"):
            lines = [index]
        elif lines and index - lines[-1] <= 2 and len(lines) < 400:
            found = _EXCEPTION.match(line)
            if found is not None and not _FRAME.match(line):
                yield _raised([*lines, index], line, paste.contexts[index])
                lines = []
            elif _FRAME.match(line) or paste.lines[index][:1] in " \t" or _is_code(line):
                lines.append(index)
            else:
                lines = []


def _is_code(line: str) -> bool:
    # Pastes lose the indentation that marks the quoted source lines of a traceback.
    return bool(re.search(r"[()=\[\].]", line)) and not line.endswith((".", "?", "!"))


def _raised(lines: list[int], line: str, context: Context) -> Reading:
    about = _of_opencl(line, context)
    facts = about if about is not None else Snapshot(messages=(line,))
    return Reading(lines=tuple(lines), facts=facts, private=True)


def read_opencl_errors(paste: Paste) -> Iterator[Reading]:
    """Give the lines that say that no platform, no device or no loader was found."""
    for index, line in paste.free():
        facts = _of_opencl(line, paste.contexts[index])
        if facts is not None:
            yield Reading(lines=(index,), facts=facts, private=True)


def _of_opencl(line: str, context: Context) -> Snapshot | None:
    if len(line) > 600 or line.endswith("?"):
        return None
    viewer = _viewer(line, context)
    if _NO_LOADER.search(line):
        said_none = re.search(r"(?i)no OpenCL.{0,60}installation found|libOpenCL", line)
        loaders = () if said_none else NOT_STATED
        view = View(viewer=viewer, loader=None)
        return Snapshot(views=(view,), loaders=loaders, messages=(line,))
    code = -1001 if _NO_PLATFORM.search(line) else -1 if _NO_DEVICE.search(line) else None
    if code is None:
        failed = _CL_CALL.search(line)
        if failed is None or not re.search(r"(?i)fail|error|=|return", line):
            return None
        return Snapshot(messages=(line,))
    answer = Answer(outcome="error", error_code=code, message=line, platforms=_platforms_of(code))
    return Snapshot(views=(View(viewer=viewer, answer=answer),), messages=(line,))


def _platforms_of(code: int | Unknown) -> Fact[tuple[Platform, ...]]:
    """Return that there is no platform where the code says so: the loader names none."""
    return () if code == -1001 else NOT_STATED


def _viewer(line: str, context: Context) -> str:
    named = _PROGRAMS.search(line)
    if named is not None:
        return named[1].lower()
    if "OpenCL platforms: -" in line:
        return "ffmpeg"
    if re.search(r"\bcl\.|LogicError|_cl\b", line):
        return "pyopencl"
    return viewer_of(context, [line])


def read_ffmpeg(paste: Paste) -> Iterator[Reading]:
    """Give what ffmpeg says while it creates devices."""
    for index, line in paste.free():
        found = _FFMPEG.match(line)
        if found is None:
            if _BANNER.match(line):
                yield Reading(lines=(index,), facts=Snapshot())
            continue
        text = found["text"] or found["other"]
        if not _FFMPEG_BAD.search(text):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line,)))
            continue
        about_opencl = re.search(r"(?i)opencl", line) is not None
        code = -1001 if _NO_PLATFORM.search(line) else NOT_STATED
        answer = Answer(
            outcome="error", error_code=code, message=line, platforms=_platforms_of(code)
        )
        views = (View(viewer="ffmpeg", answer=answer),) if about_opencl else Snapshot().views
        facts = Snapshot(views=views, messages=(line,))
        yield Reading(lines=(index,), facts=facts, private=True)

# SPDX-License-Identifier: MIT
"""Reads traces of system calls and of the dynamic linker: strace, ltrace, LD_DEBUG."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.opencl import Icd, Library, Loader
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.listings import is_driver
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("traces")
_MOST_FAILED = 60


class _Trace(msgspec.Struct):
    """What one trace has shown so far, by path."""

    lines: list[int]
    nodes: dict[str, DeviceNode]
    icds: dict[str, Icd]
    drivers: dict[str, str | None]
    libraries: dict[str, str | Unknown | None]
    loaders: dict[str, Loader]
    links: dict[str, DeviceNode] = msgspec.field(default_factory=dict)
    last_icd: str = ""
    vendors_missing: bool = False
    dri_missing: bool = False
    failed: dict[str, None] = msgspec.field(default_factory=dict)


def read_traces(paste: Paste) -> Iterator[Reading]:
    """Give what each trace of system calls opened and could not open."""
    traces: dict[Context, _Trace] = {}
    for index, line in paste.free():
        is_call = "(" in line[:60] or line.startswith(("+++ ", "--- ", "strace: ", "[pid", "<..."))
        if not is_call or not _FORMS.any_call.match(line):
            continue
        context = paste.contexts[index]
        trace = traces.setdefault(context, _Trace([], {}, {}, {}, {}, {}))
        found, text = _FORMS.call.match(line), _FORMS.read.search(line)
        if text is not None and trace.last_icd and not line.endswith("ELF"):
            named = text["text"].removesuffix("\\n")
            icd = trace.icds[trace.last_icd]
            if named and "\\" not in named:
                trace.icds[icd.path] = msgspec.structs.replace(icd, library_name=named, text=named)
            trace.last_icd = ""
        if found is not None:
            _add_call(trace, found)
            is_search = found["error"] == "ENOENT" and ".so" in found["path"]
            tells = found["error"] and not is_search and _FORMS.telling.search(found["path"])
            if tells and len(trace.failed) < _MOST_FAILED:
                trace.failed[line[:300]] = None
        trace.lines.append(index)
    for trace in traces.values():
        yield from _told(trace)


def _add_call(trace: _Trace, found: re.Match[str]) -> None:
    path, error = found["path"], found["error"]
    name = path.rpartition("/")[2]
    opens = found["call"].startswith("open")
    if node_kind(path) and opens and (error != "ENOENT" or path == "/dev/nvidia-uvm"):
        before = trace.nodes.get(path)
        known = before.open_error if before is not None else NOT_STATED
        # A node that opened once does open; the other tries asked for something else.
        error = None if known is None else error
        if error is not None or "O_RDWR" in found["flags"]:
            trace.nodes[path] = DeviceNode(
                path=path, kind=node_kind(path) or NOT_STATED, open_error=error
            )
    elif opens and error not in (None, "ENOENT") and (by_path := _FORMS.by_path.match(path)):
        trace.links[path] = DeviceNode(
            path=path, kind="render", pci_address=by_path["address"], open_error=error
        )
    elif path.rstrip("/") == "/dev/dri" and error == "ENOENT":
        trace.dri_missing = True
    elif path.rstrip("/") == "/etc/OpenCL/vendors" and error == "ENOENT" and opens:
        trace.vendors_missing = True
    elif name.endswith(".icd") and "/" in path and opens:
        kind = "missing" if error == "ENOENT" else NOT_STATED
        trace.icds[path] = Icd(path=path, file_type=kind, open_error=error)
        trace.last_icd = path if error is None else ""
    elif name.startswith("libOpenCL.so") and error is None and opens:
        trace.loaders[path] = Loader(path=path)
    elif opens and (is_driver(name) or _FORMS.libraries.match(name)):
        if is_driver(name):
            trace.drivers[name] = path if error is None else trace.drivers.get(name)
        else:
            trace.libraries[name] = path if error is None else trace.libraries.get(name)


def _told(trace: _Trace) -> Iterator[Reading]:
    icds = dict(trace.icds)
    for name, path in trace.drivers.items():
        entry = path or name
        icds[entry] = Icd(path=entry, library_name=name, library=Library(path=path))
    lists: dict[str, tuple[object, ...]] = {
        "messages": tuple(trace.failed),
        "icds": tuple(icds.values()),
        # A driver that tries the links by address tries the nodes behind them, too.
        "device_nodes": tuple((trace.nodes or trace.links).values()),
        "loaders": tuple(trace.loaders.values()),
    }
    shown = {key: value for key, value in lists.items() if value}
    whole = []
    if trace.dri_missing and not trace.nodes:
        shown["device_nodes"] = ()
        whole.append("device_nodes")
    if trace.vendors_missing and not icds:
        shown["icds"] = ()
        whole.append("icds")
    facts = msgspec.structs.replace(Snapshot(libraries=trace.libraries), **shown)
    yield Reading(lines=tuple(trace.lines), facts=facts, whole=tuple(whole), private=True)


def read_linker_debug(paste: Paste) -> Iterator[Reading]:
    """Give what LD_DEBUG told: loaded libraries, those never found, and errors."""
    groups: dict[Context, tuple[list[int], list[str]]] = {}
    for index, line in paste.free():
        if line[:1].isdigit() and ":" in line[:12] and _FORMS.debug.match(line):
            lines, texts = groups.setdefault(paste.contexts[index], ([], []))
            lines.append(index)
            texts.append(line)
        elif _FORMS.ltrace.match(line):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line[:300],)))
    for lines, texts in groups.values():
        loaded = [found["path"] for text in texts if (found := _FORMS.init.search(text))]
        icds = tuple(
            Icd(path=path, library_name=path.rpartition("/")[2], library=Library(path=path))
            for path in dict.fromkeys(loaded)
            if is_driver(path)
        )
        loaders = tuple(
            Loader(path=path) for path in dict.fromkeys(loaded) if "/libOpenCL.so" in path
        )
        errors = tuple(
            found[1]
            for text in texts
            # Loaders look for entry points that a library need not have.
            if (found := _FORMS.error.search(text)) and "undefined symbol: cl" not in text
        )
        libraries = {
            path.rpartition("/")[2]: path
            for path in loaded
            if _FORMS.libraries.match(path.rpartition("/")[2])
        }
        facts = Snapshot(
            libraries=libraries,
            icds=icds or NOT_STATED,
            loaders=loaders or NOT_STATED,
            messages=tuple(dict.fromkeys(errors)) or NOT_STATED,
        )
        yield Reading(lines=tuple(lines), facts=facts, private=True)

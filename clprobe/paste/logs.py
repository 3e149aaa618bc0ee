# SPDX-License-Identifier: MIT
"""Reads the log of Linux (dmesg, journalctl) and its modules (lsmod, modinfo)."""

from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import GPU_MODULES, module_name
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System, Virtualization
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("logs")
_WHOLE_LSMOD = 25
_SURELY_LSMOD = 8
_MOST_LOG_LINES = 400


def read_log(paste: Paste) -> Iterator[Reading]:
    """Give the lines of the log that are about GPUs; all others are understood and dropped."""
    logs: dict[Context, tuple[list[int], list[str]]] = {}
    for index, line in paste.free():
        found = _FORMS.stamp.match(line) or _FORMS.journal.match(line) or _FORMS.bare.match(line)
        if found is None:
            continue
        indexes, texts = logs.setdefault(paste.contexts[index], ([], []))
        indexes.append(index)
        if _FORMS.matters.search(found["text"]) and len(texts) < _MOST_LOG_LINES:
            texts.append(found["text"])
    for indexes, texts in logs.values():
        linux, machine = _typed(texts)
        facts = (
            Snapshot(system=System(linux=linux, virtualization=machine)) if texts else Snapshot()
        )
        yield Reading(lines=tuple(indexes), facts=facts)


def _typed(texts: list[str]) -> tuple[Linux, Virtualization]:
    linux = Linux(log="\n".join(dict.fromkeys(texts)))
    for text in texts:
        if found := _FORMS.command_line.search(text):
            linux = msgspec.structs.replace(linux, command_line=found["line"])
        if found := _FORMS.version.match(text):
            linux = msgspec.structs.replace(linux, release=found["release"])
    named = next(
        (found["name"] for text in texts if (found := _FORMS.hypervisor.search(text))), None
    )
    machine = _FORMS.tables["hypervisors"].get(named or "")
    return linux, Virtualization(machine=machine) if machine else Virtualization()


def read_lsmod(paste: Paste) -> Iterator[Reading]:
    """Give the loaded modules; a grep'ed list proves no absence, so it is told as a message."""
    lists: dict[Context, list[tuple[int, str]]] = {}
    for index, line in paste.free():
        found = _FORMS.lsmod.match(line)
        is_header = line.split()[:2] == ["Module", "Size"]
        if found is not None or is_header:
            name = found["name"] if found is not None else ""
            lists.setdefault(paste.contexts[index], []).append((index, name))
    for context, entries in lists.items():
        loaded = tuple(name for _, name in entries if name in GPU_MODULES)
        asked = context.command.startswith(("lsmod", "cat /proc/modules"))
        if not asked and not loaded and len(entries) < _SURELY_LSMOD:
            continue
        if len(entries) >= _WHOLE_LSMOD and "grep" not in context.command:
            facts = Snapshot(system=System(linux=Linux(modules=loaded)))
        elif loaded:
            facts = Snapshot(messages=(f"lsmod shows {', '.join(dict.fromkeys(loaded))}",))
        else:
            facts = Snapshot()
        yield Reading(lines=tuple(index for index, _ in entries), facts=facts)


def module_version(line: str, context: Context) -> Snapshot | None:
    """Return a kernel module's version: NVIDIA's in /proc, or modinfo's of the one asked for."""
    if (found := _FORMS.nvrm.search(line)) is not None:
        linux = Linux(module_versions={"nvidia": found["version"]})
        return Snapshot(system=System(linux=linux))
    command = context.command.split()
    told = _FORMS.modinfo.match(line) if command[:1] == ["modinfo"] else None
    if told is None:
        return None
    module = module_name(command[-1])
    if told["key"] != "version" or module not in GPU_MODULES:
        return Snapshot()
    # modinfo tells the file on disk; what is loaded may still be another one.
    return Snapshot(messages=(f"modinfo {module} version: {told['value']}",))

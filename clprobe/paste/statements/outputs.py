# SPDX-License-Identifier: MIT
"""Tables that commands print and lines of logs, entry by entry: devices, modules, who complains."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.commands import command_line
from clprobe.paste.reading import Paste
from clprobe.paste.statements.labels import below_headings, of_forms, of_labels
from clprobe.paste.statements.page import labelled
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.printers import Printers
from clprobe.paste.statements.rows import of_builds, of_listings
from clprobe.paste.statements.things import things_in

_FORMS = Forms("outputs")
_LINES = Forms("said_lines")
_STATEMENTS = Forms("statements")
_MESSAGES = Forms("messages")
_VARIABLES = Forms("variables")
_MOST_LINES = 3000
_MOST = 30
"""So many of each kind: a log has thousands."""
_LONGEST = 220
_MOST_PAIRS = 20
_BUILT = ("program", "toolkit", "package", "driver")


def outputs_in(paste: Paste) -> Iterator[Statement]:
    """Yield what lines say that programs printed, taken by another reader or not."""
    yield from _by_lines(paste, _OF_WHOLE_LINES)


def complaints_in(paste: Paste, printers: Printers) -> Iterator[Statement]:
    """Yield what programs complain of, by their names, and for which machines they were built."""

    def complaints(paste: Paste, index: int, text: str) -> Iterator[Statement]:
        return _complaints(paste, index, text, printers)

    yield from _by_lines(paste, (complaints, _of_builds))


def _by_lines(
    paste: Paste, tellers: Sequence[Callable[[Paste, int, str], Iterator[Statement]]]
) -> Iterator[Statement]:
    counts: dict[Callable[..., Iterator[Statement]], int] = {}
    for index, text in enumerate(islice(paste.lines, _MOST_LINES)):
        if not text.strip():
            continue
        for tell in tellers:
            for one in tell(paste, index, text):
                counts[tell] = counts.get(tell, 0) + 1
                if counts[tell] <= _MOST:
                    yield one


def _of_nvidia_smi(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield that nvidia-smi shows its table, and the programs in it."""
    head = _FORMS.smi_head.match(text) if "NVIDIA-SMI" in text else None
    if head is not None:
        yield labelled(paste, index, "shows", "nvidia-smi", " ".join(head["text"].split()))
    process = _FORMS.smi_process.match(text) if text[:1] == "|" else None
    if process is not None:
        name = process["name"].rpartition("/")[2] or process["name"]
        says = f"{name} ({process['type']}) on GPU {process['gpu']}, {process['memory']}"
        yield labelled(paste, index, "uses", name, says)


def _of_modules(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the modules that lsmod lists with their users, and what modinfo says of one."""
    command = paste.contexts[index].command
    if "lsmod" in command and (found := _FORMS.lsmod.match(text)) is not None:
        by = f" ({found['by'].strip(',')})" if found["by"] else ""
        says = f"{found['name']}, used by {found['count']}{by}"
        yield labelled(paste, index, "shows", "lsmod", says)
    asked = _FORMS.modinfo_command.match(command) if "modinfo" in command else None
    told = _FORMS.modinfo.match(text) if asked is not None else None
    if asked is not None and told is not None:
        yield labelled(paste, index, "field", f"{asked['module']} {told['key']}", told["value"])


def _of_logs(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield numbered devices and counts, and the keys and values of a line of a log."""
    if "level=" in text[:80] and (found := _FORMS.logfmt.match(text.strip())) is not None:
        yield from _of_logfmt(paste, index, found["text"], found["rest"])
        return
    is_of_devices = any(one in text for one in ("GPU", "evice", "latform", "nits"))
    is_of_opencl = "OpenCL" in text
    if not (is_of_devices or is_of_opencl) or paste.contexts[index].program == "clinfo":
        return
    stamp = _LINES.stamp.match(text) or _FORMS.tight_stamp.match(text)
    if stamp is not None and is_of_opencl:
        yield from _of_opencl(paste, index, text[stamp.end() :])
    is_printed = stamp is not None or index in paste.fenced or paste.contexts[index].command
    if not is_printed or not is_of_devices:
        return
    rest = text[stamp.end() :] if stamp is not None else text.strip()
    counted, device = _FORMS.count.match(rest), _FORMS.device.match(rest)
    if counted is not None:
        yield labelled(paste, index, "field", counted["key"], counted["value"])
    elif device is not None:
        yield labelled(paste, index, "field", device["name"], device["value"])


def _of_opencl(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield what a line of a log says of OpenCL with one word behind a long label."""
    found = _FORMS.long_label.match(text)
    if found is not None:
        yield labelled(paste, index, "field", found["key"], found["value"])


def _of_logfmt(paste: Paste, index: int, text: str, rest: str) -> Iterator[Statement]:
    pairs = [
        (one["name"], one["text"] or one["value"])
        for one in islice(_FORMS.logfmt_pair.finditer(rest), _MOST_PAIRS)
    ]
    if not pairs:
        return
    says = ", ".join([text, *(f"{name}={value}" for name, value in pairs)])
    yield labelled(paste, index, "shows", "", says)
    for name, value in pairs:
        if _VARIABLES.name.fullmatch(name):
            yield labelled(paste, index, "sets", name, f"{name}={value}")


def _of_builds(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield for which machines something was built, as a program says it of itself."""
    if "-linux" not in text and "-windows" not in text and "-apple" not in text:
        return
    found = _FORMS.triplet.search(text)
    if found is None or command_line(text):
        return
    named = (one.name for one in things_in(text[: found.start()]) if one.sort in _BUILT)
    subject = f"{next(named, '')} architecture".strip()
    yield labelled(paste, index, "field", subject, found["triplet"])


def _complaints(paste: Paste, index: int, text: str, printers: Printers) -> Iterator[Statement]:
    """Yield what the program of the command above, or of the sentence above, complains of."""
    program = paste.contexts[index].program
    if not (_complains(program) if program else printers.may_print(index)):
        return
    if not _MESSAGES.complains.search(text) or _MESSAGES.prose.search(text):
        return
    if _MESSAGES.of_source.match(text) or _FORMS.went_well.search(text):
        return
    is_error = _STATEMENTS.error_like.search(text) and not _FORMS.described.match(text)
    is_said = index not in paste.fenced and (
        _FORMS.goes_on.match(text) or _FORMS.quotes_code.search(text)
    )
    if text.rstrip().endswith("?") or is_said:
        return
    if is_error and command_line(text) is None and len(text) <= _LONGEST:
        program = program or printers.of(index)
        if _complains(program):
            yield labelled(paste, index, "error", program, tidy(text))


def _complains(program: str) -> bool:
    """Tell whether a program has this name, and what it prints is its own."""
    return _FORMS.program.match(program) is not None and not _FORMS.passes_on.match(program)


_OF_WHOLE_LINES = (
    _of_nvidia_smi,
    _of_modules,
    _of_logs,
    of_labels,
    below_headings,
    of_forms,
    of_listings,
    of_builds,
)

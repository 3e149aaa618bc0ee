# SPDX-License-Identifier: MIT
"""How an ICD ended, in one line for people: the reason beside the outcome."""

from clprobe.facts.facts import FILE_FAULTS, LIBRARY_FAULTS, Facts, IcdFacts
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer
from clprobe.model.unknown import Fact, Unknown, listed

AFTER_ALL = "after all answers, while the process ended"
"""What the probe says of a driver that fails once it has answered everything."""

_STAGES = {
    "icd-file": "reading the .icd file",
    "library": "finding the library",
    "load": "loading the library",
    "entry-point": "looking for its entry point",
    "platforms": "asking for platforms",
    "devices": "asking for devices",
    "queries": "asking a device what it is",
    "compile": "compiling a kernel",
    "run": "running a kernel",
}
_MOST_NAMED = 3


def describe_end(icd: IcdFacts, facts: Facts, tables: Tables) -> str:
    """Return how the ICD ended and why, as far as it is known."""
    during = _STAGES.get(str(icd.stage), "an unknown stage")
    said = _last_line(icd.printed_text)
    if icd.outcome == "ok":
        return _counted(icd.device_count)
    if icd.outcome == "no-devices":
        return _without_devices(icd, facts, tables)
    if icd.outcome == "crash":
        return f"{_death(icd.answer, during)}{_last_line(icd.answer.printed)}"
    if icd.outcome == "hang":
        late = isinstance(icd.answer.message, str) and AFTER_ALL in icd.answer.message
        return f"no answer within the time limit {AFTER_ALL if late else f'while {during}'}"
    fault = FILE_FAULTS.get(str(icd.file_fault)) or _fault_of_library(icd)
    if icd.outcome == "error":
        code = icd.answer.error_code
        number = f": OpenCL error {code}" if isinstance(code, int) else ""
        return f"{fault or f'failed while {during}'}{number}{said}"
    return fault or "not asked"


def _fault_of_library(icd: IcdFacts) -> str | None:
    missing = icd.library.missing_dependencies
    if icd.library_fault == "missing-dependency" and isinstance(missing, tuple) and missing:
        named = ", ".join(missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        return f"it needs {named}{more}, which the linker does not find"
    return LIBRARY_FAULTS.get(str(icd.library_fault))


def _without_devices(icd: IcdFacts, facts: Facts, tables: Tables) -> str:
    entry = tables.implementation(icd.implementation)
    said, code = "no device", icd.answer.error_code
    if entry is not None and code in entry.no_device_errors:
        said += f", which this driver says with error {code}"
    return ": ".join(filter(None, (said, _reason(entry, facts))))


def _reason(entry: Implementation | None, facts: Facts) -> str:
    if entry is None:
        return ""
    unset = [name for name in entry.enable if facts.environment.get(name) in (None, "")]
    if unset:
        return f"no hardware driver is enabled, {unset[0]} is not set"
    return _missing_hardware(entry, facts) if "gpu" in entry.device_types else ""


def _missing_hardware(entry: Implementation, facts: Facts) -> str:
    denied = (node for node in listed(facts.device_nodes) if node.may_open is False)
    # Drivers want the render node; the card node is their second choice at best.
    wanted = min(denied, key=lambda node: node.kind != "render", default=None)
    if wanted is not None:
        return f"{wanted.path} may not be opened"
    if facts.opencl.any_gpu is False:
        return "there is no GPU and no render node here"
    if isinstance(facts.gpus, Unknown):
        return ""
    own = any(gpu.kernel_driver in entry.modules for gpu in facts.gpus)
    return "" if own else "there is no GPU here that it drives"


def _counted(count: Fact[int]) -> str:
    return "" if isinstance(count, Unknown) else f"{count} device{'s' if count != 1 else ''}"


def _death(answer: Answer, during: str) -> str:
    if isinstance(answer.message, str):
        return answer.message  # the probe knows whether it still had all answers
    if isinstance(answer.signal, str):
        return f"ended by {answer.signal} while {during}"
    if isinstance(answer.exit_status, int):
        return f"ended the process with exit status {answer.exit_status} while {during}"
    return f"crashed while {during}"


def _last_line(text: Fact[str | None]) -> str:
    lines = [line for line in text.split("\n") if line.strip()] if isinstance(text, str) else []
    # The sentence that this ends up in has a full stop of its own.
    return f": {lines[-1].strip().rstrip('.')}" if lines else ""

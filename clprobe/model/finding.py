# SPDX-License-Identifier: MIT
"""Findings: what a diagnosis says, with its evidence and its cure."""

from typing import Literal

import msgspec

from clprobe.model.action import Action
from clprobe.model.device_log import DeviceLog
from clprobe.model.evidence import Evidence
from clprobe.model.statement import Statement

Verdict = Literal["present", "absent", "undetermined"]
Severity = Literal["error", "warning", "note"]
Status = Literal["healthy", "cpu-only", "problems", "undetermined"]
"""`healthy`: every GPU there is works; `cpu-only`: OpenCL works on the CPU, and there is no GPU."""
KernelState = Literal["ok", "wrong", "failed", "not-run"]
"""What became of a kernel with a known answer: `failed`, it was not built or did not run."""
TakesEffect = Literal[
    "at once", "when done", "when installed", "when removed", "once its steps are done",
    "after logging out and in again", "after the next boot", "in programs started from this shell",
]  # fmt: skip


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a claim comes from and when someone last looked (ISO date)."""

    url: str
    checked: str


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """One way to mend it: an action and its command; `argv` is None where a person must act.

    `then`: it comes after the remedy before it, not in its place.
    """

    title: str
    action: Action
    argv: tuple[str, ...] | None = None
    needs_root: bool = False
    takes_effect: TakesEffect = "at once"
    undo: tuple[str, ...] | str | None = None
    then: bool = False


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One rule's answer about one subject. `absent` verdicts are kept only for `--why`.

    `suspect`: undecided, and it would explain what is seen; `confirmed_by` then tells what would
    settle it. `check_failed`: undecided, because the check itself ended with an error.
    """

    id: str
    verdict: Verdict
    severity: Severity
    subject: str
    title: str
    because: str
    caused_by: str | None = None
    suspect: bool = False
    confirmed_by: str | None = None
    check_failed: bool = False
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    sources: tuple[Source, ...] = ()


class DriverReport(msgspec.Struct, frozen=True, kw_only=True):
    """One ICD in the contract's words; None is "not known"."""

    icd: str
    library: str | None
    package: str | None
    stage: str | None
    outcome: str | None
    detail: str
    platforms: tuple[str, ...]
    implementation: str | None = None
    version: str | None = None


class DeviceReport(msgspec.Struct, frozen=True, kw_only=True):
    """One OpenCL device in the contract's words; None is "not known".

    `builds_nothing`: why its compiler knows no processor like this one; None: nothing says so.
    `called`: what people call its driver and its maker, besides the names that it gives itself.
    """

    index: int
    platform: str | None
    name: str | None
    type: str | None
    driver_version: str | None
    opencl_version: str | None
    opencl_c_version: str | None
    pci_id: str | None
    generation: str | None
    fp16: bool | None
    fp64: bool | None
    compute_units: int | None
    max_clock_mhz: int | None
    max_work_group_size: int | None
    sub_group_sizes: tuple[int, ...] | None
    local_memory_bytes: int | None
    local_memory_type: str | None
    global_memory_bytes: int | None
    max_allocation_bytes: int | None
    extensions: tuple[str, ...] | None
    kernel: KernelState = "not-run"
    marketing_name: str | None = None
    icd: str | None = None
    library: str | None = None
    builds_nothing: str | None = None
    called: tuple[str, ...] = ()


class GpuReport(msgspec.Struct, frozen=True, kw_only=True):
    """One PCI function with what the tables know of it; None is "not known"."""

    pci_address: str | None
    pci_id: str | None
    vendor: str | None
    marketing_name: str | None
    generation: str | None
    kernel_driver: str | None
    render_node: str | None
    supported_by: tuple[str, ...] | None = None


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    """One device node and whether this user may open it; None is "not known".

    `errno` is what open(O_RDWR) gives, null if it opens or if `may_open` is null too;
    `is_predicted`: nobody tried, it follows from the permissions.
    """

    path: str
    kind: str | None
    owner: str | None
    group: str | None
    mode: str | None
    may_open: bool | None
    errno: str | None
    is_predicted: bool
    denied_because: str | None


class HostReport(msgspec.Struct, frozen=True, kw_only=True):
    """The host in the few words that a maintainer asks for first; None is "not known".

    `container` is "none" where there is none. `read` are the facts that were given, in words.
    """

    distribution: str | None
    linux: str | None
    gpus: tuple[str, ...] | None
    drivers: tuple[str, ...] | None
    user: str | None
    container: str | None
    read: tuple[str, ...]


class NextCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What to run next where facts are lacking; `decides`: rules that its output decides.

    `command` is one line for a shell; `needs_root`: to be run by root, sudo is not in it.
    """

    title: str
    command: str
    needs_root: bool
    decides: tuple[str, ...]


class SeenBefore(msgspec.Struct, frozen=True, kw_only=True):
    """A solved report that is like this case.

    `fix` is what mended it there, None where the thread does not tell. `agrees` and `differs` are
    what is known of both: "GPU Gen9.5", "Linux 6.8 here, 5.15 there".
    """

    report: str
    url: str
    cause: str
    fix: str | None
    agrees: tuple[str, ...]
    differs: tuple[str, ...]


class KernelReport(msgspec.Struct, frozen=True, kw_only=True):
    """What ran on one device; None is "not known". `busy_share` is a part of the time, 0 to 1."""

    device: str | None
    platform: str | None
    type: str | None
    kernels: int | None
    refused: int | None
    error_code: int | None
    busy_share: float | None


class ProgramReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a watched program did; None is "not known", and for `signal` and `sandbox` none.

    `says` tells it in one sentence. `variables` are those that differ from the shell's; None: not
    set in the program. `kernels` is empty where it never enqueued anything. `unseen` is what could
    not be seen, and why.
    """

    name: str
    key: str | None
    looked_at: Literal["run", "process", "service"]
    says: str
    exit_status: int | None
    signal: str | None
    elapsed_ms: int | None
    loader: str | None
    apis: tuple[str, ...] | None
    drivers: tuple[str, ...]
    refused: tuple[str, ...]
    nodes: tuple[str, ...]
    sandbox: str | None
    kernels: tuple[KernelReport, ...] | None
    variables: dict[str, str | None]
    unseen: tuple[str, ...]


class OutsideReport(msgspec.Struct, frozen=True, kw_only=True):
    """That it is about a place which was looked at from outside, and by which tool.

    `as_root`: with root's rights there; None: nobody knows. `unseen` says why nobody could look
    into it; None: somebody could.
    """

    by: str
    as_root: bool | None
    unseen: str | None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `doctor` and `info` print, root cause first.

    `asked_as` is the user or service of `--as`; None: it is answered for whoever ran it.
    `unread` are the lines of a pasted report that nobody understood, `statements` what the others
    say, beyond the facts that rules decide by.
    `next_command` decides most of what is open; None: nothing is, or no command would. `ask` are
    the commands whose output would decide all of it, each once, none of them answered already;
    `sudo` stands before those that need root. `ignored` are the ids of findings that were to be
    left out and do not count. `log` is that of the one device that was asked for. `reports` are
    solved ones that are like this case. `program` is the one that was looked at; `beside` are the
    ids of findings about this machine that do not concern it. `outside` is there where a container,
    a flatpak or a snap was looked at from outside.
    """

    status: Status
    root_cause: str | None
    findings: tuple[Finding, ...]
    drivers: tuple[DriverReport, ...]
    devices: tuple[DeviceReport, ...]
    gpus: tuple[GpuReport, ...] = ()
    nodes: tuple[NodeReport, ...] = ()
    asked_as: str | None = None
    unread: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    next_command: NextCommand | None = None
    ask: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    host: HostReport | None = None
    log: DeviceLog | None = None
    reports: tuple[SeenBefore, ...] = ()
    program: ProgramReport | None = None
    beside: tuple[str, ...] = ()
    outside: OutsideReport | None = None

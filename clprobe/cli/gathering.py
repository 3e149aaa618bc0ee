# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - imports stand where they are needed: drivers are asked before rules load
"""Where a diagnosis gets its facts and rules: this host, or a file."""

import io
import os
import sys
import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clprobe.threads import started

if TYPE_CHECKING:
    from clprobe.cli.doctor_program import Outside
    from clprobe.diagnosis.knowledge import Knowledge
    from clprobe.model.comparison import Comparison
    from clprobe.model.finding import Diagnosis
    from clprobe.model.snapshot import Snapshot
    from clprobe.probe.live_host import LiveHost
    from clprobe.watch.observe import Watched


def gather(  # noqa: PLR0913 - from where, for whom, and what takes time
    source: str | None,
    asked: str | None,
    timeout: float,
    *,
    for_text: bool,
    verbose: bool,
    prefix: str | None = None,
    silent: bool = False,
    watched: "Watched | None" = None,
    outside: "Outside | None" = None,
    **wanted: Any,
) -> "tuple[Snapshot, Knowledge]":
    """Return facts and rules; rules are read while drivers keep us waiting.

    `prefix` is the virtual environment to look into instead of the one that clprobe runs in; of a
    program that was looked at it is the program's own.
    `silent`: nothing is said of what keeps us waiting. With `watched`, a program that was looked
    at, the facts are those that hold for it: with its variables, its loader and its user. With
    `outside` they are those of a container and the like.

    Raises: ClprobeError if the file or the user who is asked for cannot be read.
    """
    if source is not None:
        from clprobe.cli.sources import read_snapshot
        from clprobe.diagnosis.knowledge import Knowledge
        from clprobe.facts.permissions.as_user import as_stated_user

        stated = read_snapshot(source)
        return stated if asked is None else as_stated_user(stated, asked), Knowledge.load()
    from clprobe.probe.forking import fork_server

    environment = None if watched is None else watched.environment
    if watched is not None:
        from clprobe.cli.watched_facts import prefix_of

        prefix = prefix_of(watched)
    # It gets ready while everything else is imported.
    fork_server(os.environ if environment is None else environment)
    from clprobe.probe.live_host import LiveHost

    host = LiveHost(environment, prefix=prefix)
    account = None
    if watched is not None:
        from clprobe.cli.watched_facts import user_of

        asked = asked or user_of(watched)
    if asked is not None:
        from clprobe.probe.accounts import find_account

        account = find_account(host, asked)
    knowledge = Background(lambda: _load_while_waiting(for_text=for_text))
    # Not before: two threads at work take turns, and drivers are asked the later.
    wanted["once_asked"] = knowledge.begin
    if outside is not None:
        from clprobe.cli.outside_facts import outside_facts
        from clprobe.scrub import scrub_here

        here = facts_here(host, timeout, verbose=verbose, silent=silent, **wanted)
        snapshot = scrub_here(outside_facts(host, outside, here, timeout), host)
    elif watched is None:
        snapshot = scrubbed_facts(host, timeout, verbose=verbose, silent=silent, **wanted)
    else:
        from clprobe.cli.watched_facts import loaders_of, with_program
        from clprobe.scrub import scrub_here

        programs = loaders_of(watched)
        facts = facts_here(
            host, timeout, verbose=verbose, silent=silent, programs=programs, **wanted
        )
        snapshot = scrub_here(with_program(facts, watched), host)
    if account is not None:
        from msgspec.structs import replace

        from clprobe.facts.permissions.as_user import as_user

        seen = as_user(snapshot, *account)
        own = {} if watched is None else snapshot.environment
        snapshot = replace(seen, environment=own or seen.environment)
    return snapshot, knowledge.result()


def scrubbed_facts(
    host: "LiveHost",
    timeout: float,
    *,
    verbose: bool = False,
    silent: bool = False,
    **wanted: Any,
) -> "Snapshot":
    """Return the facts of this host, scrubbed like those that `clprobe snapshot` writes.

    So a replay says the very same. Who is waited for is told on stderr.
    """
    facts = facts_here(host, timeout, verbose=verbose, silent=silent, **wanted)
    from clprobe.scrub import scrub_here

    return scrub_here(facts, host)


def facts_here(
    host: "LiveHost",
    timeout: float,
    *,
    verbose: bool = False,
    silent: bool = False,
    **wanted: Any,
) -> "Snapshot":
    """Return the facts of this host with their true names, to act on; they are not to be shown."""
    from clprobe.cli.progress import Progress
    from clprobe.probe.collect import collect

    def shown(text: str) -> str:
        from clprobe.scrub import known_here, scrub_text

        return scrub_text(text, known_here(host))

    stream = io.StringIO() if silent else None
    progress = Progress(limit_s=timeout, verbose=verbose, stream=stream, shown_as=shown)
    return collect(host, timeout_s=timeout, waiting=progress.waiting, **wanted)


def _load_while_waiting(*, for_text: bool) -> "Knowledge":
    import clprobe.diagnosis.diagnose
    from clprobe.diagnosis.knowledge import Knowledge
    from clprobe.model.snapshot import Snapshot
    from clprobe.scrub import Known, scrub, scrub_text

    scrub_text("", Known())  # the first text has all patterns compiled
    scrub(Snapshot())
    if for_text:
        import clprobe.report.doctor_text  # noqa: F401 - rich takes as long as all the rules
    knowledge = Knowledge.load()
    # Every diagnosis reads these tables, which are kept.
    knowledge.tables.programs()
    knowledge.tables.implementations()
    return knowledge


def diagnose_since(
    baseline: str | None,
    snapshot: "Snapshot",
    knowledge: "Knowledge",
    *,
    ignored: Collection[str] = (),
    log_of: str | None = None,
) -> "tuple[Diagnosis, Comparison | None]":
    """Return the diagnosis, compared with the file `baseline` or what a report tells of before.

    `ignored` and `log_of` are as `diagnose` takes them.

    Raises: ClprobeError if the file cannot be read, or `log_of` fits nothing.
    """
    from clprobe.diagnosis.diagnose import diagnose

    if baseline is None and not snapshot.perspectives:
        return diagnose(snapshot, knowledge, ignored=ignored, log_of=log_of), None
    from clprobe.diagnosis.compare import compare, earlier_in, with_earlier

    if baseline is None:
        earlier = earlier_in(snapshot)
    else:
        from clprobe.cli.sources import read_snapshot

        earlier = baseline, read_snapshot(baseline)
        snapshot = with_earlier(snapshot, earlier[1])
    diagnosis = diagnose(snapshot, knowledge, ignored=ignored, log_of=log_of)
    if earlier is None:
        return diagnosis, None
    return diagnosis, compare(*earlier, snapshot, diagnosis, knowledge)


T = TypeVar("T")
_INTERVAL_S = 0.05
"""After it, one of two threads at work takes its turn; Python's own 5 ms cost doctor 40 ms."""


class Background(Generic[T]):
    """Does `work` in a thread; an error in it surfaces where the result is asked for.

    Where it was not begun, or no thread may start, it is done there, too.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._errors: list[Exception] = []
        self._thread: threading.Thread | None = None
        self._interval_s = sys.getswitchinterval()

    def begin(self) -> None:
        """Begin, unless that was done."""
        if self._thread is None:
            self._thread = started(self._run)
        if self._thread is not None:
            sys.setswitchinterval(_INTERVAL_S)

    def result(self) -> T:
        """Return what the work returned, once it is done."""
        if self._thread is None:
            return self._work()
        self._thread.join()
        sys.setswitchinterval(self._interval_s)
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            self._errors.append(error)

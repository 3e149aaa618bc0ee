# SPDX-License-Identifier: MIT
"""Sorts evidence by who, where and when, and chooses whose view is the snapshot's own."""

import msgspec

from clprobe.model.opencl import View
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.system import User
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.paste.finish import finish
from clprobe.paste.merge import is_empty, merge
from clprobe.paste.piles import Key, Pile, all_piles, fails
from clprobe.paste.reading import Context, Reading
from clprobe.paste.told import completed

_LISTS = ("gpus", "device_nodes", "loaders", "icds", "packages")
_MOST = {
    "gpus": 64, "device_nodes": 300, "loaders": 100, "icds": 200, "packages": 8000, "views": 60,
    "messages": 500, "package_sources": 100, "environment": 200, "libraries": 300, "frameworks": 20,
}  # fmt: skip
_MOST_PILES = 30
ANOTHER_TIME = "another time"


class Evidence:
    """All readings of a paste, by circumstances."""

    def __init__(self) -> None:
        self.piles: dict[Key, Pile] = {}
        self.told: dict[Key, Pile] = {}
        self.perspectives: list[Perspective] = []
        self._read = 0
        self._failed: dict[str, Context] = {}

    def add(self, reading: Reading, context: Context, *, is_weak: bool = False) -> bool:
        """Take up a reading; a weak one completes in the end what all others left open.

        It comes back whether there was room for it: no machine has a thousand GPUs.
        """
        self._read += len(reading.lines + reading.idle) or reading.facts != Snapshot()
        if reading.facts == Snapshot() and not reading.whole:
            return True
        self.perspectives += reading.facts.perspectives
        who = _who(reading, context)
        piles = self.told if is_weak else self.piles
        pile = piles.setdefault((who, context.where, context.when), Pile())
        if _is_full(pile.facts, reading.facts) or len(piles) > _MOST_PILES:
            return False
        if is_weak:
            pile.facts = completed(pile.facts, reading.facts)
            pile.whole |= set(reading.whole)
            pile.is_private |= reading.private
            return True
        pile.facts = self._died(pile.facts, reading, context)
        merged, agreed = merge(pile.facts, reading.facts)
        pile.is_private |= reading.private
        if agreed:
            pile.facts = merged
            pile.whole |= set(reading.whole)
        elif fails(reading.facts) and not fails(pile.facts):
            # What went wrong is why somebody writes; that it went well once is beside it.
            well = Snapshot(views=pile.facts.views)
            pile.other = merge(pile.other or Snapshot(), well)[0]
            now = msgspec.structs.replace(pile.facts, views=NOT_STATED)
            pile.facts = merge(now, reading.facts)[0]
        elif not _is_full(pile.other or Snapshot(), reading.facts):
            pile.other = merge(pile.other or Snapshot(), reading.facts)[0]
        return True

    def _died(self, facts: Snapshot, reading: Reading, context: Context) -> Snapshot:
        """Return the facts with a program that failed as one that crashed, if its run ended so.

        A command that prints an error and dies tells both of one run, not of two.
        """
        for view in listed(reading.facts.views):
            if view.answer.outcome == "error" and context.command:
                self._failed[view.viewer] = context
            elif view.answer.outcome == "crash" and self._failed.get(view.viewer) == context:
                views = tuple(_as_crash(one, view.viewer) for one in listed(facts.views))
                facts = msgspec.structs.replace(facts, views=views)
        return facts

    def tells(self) -> bool:
        """Tell whether any line was understood, if only as one that tells no fact."""
        return self._read > 0


def _as_crash(view: View, viewer: str) -> View:
    if view.viewer != viewer or view.answer.outcome != "error" or is_empty(view.answer):
        return view  # of what found nothing, the crash is only how it gave up
    answer = msgspec.structs.replace(view.answer, outcome="crash")
    return msgspec.structs.replace(view, answer=answer)


def _is_full(known: Snapshot, more: Snapshot) -> bool:
    """Tell whether a list, or a mapping, of the reading has no room for more."""
    return any(
        len(getattr(known, name)) >= most
        for name, most in _MOST.items()
        if isinstance(getattr(more, name), tuple | dict)
        and isinstance(getattr(known, name), tuple | dict)
        and getattr(more, name)
    )


def _who(reading: Reading, context: Context) -> str:
    if not reading.private:
        return ""
    if reading.facts.user.uid == 0:
        return "root"
    return "" if context.who == "user" else context.who


def snapshot_of(evidence: Evidence) -> Snapshot:
    """Return the snapshot: the ordinary user's view, inside the container, now; others beside."""
    piles = all_piles(evidence.piles, evidence.told) or {("", "", ""): Pile()}
    main = _main(piles)
    pile = piles.pop(main)
    facts = pile.facts
    if main[0] == "root" and isinstance(facts.user.uid, Unknown):
        user = msgspec.structs.replace(facts.user, uid=0)
        facts = msgspec.structs.replace(facts, user=user)
    perspectives = [*evidence.perspectives]
    if pile.other is not None:
        perspectives.append(Perspective(when=ANOTHER_TIME, facts=finish(pile.other)))
    for (who, where, when), other in piles.items():
        if not who and not when and where == main[1]:
            # What everybody sees there completes the main view.
            facts, agreed = merge(facts, other.facts)
            pile.whole |= other.whole
            if agreed:
                continue
        if where != main[1] and not when:
            facts = _with_shared(facts, other.facts, pile.whole, other.whole)
        perspectives += _perspectives(who, where if where != main[1] else "", when, other)
    facts = finish(facts)
    return msgspec.structs.replace(
        facts, excerpts=_excerpts(facts, pile.whole), perspectives=tuple(perspectives)
    )


def _main(piles: dict[Key, Pile]) -> Key:
    """Return whose view is the snapshot's: now before then, container before host, user first."""
    places = {where for _, where, _ in piles}
    place = next(one for one in ("container", "", "host") if one in places)
    if (snapshot := _only_snapshot(piles, place)) is not None:
        return snapshot

    def rank(key: Key) -> tuple[bool, bool, bool, bool]:
        who, where, when = key
        private = piles[key].is_private
        return (bool(when), where != place, not private, who == "root")

    return min(piles, key=rank)


def _only_snapshot(piles: dict[Key, Pile], place: str) -> Key | None:
    """Return the pile with a host's snapshot, root's too, if nothing shows how others see it.

    Who pastes one and says what came of it speaks of that host, and of no other user.
    """
    taken = [key for key, pile in piles.items() if isinstance(pile.facts.taken, str)]
    shown = [pile.facts.user.uid for key, pile in piles.items() if key not in taken]
    if len(taken) != 1 or taken[0][1] != place or any(isinstance(uid, int) for uid in shown):
        return None
    return taken[0]


def _with_shared(
    facts: Snapshot, others: Snapshot, whole: set[str], others_whole: set[str]
) -> Snapshot:
    """Return the facts with what host and container have in common: hardware and Linux."""
    linux, _ = merge(facts.system.linux, others.system.linux)
    cpu, _ = merge(facts.system.cpu, others.system.cpu)
    gpus = facts.gpus
    if isinstance(gpus, Unknown):
        gpus = others.gpus
        whole |= others_whole & {"gpus"}
    system = msgspec.structs.replace(facts.system, linux=linux, cpu=cpu)
    return msgspec.structs.replace(facts, system=system, gpus=gpus)


def _perspectives(who: str, where: str, when: str, pile: Pile) -> list[Perspective]:
    """Return a pile as the view of someone else, somewhere else or at another time."""
    facts = pile.facts
    if who == "root" and isinstance(facts.user.uid, Unknown):
        facts = msgspec.structs.replace(facts, user=User(uid=0, name="root"))
    told = [(when, facts)]
    if pile.other is not None:
        told.append((ANOTHER_TIME, pile.other))
    return [
        Perspective(
            who=who or NOT_STATED,
            where=where or NOT_STATED,
            when=time or NOT_STATED,
            facts=_with_excerpts(finish(some), pile.whole),
        )
        for time, some in told
        if some != Snapshot()
    ]


def _with_excerpts(facts: Snapshot, whole: set[str]) -> Snapshot:
    return msgspec.structs.replace(facts, excerpts=_excerpts(facts, whole))


def _excerpts(facts: Snapshot, whole: set[str]) -> tuple[str, ...]:
    """Return the lists that may name only a part."""
    # That there is none is never said of a part.
    partial = [
        name
        for name in _LISTS
        if name not in whole and (name == "packages" or _has_entries(getattr(facts, name)))
    ]
    if "device_nodes" in whole and _suggests_other_nodes(facts):
        partial.append("device_nodes")
    return tuple(partial)


def _has_entries(collection: object) -> bool:
    return isinstance(collection, tuple) and bool(collection)


def _suggests_other_nodes(facts: Snapshot) -> bool:
    """Whether there may be nodes outside /dev/dri, which a listing of that folder cannot show."""
    gpus = () if isinstance(facts.gpus, Unknown) else facts.gpus
    told = " ".join(f"{gpu.pci_id} {gpu.name} {gpu.kernel_driver}" for gpu in gpus).lower()
    names = ("1002:", "10de:", "amd", "radeon", "nvidia", "geforce")
    linux = facts.system.linux
    return any(name in told for name in names) or "nvidia" in linux.module_versions

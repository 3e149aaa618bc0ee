# SPDX-License-Identifier: MIT
"""The one answer to whether an offer of an implementation makes a GPU compute in a place.

Everything that says what fits asks here: the matrices, `explain`, the pages of GPUs, plans.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from clprobe.compat import processor
from clprobe.compat.coverage import (
    Covers,
    covers,
    drives_gpus,
    needed_versions,
    version_range,
    why_never,
)
from clprobe.compat.known_gpu import KnownGpu, alike
from clprobe.compat.linux_choice import (
    ANY_LINUX,
    LinuxChoice,
    Place,
    choose_linux,
    is_in_range,
    linux_in_range,
    own_module,
)
from clprobe.compat.offers import Offer, elsewhere, on_request, packaged
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.table_types import Implementation, Release
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, in_words, overlap, upstream
from clprobe.model.unknown import Unknown

Verdict = Literal["yes", "some", "open", "no"]


class Yes(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It computes; `known` are the flaws and conditions of this version on this GPU and Linux."""

    linux: LinuxChoice
    known: tuple[Release, ...] = ()


class Open(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It may compute: `because` says what is not known of `what`."""

    what: Literal["version", "linux", "confirmation"]
    because: str
    linux: LinuxChoice
    known: tuple[Release, ...] = ()


class No(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It does not compute, and which of these forbids it.

    "origin": nothing that works can be taken from there. "files": they need `needs`, where the
    place `has` less. "processor": what is there compiles no kernel for it.
    """

    what: Literal["hardware", "version", "origin", "files", "processor", "linux"]
    because: str
    linux: LinuxChoice | None = None
    needs: str = ""
    has: str = ""


Answer = Yes | Open | No


def resolve(implementation: Implementation, offer: Offer, gpu: KnownGpu, place: Place) -> Answer:
    """Return whether this offer makes this GPU compute there.

    `because` is a clause without the names of offer, GPU and place.
    """
    never = never_drives(implementation, gpu)
    if never is None and place.wsl2 and not is_reached_under_wsl2(implementation, gpu):
        never = No(what="hardware", because="is not reached by it under WSL2")
    if never is not None:
        return never
    covered = version_covers(implementation, offer, gpu)
    if covered is False:
        needed = needed_versions(implementation, gpu) or "another version"
        return No(what="version", because=f"needs {needed}")
    refusal = refused(implementation, offer, place)
    if refusal is not None:
        return refusal
    choose = own_module if offer.module_for else choose_linux
    linux = choose(implementation, gpu, place)
    if linux.fit == "no":
        return No(what="linux", because=too_old(linux), linux=linux)
    known = known_releases(implementation, offer, gpu, linux.linux, wsl2=place.wsl2)
    broken = next((one for one in known if one.is_broken), None)
    if broken is not None:
        return No(what="origin", because=broken.note, linux=linux)
    return _open(offer, covered, linux, known) or Yes(linux=linux, known=known)


def refused(implementation: Implementation, offer: Offer, place: Place) -> No | None:
    """Return why nothing that works can be taken from there, whatever the GPU, or None."""
    if offer.architectures and place.arch not in (None, *offer.architectures):
        known = ", ".join(offer.architectures)
        return No(what="origin", because=f"only for {known}, not {place.arch}")
    if offer.third_party is not None and not _is_vouched(offer.third_party, place):
        because = "no table vouches for the fingerprint of the key that signs it, so nothing is"
        return No(what="origin", because=f"{because} taken from there")
    for name, has, needed, scheme in _built_for(offer, place):
        if has is not None and is_in_range(has, needed, scheme) is False:
            needs = f"{name} {in_words(needed)}"
            own = "musl" if name == "glibc" and has == "0" else has
            return No(what="files", because=f"need {needs}; it has {own}", needs=needs, has=own)
    unknown = processor.refusal(implementation, offer, place.core)
    return No(what="processor", because=unknown) if unknown is not None else None


def _is_vouched(origin: Origin, place: Place) -> bool:
    """Whether the key is known, or the release's own package manager has steps for the source."""
    if origin.fingerprint is not None:
        return True
    return place.release is not None and bool(origin.enabled_by(place.release))


def is_reached_under_wsl2(implementation: Implementation, gpu: KnownGpu) -> bool:
    """Whether the implementation reaches the GPU through /dev/dxg, as its makers' list says."""
    named = {gpu.family.family} if gpu.family is not None else set()
    if gpu.entry is not None:
        named |= {gpu.entry.platform, gpu.entry.generation}
    return not named.isdisjoint(implementation.wsl2)


def never_drives(implementation: Implementation, *gpus: KnownGpu) -> No | None:
    """Return why no version of the implementation drives any of the GPUs anywhere, or None."""
    firsts = [group[0] for group in alike(gpus)]
    if any(covers(implementation, None, gpu) is not False for gpu in firsts):
        return None
    if not drives_gpus(implementation):
        return No(what="hardware", because="runs on the CPU")
    return No(what="hardware", because=why_never(implementation, firsts[0]))


class Summary(msgspec.Struct, frozen=True, dict=True):
    """The answers for the GPUs of one name, each with the PCI ids that it is about."""

    answers: tuple[tuple[Answer, tuple[str, ...]], ...]

    @cached_property
    def answer(self) -> Answer:
        """The one to act on: the best, and of those as good the one that asks least."""
        return min((answer for answer, _ in self.answers), key=_trouble)

    @property
    def verdict(self) -> Verdict:
        """What holds: for all, for some surely, for none surely, for none."""
        kinds = {type(answer) for answer, _ in self.answers}
        if Yes in kinds:
            return "yes" if kinds == {Yes} else "some"
        return "open" if Open in kinds else "no"

    @property
    def is_doubted(self) -> bool:
        """Whether its makers advise against it, or nobody has seen it work."""
        return self.is_unseen or self.is_advised_against

    @property
    def is_unseen(self) -> bool:
        """Whether nobody has seen it on this Linux."""
        return any(one.unverified for one in self._known)

    @property
    def is_advised_against(self) -> bool:
        """Whether its makers want a newer one."""
        return any(one.outdated for one in self._known)

    @property
    def is_makeshift(self) -> bool:
        """Whether it needs variables that are meant for debugging, or is advised against."""
        return self.is_advised_against or any(one.breaks for one in self._known)

    @property
    def _known(self) -> tuple[Release, ...]:
        return () if isinstance(self.answer, No) else self.answer.known

    @property
    def holds_for_most(self) -> bool:
        """Whether it is as good for half of the ids or more: a stray one decides nothing."""
        count = sum(len(ids) for _, ids in self.answers)
        return len(self.left_out) * 2 <= count

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The ids whose answer is worse: it does not work for them, or not surely."""
        best = _trouble(self.answer)[0]
        return self._ids(lambda answer: _trouble(answer)[0] > best)

    @property
    def not_bound(self) -> tuple[str, ...]:
        """The ids that no Linux of the place binds."""
        return self._ids(lambda answer: isinstance(answer, No) and answer.what == "linux")

    @property
    def forced(self) -> tuple[str, ...]:
        """The ids that Linux binds only when it is forced to."""
        return self._ids(_is_forced)

    def _ids(self, fits: Callable[[Answer], bool]) -> tuple[str, ...]:
        return tuple(one for answer, ids in self.answers if fits(answer) for one in ids)


def summed_up(
    implementation: Implementation, offer: Offer, gpus: Sequence[KnownGpu], place: Place
) -> Summary:
    """Return the answers for the GPUs that a name stands for; at least one."""
    return Summary(
        tuple(
            (
                resolve(implementation, offer, group[0], place),
                tuple(gpu.pci_id or "" for gpu in group),
            )
            for group in alike(gpus)
        )
    )


def considered(
    implementation: Implementation,
    gpus: Sequence[KnownGpu],
    place: Place,
    tables: Tables,
    *,
    beyond: bool = False,
) -> list[tuple[Offer, Summary]]:
    """Return the offers that count in a place, with what each comes to, the easiest first.

    What must be asked for counts where nothing of the release itself surely drives all of the GPUs,
    and what is from elsewhere where nothing of the release may drive any as it is meant to.
    `beyond`: all of it counts, whatever the release itself has.
    """

    def asked(offers: list[Offer]) -> list[tuple[Offer, Summary]]:
        return [(one, summed_up(implementation, one, gpus, place)) for one in offers]

    found = asked(packaged(implementation, place.release))
    good = any(summary.verdict == "yes" and not summary.is_makeshift for _, summary in found)
    if good and not beyond:
        return found
    found += asked(on_request(implementation, place.release))
    good = any(summary.verdict != "no" and not summary.is_makeshift for _, summary in found)
    if good and not beyond:
        return found
    return found + asked(elsewhere(implementation, place.release, tables, gpus))


_REFUSALS = ("linux", "processor", "files", "origin", "version", "hardware")


def _trouble(answer: Answer) -> tuple[int, int]:
    """Return what answers are sorted by; a refusal that comes late says more than an early one."""
    if isinstance(answer, No):
        return 3, _REFUSALS.index(answer.what)
    if isinstance(answer, Open):
        return 2 if answer.what == "version" else 1, 0
    return 0, int(_is_forced(answer))


def _is_forced(answer: Answer) -> bool:
    return not isinstance(answer, No) and answer.linux.force_probe is not None


def version_covers(implementation: Implementation, offer: Offer, gpu: KnownGpu) -> Covers:
    """Return whether the version of the offer drives the GPU, whatever the Linux."""
    if offer.version is None:
        # Whatever a repository holds today is current: it drives what no release has dropped.
        if gpu.entry is not None and implementation.ids_listed == "neo":
            return gpu.entry.neo is not None and "<" not in gpu.entry.neo
        of_family = gpu.family.implementations if gpu.family is not None else {}
        known = of_family.get(implementation.implementation)
        if known is not None:
            return "<" not in known.versions
    answer = covers(implementation, offer.version, gpu)
    if offer.at_most is not None:
        answer = _whichever_it_is(implementation, offer, gpu, answer)
    kept = gpu.generation is not None and gpu.generation.generation in offer.also_drives
    return True if kept and isinstance(answer, Unknown) else answer


def _whichever_it_is(
    implementation: Implementation, offer: Offer, gpu: KnownGpu, least: Covers
) -> Covers:
    """Return the answer that holds for every version that the offer may have, else Unknown."""
    versions = version_range(implementation, gpu)
    between = f">={offer.release}, <={upstream(str(offer.at_most))}"
    scheme = implementation.version_scheme
    apart = versions is None or not overlap(between, versions, scheme)
    newest = covers(implementation, offer.at_most, gpu)
    if (least is True and newest is True) or (least is False and newest is False and apart):
        return least
    return Unknown(unknown=f"it has {in_words(between)}, and nobody read which")


def files_are_known_to_fit(offer: Offer, place: Place) -> bool:
    """Return whether the tables know the C library and the Python that the files need; a condition.

    Those that do not fit are refused before.
    """
    return all(needed == "*" or has is not None for _, has, needed, _ in _built_for(offer, place))


def _built_for(offer: Offer, place: Place) -> tuple[tuple[str, str | None, str, Scheme], ...]:
    """Return the name, what the place has, what the files need, and how versions compare."""
    release = place.release
    python = place.python or (release.python if release is not None else None)
    c_library = release.c_library if release is not None else None
    return (
        ("glibc", c_library, offer.glibc, "dotted"),
        ("Python", python, offer.python, "pep440"),
    )


def known_releases(
    implementation: Implementation,
    offer: Offer,
    gpu: KnownGpu,
    linux: str | None,
    *,
    wsl2: bool = False,
) -> tuple[Release, ...]:
    """Return what the tables know of this version on this GPU and Linux."""
    return tuple(
        one
        for one in implementation.releases
        if one.concerns(gpu.generation, gpu.family.family if gpu.family is not None else None)
        and (not one.wsl2 or wsl2)
        and processor.is_of_release(offer.version, one, implementation)
        and (one.linux == "*" or (linux is not None and linux_in_range(linux, one.linux)))
    )


def too_old(linux: LinuxChoice) -> str:
    """Return why the Linux of the place does not do."""
    if linux.needed == ANY_LINUX:
        return "no kernel driver in Linux up to 7.3 binds it by itself"
    newest = f"no Linux of the release binds it: the newest is {linux.linux}"
    return f"{newest}, and it takes Linux {linux.needed}"


def _open(
    offer: Offer, covered: Covers, linux: LinuxChoice, known: tuple[Release, ...]
) -> Open | None:
    """Return what is not known, or None."""
    if isinstance(covered, Unknown):
        return Open(what="version", because=covered.unknown, linux=linux, known=known)
    if offer.entry.unverified or offer.status == "unverified":
        said = "nobody has confirmed it"
        return Open(what="confirmation", because=said, linux=linux, known=known)
    if linux.fit != "unknown":
        return None
    said = "which Linux it has was not looked at"
    if linux.linux is not None:
        beyond = f"beyond the GPU drivers of Linux {linux.linux}"
        said = f"how far its updates go {beyond} was not looked at"
    said = f"{said}; it takes Linux {linux.needed}"
    return Open(what="linux", because=said, linux=linux, known=known)


def is_workaround(offer: Offer, answer: Yes | Open) -> bool:
    """Whether it takes more than installing what the release itself offers."""
    forced = answer.linux.force_probe is not None or answer.linux.pocket == "backports"
    return offer.status != "supported" or forced or any(one.breaks for one in answer.known)

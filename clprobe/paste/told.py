# SPDX-License-Identifier: MIT
"""Completes what programs printed by what people told: it fills gaps and never contradicts."""

from typing import Any, TypeVar

import msgspec

from clprobe.model.hardware import Gpu
from clprobe.model.opencl import Answer, View
from clprobe.model.system import Cpu, Distribution, Linux, Package
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.gpu_words import same_gpu

S = TypeVar("S", bound=msgspec.Struct)
_WHOLE: dict[type[msgspec.Struct], str] = {Distribution: "id", Linux: "release", Cpu: "model"}
"""What is about one thing, which this field names: nothing is added to another one."""
_APART = ("excerpts", "unread", "perspectives", "schema", "source")
_UNNAMED = "application"
_FAILURES = ("no-devices", "error", "crash", "hang")


def completed(known: S, told: S) -> S:
    """Return `known` with what only `told` has."""
    naming = _WHOLE.get(type(known))
    if naming is not None and _differ(getattr(known, naming), getattr(told, naming)):
        return known
    changes: dict[str, Any] = {}
    for name in known.__struct_fields__:
        mine, theirs = getattr(known, name), getattr(told, name)
        if name not in _APART and (value := _value(mine, theirs)) is not mine:
            changes[name] = value
    return msgspec.structs.replace(known, **changes) if changes else known


def _differ(mine: object, theirs: object) -> bool:
    if not isinstance(mine, str) or not isinstance(theirs, str):
        return False
    return not (mine.startswith(theirs) or theirs.startswith(mine))


def _value(mine: Any, theirs: Any) -> Any:
    if theirs in (NOT_STATED, mine):
        return mine
    if isinstance(mine, Unknown):
        return theirs
    if isinstance(mine, dict):
        return {**theirs, **mine} if theirs else mine
    if isinstance(mine, tuple):
        return _list(mine, theirs) if mine and isinstance(theirs, tuple) else mine
    if isinstance(mine, msgspec.Struct) and isinstance(theirs, msgspec.Struct):
        return completed(mine, theirs)
    return mine


def _list(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the list with what it lacks; what stands there already is completed in its place."""
    result = list(mine)
    texts = {one for one in mine if isinstance(one, str)}
    for one in theirs:
        if isinstance(one, str):
            if one not in texts:
                texts.add(one)
                result.append(one)
            continue
        place = next((at for at, other in enumerate(result) if _is_same(other, one)), None)
        if place is None:
            result.append(one)
        elif isinstance(one, View) and _takes_another(one):
            result[place] = msgspec.structs.replace(result[place], wrong_gpu=one.wrong_gpu)
        elif isinstance(one, View) and one.answer == Answer():  # of which the version is told
            known = result[place]
            version = one.version if known.version == NOT_STATED else known.version
            result[place] = msgspec.structs.replace(known, version=version)
        elif isinstance(one, View) and _goes_unnamed(result[place], one, result):
            known = result[place]
            answer = one.answer if _is_bare_error(known.answer) else known.answer
            result[place] = msgspec.structs.replace(known, viewer=one.viewer, answer=answer)
        elif isinstance(one, msgspec.Struct) and not isinstance(one, View | Gpu):
            result[place] = completed(result[place], one)
    return tuple(result) if len(result) > len(mine) or result != list(mine) else mine


def _is_same(known: Any, told: Any) -> bool:
    if isinstance(told, Gpu):
        return same_gpu(known, told)
    if isinstance(told, View):
        if told.viewer == _UNNAMED != known.viewer and not _takes_another(told):
            return fails(known) or not fails(told)  # of no program in particular: a complaint stays
        return told.viewer == known.viewer or _is_unnamed_failure(known, told)
    if isinstance(told, Package):
        return bool(known.name == told.name)
    for naming in ("path", "name", "gid"):
        if hasattr(told, naming):
            return bool(getattr(known, naming) == getattr(told, naming))
    return bool(known == told)


def _takes_another(told: View) -> bool:
    """Tell whether all that matters in the view is which GPU the program computes on."""
    return isinstance(told.wrong_gpu, str) and told.answer == Answer()


def fails(view: View) -> bool:
    """Tell whether the program saw no device, or ended badly."""
    return view.answer.platforms == () or view.answer.outcome in _FAILURES


def _is_unnamed_failure(known: View, told: View) -> bool:
    """Tell whether a program's printed failure is the one that somebody tells of by its name."""
    ended = (known.answer.outcome, told.answer.outcome)
    if known.viewer != _UNNAMED:
        return False
    return ended == ("crash", "crash") or all(one in ("error", "no-devices") for one in ended)


def _is_bare_error(answer: Answer) -> bool:
    """Tell whether it is only told that something failed, and not how."""
    return answer == Answer(outcome="error")


def _goes_unnamed(known: View, told: View, views: list[Any]) -> bool:
    return known.viewer == _UNNAMED and all(one.viewer != told.viewer for one in views)

# SPDX-License-Identifier: MIT
"""Cuts what people write into clauses, and says of each who, where and when it is about."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.paste.reading import Context

_FORMS = Forms("clauses")
_LONGEST_PARAGRAPH = 4000
_MOST_CLAUSES = 60
_WRAPPED = 55
"""Who wraps lines at a width fills them at least so far."""
_SCENE_WORDS = 9
_BOLD = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|`")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*([A-Za-z][^*\n]{0,60}?)\*(?![\w*])|(?<![\w/])_([A-Za-z][^_\n]{0,60}?)_(?!\w)"
)
_PATH = re.compile(r"(?:/[\w.+@-]+){2,9}(?:\s+\(.*)?$")
_FIELD = re.compile(r"[A-Z][\w ./()-]{1,28}: \S")
_PROGRESS = re.compile(r"[A-Z][a-z]{2,12}ing (?:\w+ ){1,6}\w+: \S")
_NO_WORDS = re.compile(r"\((?:R|TM)\)|[®™]| \((?:see |issue |bug |PR )?(?:GH-)?#\d{1,6}\)")
_LINK = re.compile(r"\[([^\]\n]{1,80})\]\(\S{1,300}\)|<?https?://\S{1,400}")


class Line(msgspec.Struct, kw_only=True):
    """A line of a post with the context of the heading above; `stands_alone`: it is not wrapped."""

    index: int
    text: str
    context: Context
    stands_alone: bool = False


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a sentence with one predicate at most, as far as punctuation tells.

    `sentence` is the whole of it; `lines` are those that the sentence stands on. `doubtful`: a
    question, wish or condition; `foreign`: about another machine; `trial`: of an attempt that
    changed something. `context` holds who, where and when, "" for what is not said.
    """

    text: str
    sentence: str
    lines: tuple[int, ...]
    context: Context = Context()
    negated: bool = False
    doubtful: bool = False
    foreign: bool = False
    trial: bool = False
    is_title: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it says how this machine is: no question, no trial, no other machine."""
        return not (self.doubtful or self.foreign or self.trial)


def clauses_of(lines: Iterable[Line]) -> Iterator[Clause]:
    """Give the clauses of these lines."""
    lines = list(lines)
    has_container = any(_FORMS.of_containers.search(line.text) for line in lines)
    for paragraph in _paragraphs(lines):
        for sentence in _sentences(paragraph):
            yield from _clauses(*sentence, has_container=has_container)


def _paragraphs(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Give the lines that belong together: wrapped ones; all others stand alone."""
    paragraph: list[Line] = []
    for line in lines:
        is_path = _PATH.match(line.text) is not None or _PROGRESS.match(line.text) is not None
        is_new = line.stands_alone or is_path or _FORMS.mark.match(line.text) is not None
        plain = _NO_WORDS.sub("", _FORMS.mark.sub("", line.text))
        text = _LINK.sub(r"\1", _EMPHASIS.sub(r"\1\2", _BOLD.sub("", plain)))
        one = msgspec.structs.replace(line, text=text.strip())
        if paragraph and not (
            line.index == paragraph[-1].index + 1
            and not is_new
            and not _PATH.match(paragraph[-1].text)
            and not paragraph[-1].stands_alone
            and not (_FIELD.match(paragraph[-1].text) and one.text[:1].isupper())
            and line.context == paragraph[-1].context
            and len(paragraph[-1].text) >= _WRAPPED
            and paragraph[-1].text[-1:] not in ".!?:;"
            and sum(len(part.text) for part in paragraph) < _LONGEST_PARAGRAPH
        ):
            yield paragraph
            paragraph = []
        paragraph.append(one)
    if paragraph:
        yield paragraph


def _sentences(paragraph: list[Line]) -> Iterator[tuple[str, tuple[int, ...], Context, bool]]:
    """Give each sentence with its lines, the context of the first, and whether it is the title."""
    text = " ".join(line.text for line in paragraph)
    starts, at = [], 0
    for line in paragraph:
        starts.append(at)
        at += len(line.text) + 1
    begin = 0
    ends = [(found.start(), found.end()) for found in _FORMS.sentence_end.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        sentence = text[begin:end].strip()
        # The line on which the sentence begins, and those that begin before it ends.
        first = max(place for place, start in enumerate(starts) if start <= begin)
        on = [
            line.index
            for place, line in enumerate(paragraph)
            if place == first or begin < starts[place] < end
        ]
        if sentence:
            yield sentence, tuple(on), paragraph[first].context, on[0] == 0
        begin = following


def _clauses(
    sentence: str, lines: tuple[int, ...], around: Context, is_title: bool, *, has_container: bool
) -> Iterator[Clause]:
    scene = Context(who=around.who, where=around.where, when=around.when)
    is_question = sentence.endswith("?") or _FORMS.unsure.search(sentence) is not None
    elsewhere = False
    is_example = _FORMS.examples.match(sentence) is not None
    texts = [part for part in _FORMS.clause_end.split(sentence) if part.strip()]
    for text in texts[:_MOST_CLAUSES]:
        part = text.strip()
        is_scene = _FORMS.sets_scene.match(part) is not None and len(part.split()) <= _SCENE_WORDS
        if _FORMS.contrast.match(part):
            elsewhere = False
        foreign = elsewhere or _FORMS.foreign.search(part) is not None
        elsewhere = foreign and (is_scene or elsewhere)
        own = _circumstances(part, has_container=has_container)
        context = Context(
            who=own.who or scene.who,
            where=own.where or scene.where,
            when=_time(part, own.when, scene.when),
        )
        if is_scene:
            scene = context
        yield Clause(
            text=part,
            sentence=sentence,
            lines=lines,
            context=context,
            negated=_FORMS.negated.search(part) is not None,
            doubtful=is_question or _FORMS.doubtful.search(part) is not None,
            foreign=foreign or is_example,
            trial=_FORMS.trial.search(sentence) is not None,
            is_title=is_title,
        )


def _time(part: str, own: str, scene: str) -> str:
    return "" if not own and _FORMS.present.search(part) else own or scene


def _circumstances(text: str, *, has_container: bool) -> Context:
    """Return what the clause itself says of who, where and when.

    An image is one of a container only where the text speaks of containers at all.
    """
    who = "user" if _FORMS.not_root.search(text) else "root" if _FORMS.root.search(text) else ""
    is_inside = _FORMS.container.search(text) or (has_container and _FORMS.image.search(text))
    where = "host" if _FORMS.host.search(text) else "container" if is_inside else ""
    is_past = _FORMS.past.search(text) and not _FORMS.present.search(text)
    return Context(who=who, where=where, when="before" if is_past else "")

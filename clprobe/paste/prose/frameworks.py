# SPDX-License-Identifier: MIT
"""Whether PyTorch sees a GPU, where a sentence tells what is_available() answers."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Framework
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading

_FORMS = Forms("programs")


def read_frameworks(clauses: list[Clause]) -> Iterator[Reading]:
    """Give that PyTorch sees no GPU: "cuda.is_available() gives false"."""
    for clause in clauses:
        told = _FORMS.torch_told.search(clause.sentence)
        if told is None or clause.foreign or clause.doubtful or clause.context.when:
            continue
        said = f"torch.{told['device'].lower()}.is_available() is False"
        facts = Snapshot(frameworks=(Framework(name="pytorch", devices=()),), messages=(said,))
        yield Reading(lines=clause.lines, facts=facts, private=True, context=clause.context)
        return

# SPDX-License-Identifier: MIT
"""Statement: what one clause or line of a report says, typed, in the words of who wrote it."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described, fact

KINDS = (
    "has", "is", "uses", "version", "installed", "not-installed", "removed", "changed", "did",
    "tried", "sets", "works", "fails", "symptom", "began", "shows", "absent", "error", "wants",
    "field", "about", "asks", "supposes",
)  # fmt: skip
"""What a statement may be.

`began`: what its subject has done since a change; `field`: a key and its value, as in the form of
an issue; `absent`: there is none of it; `about`: the title; `asks`: what is asked of this machine;
`supposes`: what somebody only guesses, with the words that say so.
"""

OUTCOMES = ("in vain", "helped", "worse", "back")
"""What may have come of what somebody did."""


class Statement(FactStruct, frozen=True, kw_only=True):
    """Something that a report says, as it says it: nothing is concluded."""

    line: Annotated[int, described("line of the report, from 1")]
    what: Annotated[str, described("what kind of statement it is", values=KINDS)]
    subject: str = fact("whom or what it is about, by our name of it if it has one", default="")
    says: str = fact("the words of the clause, or the value of a field", default="")
    version: str = fact("version that is told of the subject", default="")
    under: tuple[str, ...] = fact(
        "circumstances under which it holds, such as: with kernel 6.1, as root, on Windows",
        default=(),
    )
    negated: bool = fact("whether it is denied", default=False)
    outcome: str = fact(
        "of what was done or tried: what came of it; back: the trouble came back",
        default="",
        values=OUTCOMES,
    )
    who: str = fact("root or user; left out: not told", default="")
    where: str = fact("host, container or another machine; left out: not told", default="")
    when: str = fact("before; left out: now, or not told", default="")

# SPDX-License-Identifier: MIT
"""What narrows a plan: which device, and what must not be touched."""

from typing import Literal

import msgspec

from clprobe.model.action import Engine


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants.

    `root` and `third_party` False: no step may need root, and nothing may come from a repository
    or a file that is neither the distribution's nor a package index of Python. `wheels` is the
    folder that Python packages must come from; `engine` runs the containers.
    """

    want: Literal["gpu", "cpu"] | None = None
    root: bool = True
    third_party: bool = True
    wheels: str | None = None
    engine: Engine = "podman"


NO_WISHES = Wishes()

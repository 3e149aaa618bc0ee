# SPDX-License-Identifier: MIT
"""Which versions of torch the graphs can be had from."""

from packaging.version import InvalidVersion, Version

from clprobe.model.errors import ClprobeError

OLDEST = "2.4"
"""The tests pass from here on; older ones name their graphs' operations otherwise."""


def refuse_older_torch(version: str) -> None:
    """Let a version pass that is new enough, or that says nothing of it.

    **Raises** ClprobeError, naming the version.
    """
    try:
        # A build of 2.4 from before its release has what 2.4 has.
        is_older = Version(version).release < Version(OLDEST).release
    except InvalidVersion:
        return
    if is_older:
        raise ClprobeError(
            reference="torch-too-old",
            message=f"clprobe runs nets of torch {OLDEST} or newer, and this Python has {version}.",
            hint=f"pip install --upgrade 'torch>={OLDEST}'",
        )

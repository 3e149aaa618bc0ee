# SPDX-License-Identifier: MIT
"""Predicts whether a user may read `.icd` files and libraries that nobody tried to read."""

from msgspec.structs import replace

from clprobe.facts.permissions.membership import is_root
from clprobe.facts.permissions.prediction import predicted_read_error
from clprobe.model.access import FileAccess
from clprobe.model.opencl import Icd
from clprobe.model.system import System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown


def with_read_errors(icd: Icd, user: User, system: System) -> Icd:
    """Return the ICD with the errnos that this user meets, predicted where nobody tried."""
    file_error = icd.open_error
    if isinstance(file_error, Unknown):
        access = icd.file_access
        if isinstance(access.mode, Unknown):
            access = _of_root(icd.file_mode)
        file_error = _predicted(file_error, access, user, system)
    library = icd.library
    if isinstance(library.open_error, Unknown):
        error = _predicted(library.open_error, library.access, user, system)
        library = replace(library, open_error=error)
    return replace(icd, open_error=file_error, library=library)


def _of_root(mode: Fact[str]) -> FileAccess:
    """Return what `ls` shows of a package's file where a report states the mode alone."""
    return FileAccess(uid=0, owner="root", gid=0, group="root", mode=mode)


def _predicted(
    untried: Unknown, access: FileAccess, user: User, system: System
) -> Fact[str | None]:
    if isinstance(access.mode, Unknown):
        return untried
    if isinstance(user.groups, Unknown) and is_root(user) is False:
        # Nobody but root is in root's group, and drivers' files belong to no other.
        user = replace(user, groups=()) if access.gid == 0 else user
    predicted = predicted_read_error(access, user, system)
    return untried if isinstance(predicted, Unknown) and untried != NOT_STATED else predicted

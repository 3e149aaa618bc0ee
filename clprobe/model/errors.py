# SPDX-License-Identifier: MIT
"""The one family of errors that users are shown; anything else is a bug."""


class ClprobeError(Exception):
    """What went wrong, as parts that the command line lays out.

    `reference` is a kebab-case name that can be searched for, `message` says what is wrong with
    path and value, `hint` says what to do.
    """

    def __init__(self, *, reference: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.reference = reference
        self.message = message
        self.hint = hint

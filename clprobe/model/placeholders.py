# SPDX-License-Identifier: MIT
"""Words in commands that stand for whoever runs them, so that no document names a person."""

USER = "USER"
"""Stands in an argv for the log-in name; what is printed for a shell says "$USER" instead."""

HOME = "~"
"""Starts a path in the home folder of the person who ran clprobe."""

SUDO_CALLER = "whoever called sudo"
"""Names the perspective of the user behind root."""

FIRST_PERSON, NOBODY = 1000, 65534
"""User ids from the first one on are people's, but for nobody's."""


def is_person(uid: object) -> bool:
    """Whether the user id belongs to a person, not to root, nobody or a service."""
    return isinstance(uid, int) and uid >= FIRST_PERSON and uid != NOBODY

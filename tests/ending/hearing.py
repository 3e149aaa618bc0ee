# SPDX-License-Identifier: MIT
"""Lets what we start hear INT and HUP wherever we ourselves were started."""

import signal


def let_children_hear() -> None:
    """Take back that INT and HUP are ignored, for the programs that we start.

    nohup has HUP ignored and a shell's "&" INT, and programs inherit that; a handler of Python's
    own they do not.
    """
    for ignored in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(ignored) is signal.SIG_IGN:
            signal.signal(ignored, lambda *_: None)

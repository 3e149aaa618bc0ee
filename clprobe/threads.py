# SPDX-License-Identifier: MIT
"""Starts threads where that is possible; whoever asks for one must get on without it, too."""

import resource
import threading
from collections.abc import Callable

# Each takes a stack of 8 MiB and 64 MiB or more of malloc's. Below this limit some would start
# and then find no memory, for which Thread.start() waits for ever.
_ROOM_FOR_THREADS_BYTES = 2 << 30


def started(work: Callable[[], object]) -> threading.Thread | None:
    """Return a thread that does the work and does not keep the program alive; None: none may."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _ROOM_FOR_THREADS_BYTES:
        return None
    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # a limit on processes
        return None
    return thread

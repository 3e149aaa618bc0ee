# SPDX-License-Identifier: MIT
"""What a failed command's own words mean, and how to fix it."""

import re

from clprobe.apply.journal import Problem

# First match counts: a disk that is full explains what follows from it.
_MEANINGS: tuple[tuple[str, str, str, str], ...] = (
    (
        "disk-full",
        r"No space left on device|You don't have enough free space|Disk quota exceeded|"
        r"not enough free space|needs? \d+ ?[kMG]B on the|Errno 28",
        "The disk is full",
        "Free some space (sudo apt-get clean empties apt's cache), then run the same command "
        "again.",
    ),
    (
        "package-lock-held",
        r"Could not get lock|Unable to acquire the dpkg frontend lock|is locked by another process|"
        r"unable to lock database|System management is locked",
        "Another program is using the package manager",
        "Let it finish (an automatic update?), then run the same command again.",
    ),
    (
        "package-manager-interrupted",
        r"dpkg was interrupted",
        "An earlier installation was cut off",
        "Run: sudo dpkg --configure -a",
    ),
    (
        "no-network",
        r"Temporary failure (?:in name resolution|resolving)|Could not resolve|"
        r"Network is unreachable|Unable to connect|Connection (?:timed out|refused)|"
        r"Could not connect|Failed to establish a new connection|No route to host|"
        r"[Nn]ame or service not known",
        "The network cannot be reached",
        "Check the connection, the name server and the proxy, then run the same command again.",
    ),
    (
        "package-vanished",
        r"Unable to locate package|has no installation candidate|404 +Not Found|"
        r"Version '[^']*' for '[^']*' was not found|No matching distribution found|"
        r"No match for argument|target not found|Package '[^']*' is not available|"
        r"No provider of",
        "A package is not, or no longer, in the index",
        "Look whether the release's archive is complete in the sources (universe, non-free), or "
        "take another route: clprobe install-plan lists them.",
    ),
    (
        "packages-do-not-fit",
        r"unmet dependencies|held broken packages|unresolvable package conflicts|"
        r"dependency problems|nothing provides",
        "The packages do not fit to what is installed",
        "Settle what the message names, or take another route (--backend).",
    ),
    (
        "not-authenticated",
        r"cannot be authenticated|is not signed|NO_PUBKEY|EXPKEYSIG|invalid signature|"
        r"Hash Sum mismatch|does not match the hash",
        "A package or index is not what its signature says",
        "Do not go around it: look at the source it comes from, and at the system's clock.",
    ),
    (
        "no-permission",
        r"Permission denied|Read-only file system|are you root\?",
        "Something may not be written",
        "Look at the path that the message names; a read-only system needs its own way.",
    ),
)
_COMPLAINT = re.compile(r"(?i)\b(?:error|failed|fatal|cannot|could not|unable)\b|^[EW]:|^ERR")


def meaning(printed: str, ending: str) -> Problem:
    """Return what went wrong in a command that ended as `ending` says, such as "with status 1"."""
    for reference, pattern, message, hint in _MEANINGS:
        if found := re.search(pattern, printed):
            line = _line_of(printed, found.start())
            return Problem(reference, f"{message}: {line}", hint)
    complaint = _last_complaint(printed)
    message = f"The command ended {ending}" + (f": {complaint}" if complaint else ".")
    return Problem("step-failed", message, "Mend what it names, then run the same command again.")


def index_problem(printed: str) -> tuple[Problem | None, tuple[str, ...]]:
    """Return why `apt-get update` brought nothing, and warnings where a part of it failed.

    apt ends with 0 where no index could be fetched, and goes on with its old ones.
    """
    lines = printed.splitlines()
    failed = [line for line in lines if line.startswith(("Err:", "W: Failed to fetch", "E: "))]
    came = any(re.match(r"(?:Hit|Get):\d+ ", line) for line in lines)
    if failed and not came:
        return meaning(printed, "without any package index"), ()
    return None, tuple(dict.fromkeys(line for line in failed if not line.startswith("Err:")))


def _line_of(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)].strip()


def _last_complaint(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if _COMPLAINT.search(line)]
    return (telling or lines or [""])[-1]

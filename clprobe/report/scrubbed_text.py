# SPDX-License-Identifier: MIT
"""Says in a line what was taken out of a snapshot."""

from collections.abc import Mapping

_PLURALS = {
    "boot-parameter": "values of boot parameters",
    "email": "e-mail addresses",
    "environment-variable": "environment variables",
    "home-folder": "home folders",
    "host-name": "host names",
    "image": "names of container images",
    "ip-address": "IP addresses",
    "mac-address": "MAC addresses",
    "machine-id": "machine ids",
    "network-name": "names of wireless networks",
    "repository": "names of repositories",
    "serial": "serial numbers",
    "token": "keys, tokens or passwords",
    "user-name": "names of people",
    "uuid": "UUIDs",
}


def scrubbed_line(counts: Mapping[str, int]) -> str:
    """Return what was replaced and how often, for whoever is about to post the snapshot."""
    if not counts:
        return "nothing had to be scrubbed"
    listed = (f"{_PLURALS.get(kind, kind)} ({count})" for kind, count in counts.items())
    return f"scrubbed: {', '.join(listed)}"

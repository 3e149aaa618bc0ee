# SPDX-License-Identifier: MIT
"""A container as `podman inspect` or `docker inspect` describes it; both write the same names."""

from typing import Any

import msgspec

from clprobe.model.errors import ClprobeError

_NVIDIA = "nvidia"
_RUNNING = ("running", "up")


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder of the host that the container is given, and its path inside.

    `as_device`: the list of devices lets it be opened; a mount alone does not.
    """

    on_host: str
    inside: str
    as_device: bool


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """What matters of a container to GPUs."""

    tool: str
    identifier: str
    running: bool
    state: str
    error: str
    user: str
    environment: dict[str, str]
    given: tuple[Given, ...]
    groups: tuple[str, ...]
    privileged: bool
    gpu_requests: tuple[str, ...]
    sees_all_processes: bool
    own_ids: bool
    """Whether its user and group ids are mapped to others of the host."""


def described(printed: bytes, tool: str, name: str) -> Container:
    """Return the container of an inspect document.

    Raises: ClprobeError if the document is none, or of another shape.
    """
    try:
        documents = msgspec.json.decode(printed)
        document = documents[0]
        state = _mapping(document, "State")
        config = _mapping(document, "Config")
        host = _mapping(document, "HostConfig")
        status = str(state.get("Status") or "unknown")
        return Container(
            tool=tool,
            identifier=str(document["Id"]),
            running=state.get("Running") is True or status in _RUNNING,
            state=status,
            error=str(state.get("Error") or ""),
            user=str(config.get("User") or ""),
            environment=dict(_variables(config)),
            given=(*_devices(host), *_mounts(document)),
            groups=tuple(map(str, _list(host, "GroupAdd"))),
            privileged=host.get("Privileged") is True,
            gpu_requests=tuple(_requests(host)),
            sees_all_processes=host.get("PidMode") == "host",
            own_ids=bool(_mapping(host, "IDMappings").get("UidMap"))
            or str(host.get("UsernsMode") or "").startswith(
                ("private", "auto", "keep-id", "nomap")
            ),
        )
    except (msgspec.DecodeError, LookupError, TypeError, AttributeError, ValueError) as error:
        raise ClprobeError(
            reference="container-not-described",
            message=f"What {tool} tells of the container {name} is not understood: {error}.",
            hint=f"Please report it with the version that {tool} --version prints.",
        ) from None


def _mapping(document: Any, name: str) -> dict[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _list(document: dict[str, Any], name: str) -> list[Any]:
    found = document.get(name)
    return found if isinstance(found, list) else []


def _variables(config: dict[str, Any]) -> list[tuple[str, str]]:
    pairs = (str(one).partition("=") for one in _list(config, "Env"))
    return [(name, value) for name, _, value in pairs if name]


def _devices(host: dict[str, Any]) -> list[Given]:
    return [
        Given(
            on_host=str(one["PathOnHost"]),
            inside=str(one.get("PathInContainer") or one["PathOnHost"]),
            as_device=True,
        )
        for one in _list(host, "Devices")
    ]


def _mounts(document: dict[str, Any]) -> list[Given]:
    return [
        Given(on_host=str(one["Source"]), inside=str(one["Destination"]), as_device=False)
        for one in _list(document, "Mounts")
        if one.get("Source") and one.get("Destination")
    ]


def _requests(host: dict[str, Any]) -> list[str]:
    """Return the drivers or CDI devices that stand behind --gpus."""
    found = []
    for one in _list(host, "DeviceRequests"):
        names = [str(name) for name in one.get("DeviceIDs") or ()]
        found.append(" ".join([str(one.get("Driver") or "gpu"), *names]))
    if host.get("Runtime") == _NVIDIA:
        found.append("what NVIDIA's runtime takes from variables")
    return found

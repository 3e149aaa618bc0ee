# SPDX-License-Identifier: MIT
"""Which nodes can be opened because something else was at work through them."""

from clprobe.facts.closure.closed import Closed
from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown, known, listed

_FORMS = Forms("closure")
_RENDER_NODE = "/dev/dri/renderD128"
_KFD = "/dev/kfd"


def with_opened_node(closed: Closed) -> Closed:
    """Return it with the node that VA-API or rocminfo opened; what is known of nodes stays."""
    snapshot = closed.snapshot
    if not isinstance(snapshot.device_nodes, Unknown):
        return closed
    if _video_works(snapshot):
        node = DeviceNode(path=_RENDER_NODE, kind="render", open_error=None)
        return closed.with_list("device_nodes", (node,), "VA-API's driver works through it")
    if _rocminfo_works(snapshot):
        node = DeviceNode(path=_KFD, kind="kfd", open_error=None)
        return closed.with_list("device_nodes", (node,), "rocminfo lists agents through it")
    return closed


def _said(snapshot: Snapshot) -> str:
    return "\n".join(text for text in listed(snapshot.messages) if isinstance(text, str))


def _video_works(snapshot: Snapshot) -> bool:
    return _FORMS.video_driver_works.search(_said(snapshot)) is not None


def _rocminfo_works(snapshot: Snapshot) -> bool:
    """Whether it got past /dev/kfd; under WSL it goes another way."""
    if known(snapshot.system.virtualization.wsl) is not None:
        return False
    shown = (
        device.type == "gpu"
        for view in listed(snapshot.views)
        if view.viewer == "rocminfo"
        for platform in listed(view.answer.platforms)
        for device in listed(platform.devices)
    )
    return any(shown) or _FORMS.kfd_works.search(_said(snapshot)) is not None

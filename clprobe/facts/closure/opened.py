# SPDX-License-Identifier: MIT
"""Which nodes can be opened because another driver of the same GPU was at work through them."""

from clprobe.facts.closure.closed import Closed
from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown, listed

_FORMS = Forms("closure")
_RENDER_NODE = "/dev/dri/renderD128"


def with_opened_node(closed: Closed) -> Closed:
    """Return it with the render node that VA-API opened; what is known of nodes stays."""
    snapshot = closed.snapshot
    if not isinstance(snapshot.device_nodes, Unknown) or not _was_opened(snapshot):
        return closed
    node = DeviceNode(path=_RENDER_NODE, kind="render", open_error=None)
    return closed.with_list("device_nodes", (node,), "VA-API's driver works through it")


def _was_opened(snapshot: Snapshot) -> bool:
    said = "\n".join(text for text in listed(snapshot.messages) if isinstance(text, str))
    return _FORMS.video_driver_works.search(said) is not None

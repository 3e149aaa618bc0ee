# SPDX-License-Identifier: MIT
"""What devices and platforms say of themselves, which need not be UTF-8."""

import pyopencl as cl


def said(thing: "cl.Device | cl.Platform", attribute: str) -> str:
    """Return a text such as `name`; bytes that are no UTF-8 become replacement characters.

    pyopencl decodes strictly, though a driver may say what it likes.
    """
    try:
        return str(getattr(thing, attribute))
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")

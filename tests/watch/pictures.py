# SPDX-License-Identifier: MIT
"""Makes pictures for programs that read some."""

import zlib


def picture(width: int = 128, height: int = 96) -> bytes:
    """Return a PNG of three shades."""
    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (2 * x, 2 * y, x ^ y))
        for y in range(height)
    )

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + name + data + check

    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    header = chunk(b"IHDR", size + bytes((8, 2, 0, 0, 0)))
    packed = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + header + packed + chunk(b"IEND", b"")

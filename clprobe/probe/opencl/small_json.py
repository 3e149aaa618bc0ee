# SPDX-License-Identifier: MIT
"""JSON for the few types that the child reports, without importing json, which takes longer.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

_ESCAPED = {'"': '\\"', "\\": "\\\\"}
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
_FIRST_PRINTABLE, _LAST_ASCII, _LAST_OF_16_BITS = 0x20, 0x7E, 0xFFFF


def as_json(value: object) -> str:
    """Return a dict, list, text, number, truth value or None as one line of ASCII."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        is_plain = value.isascii() and value.isprintable() and not _ESCAPED.keys() & set(value)
        return f'"{value if is_plain else "".join(map(_character, value))}"'
    if isinstance(value, dict):
        return (
            f"{{{', '.join(f'{as_json(name)}: {as_json(part)}' for name, part in value.items())}}}"
        )
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_json, value))}]"
    raise TypeError(f"{type(value).__name__} is nothing that a child reports")


def _character(character: str) -> str:
    code = ord(character)
    if _FIRST_SURROGATE <= code <= _LAST_SURROGATE:
        # Half a character, as Python keeps a byte of a file's name that is no UTF-8.
        return "\\ufffd"
    if _FIRST_PRINTABLE <= code <= _LAST_ASCII:
        return _ESCAPED.get(character, character)
    if code <= _LAST_OF_16_BITS:
        return f"\\u{code:04x}"
    above = code - 0x10000
    return f"\\u{0xD800 + (above >> 10):04x}\\u{0xDC00 + (above & 0x3FF):04x}"

# SPDX-License-Identifier: MIT
"""Of long logs, lines that differ in numbers only are told a few times; of others all are."""

from clprobe.paste.assemble import read_paste
from clprobe.paste.prose.alike import Alike

_LOG = [f"worker {number} took {number * 7} ms for frame 0x{number:x}" for number in range(3000)]
_SEEN = "clinfo: Number of platforms 0"


def _told(lines: list[str]) -> int:
    snapshot = read_paste("\n".join([*lines, _SEEN]), name="log")
    return len(snapshot.unread) + len(snapshot.statements)


def test_a_long_log_tells_its_alike_lines_a_few_times():
    assert 0 < _told(_LOG) < 20


def test_a_short_text_tells_all_its_lines():
    assert _told(_LOG[:40]) >= 40


def test_what_differs_in_words_tells_more():
    alike = Alike(_LOG)
    assert all(alike.tells_more(f"frame {number} was lost") for number in range(5))
    assert not alike.tells_more("frame 77 was lost")
    assert alike.tells_more("frame 77 was found")

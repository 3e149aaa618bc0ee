# SPDX-License-Identifier: MIT
"""Tiles of a product are dealt out so that each step of each is summed once, and none waits."""

from hypothesis import given
from hypothesis import strategies as st

from clprobe.tensor.ops.dealing import Dealt, Speed, deal

_FAST = Speed(rate=0.75, tile=(128, 128), step_depth=16, compute_units=132, held=2, work_items=128)


@given(
    tiles=st.integers(1, 3000),
    steps=st.integers(1, 500),
    held=st.integers(1, 800),
    most=st.integers(2, 64),
)
def test_shares_cover_all_that_is_left(tiles: int, steps: int, held: int, most: int) -> None:
    dealt = deal(tiles, steps, held=held, most=most, step_depth=16)

    left = (tiles - dealt.whole) * steps
    assert left == 0 if not dealt.shares else left <= dealt.shares * dealt.share
    # The last one has something to do, too.
    assert not dealt.shares or (dealt.shares - 1) * dealt.share < left
    assert dealt.whole % held == 0 or not dealt.shares
    assert dealt.shares <= held


@given(tiles=st.integers(1, 3000), steps=st.integers(1, 500), held=st.integers(1, 800))
def test_a_share_reaches_into_no_third_tile(tiles: int, steps: int, held: int) -> None:
    dealt = deal(tiles, steps, held=held, most=64, step_depth=16)

    assert dealt.share <= steps
    # And is worth a work-group.
    assert not dealt.shares or dealt.share >= 4


def test_tiles_that_fill_the_device_stay_whole() -> None:
    assert deal(528, 100, held=264, most=64, step_depth=16) == Dealt(528)


def test_few_tiles_are_shared_by_all_that_the_device_holds() -> None:
    assert deal(10, 1000, held=264, most=64, step_depth=16) == Dealt(0, 264, 38)


def test_a_model_shares_out_few_deep_tiles_and_leaves_shallow_ones() -> None:
    deep, shallow = 1000, 4
    shared = deal(10, deep, held=264, most=64, step_depth=16)
    assert _FAST.seconds(shared, 10, deep) < _FAST.seconds(Dealt(10), 10, deep) / 4

    assert deal(10, shallow, held=264, most=64, step_depth=16) == Dealt(10)
    one_more = deal(265, 30, held=264, most=64, step_depth=16)
    assert _FAST.seconds(one_more, 265, 30) < _FAST.seconds(Dealt(265), 265, 30)

# SPDX-License-Identifier: MIT
"""The data are those of UCI, whole and in order."""

import hashlib

import numpy as np

from clprobe.bench.digits import load_digits

# Images per digit of optdigits.tes, as its authors' description counts them.
PER_CLASS = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_all_images_are_there_once() -> None:
    train, test = load_digits()

    assert (len(train.labels), len(test.labels)) == (1437, 360)
    labels = np.concatenate([train.labels, test.labels])
    assert np.bincount(labels).tolist() == PER_CLASS


def test_pixels_are_ink_from_none_to_full() -> None:
    train, test = load_digits()

    for digits in (train, test):
        assert digits.images.shape[1:] == (1, 8, 8)
        assert digits.images.dtype == np.float32
        assert np.unique(digits.images * 16).tolist() == list(range(17))


def test_every_class_is_tested() -> None:
    assert np.bincount(load_digits()[1].labels).min() >= 25


def test_the_split_never_changes() -> None:
    digest = hashlib.sha256()
    for digits in load_digits():
        digest.update(digits.images.tobytes())
        digest.update(digits.labels.tobytes())

    assert digest.hexdigest() == "64f0a163b72783799c6dd5e0891a503c36515fd0d1bcdd8c7eb9704b50794d5a"


def test_batches_are_whole_and_disjoint() -> None:
    train, _ = load_digits()

    batches = train.batches(64)

    assert [len(batch.labels) for batch in batches] == [64] * 22
    joined = np.concatenate([batch.labels for batch in batches])
    assert np.array_equal(joined, train.labels[: 22 * 64])

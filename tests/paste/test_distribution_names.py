# SPDX-License-Identifier: MIT
"""Distributions as people and programs name them, and numbers behind a name that are none of it."""

import pytest

from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.distributions import distribution_named


@pytest.mark.parametrize(
    ("text", "identity", "version"),
    [
        ("Ubuntu 22.04.3 LTS", "ubuntu", "22.04"),
        ("ubuntu 1804", "ubuntu", "18.04"),
        ("Ubuntu 22, fresh", "ubuntu", "22.04"),
        ("Ubuntu 20.04 64 bit", "ubuntu", "20.04"),
        ("Ubuntu 64 bit", "ubuntu", NOT_STATED),
        ("Debian 64-bit", "debian", NOT_STATED),
        ("Debian 12.", "debian", "12"),
        ("CentOS 7.6.1810", "centos", "7.6.1810"),
        ("cc (Ubuntu 11.3.0-1ubuntu1~22.04.1) 11.3.0", "ubuntu", NOT_STATED),
    ],
)
def test_a_name_has_its_own_number_or_none(
    text: str, identity: str, version: str | Unknown
) -> None:
    found = distribution_named(text)
    assert found is not None
    assert (found.id, found.version) == (identity, version)

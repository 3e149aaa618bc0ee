# SPDX-License-Identifier: MIT
"""A command line tells which flatpak or snap it starts."""

import pytest

from clprobe.outside.commands import Started, started_by


@pytest.mark.parametrize(
    ("line", "path", "started"),
    [
        (
            "flatpak run --branch=stable org.darktable.Darktable -d opencl",
            "/usr/bin/flatpak",
            Started("flatpak", "org.darktable.Darktable"),
        ),
        ("/usr/bin/flatpak run", "/usr/bin/flatpak", None),
        ("flatpak list", "/usr/bin/flatpak", None),
        (
            "org.darktable.Darktable",
            "/var/lib/flatpak/exports/bin/org.darktable.Darktable",
            Started("flatpak", "org.darktable.Darktable"),
        ),
        ("snap run --shell clpeak", "/usr/bin/snap", Started("snap", "clpeak")),
        ("fakecam.clinfo", "/snap/bin/fakecam.clinfo", Started("snap", "fakecam")),
        ("darktable", "/usr/bin/darktable", None),
        ("missing", None, None),
    ],
)
def test_what_a_command_starts(line: str, path: str | None, started: Started | None) -> None:
    assert started_by(line.split(), path) == started

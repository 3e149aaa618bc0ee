# SPDX-License-Identifier: MIT
"""A text for people holds no command: what the validation takes for one, and what for prose."""

import pytest

from clprobe.validation.checks.command_checks import command_in


@pytest.mark.parametrize(
    "text",
    [
        "Run sudo apt install x.",
        "Then apt --fix-broken install ends it",
        "dnf distro-sync mends it",
        "See `dmesg`.",
        "Look: journalctl -k",
        "Look: dmesg | grep DENIED",
        "echo on > /sys/x/power/control",
        "cd x && make",
        "Give it the number $(stat -c %g /dev/dri/renderD128)",
        "modprobe i915, then look again",
        'usermod -aG render "$USER"',
        "chmod 0660 it",
        "chmod u+rw,g+rw {node.path}",
        "pip install torch",
        "With python3 -m pip it works",
        "conda install -c conda-forge x",
        "docker run --gpus all",
        "Start it with --device /dev/dri",
        "Start it with -v /etc/x:/etc/x:ro",
        "systemctl edit {system.virtualization.service}",
        "export RUSTICL_ENABLE=iris",
        "For rusticl RUSTICL_ENABLE=iris",
        "POCL_DEBUG=all clinfo -l",
        'eval "$(clprobe env)"',
        "Compare: clprobe info",
        "ulimit -v unlimited",
        "wsl --update on Windows",
        "ls -l shows them",
        "nano /etc/default/grub",
        "newgrp {node.group_label}",
        "loginctl terminate-user you",
        "snap connect NAME:opengl",
        "python -c 'import torch'",
    ],
)
def test_a_command_is_found(text: str) -> None:
    assert command_in(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Install a newer Linux, or the amdgpu-dkms package of the same ROCm release, and reboot.",
        "Name its folder in a file of /etc/ld.so.conf.d, and let ldconfig read that.",
        "the pip package pocl-binary-distribution stopped at PoCL 3.0",
        "Keep the whole environment with the option -E of sudo.",
        "In a systemd unit: Environment=VARIABLE=VALUE and LimitAS=infinity",
        "Under a small limit (ulimit -l), as services have by default",
        "clprobe ends a driver that signals clprobe or the processes above it",
        "snap packages bring drivers of their own; docker images do not",
        "See the modules; then find the one that is missing",
        "Take xe.force_probe and i915.force_probe=! out of the boot parameters.",
        "Make room on the disk; the apt source of Intel has it, too",
        "dev0: {node.path},gid=NUMBER, with the number that render has inside",
        "Allow {node.path} rw in the profile's local/ file and reload AppArmor.",
        "tmux keeps the old groups over a log-out",
        "Switch it off in the firmware setup, or export the frames elsewhere.",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert command_in(text) is None

# SPDX-License-Identifier: MIT
"""Names that people gave to networks, repositories and images, and ids in columns of tables.

Unlike the forms of `identifiers`, most of these are told by the words and columns beside them.
"""

import re

from clprobe.scrub.common_words import COMMON, words_of
from clprobe.scrub.identifiers import FEWEST_KINDS, Form, value_of
from clprobe.scrub.replacing import Removed, is_stand_in

# Who publishes what OpenCL consists of; their repositories and images tell nobody.
_PUBLISHERS = words_of(
    """
    intel oneapi-src intel-gpu khronosgroup ocl-dev ocl-icd pocl rocm radeonopencompute nvidia
    mesa drm freedesktop freebsd archlinux debian ubuntu fedora alpine linuxserver jellyfin
    blakeblackshear immich-app pytorch tensorflow openvinotoolkit openvino inducer library
    """
)


def _network(match: re.Match[str], removed: Removed) -> str:
    is_kept = is_stand_in(match["value"]) or match["value"] in {"off/any", "--", "auto"}
    return match[0] if is_kept else value_of("network-name")(match, removed)


def _repository(match: re.Match[str], removed: Removed) -> str:
    owner = match["value"].partition("/")[0].lower()
    return match[0] if owner in _PUBLISHERS else value_of("repository")(match, removed)


def _image(match: re.Match[str], removed: Removed) -> str:
    parts = match["value"].lower().split("/")
    is_public = parts[0] in _PUBLISHERS or (len(parts) > 2 and parts[1] in _PUBLISHERS)
    is_public = is_public or (len(parts) == 1 and parts[0] in COMMON)
    return match[0] if is_public or parts == ["<none>"] else value_of("image")(match, removed)


def _bare_id(match: re.Match[str], removed: Removed) -> str:
    digits = match["value"].lower().removeprefix("0x")
    is_machine, characters = len(digits) == 32, len(set(digits))
    # With more characters it looks random, and goes as a token does.
    if characters < 3 or (is_machine and characters >= FEWEST_KINDS):
        return match[0]
    return value_of("machine-id" if is_machine else "serial")(match, removed)


_SERIAL_WORD = re.compile(r"(?<=\s)(?=(?:[A-Z0-9_-]*\d){2})[A-Z0-9][A-Z0-9_-]{7,}(?=\s|$)")


def _disk(match: re.Match[str], removed: Removed) -> str:
    return _SERIAL_WORD.sub(lambda word: removed.stand_in("serial", word[0]), match[0])


_SSID = r"(?i)(?<![\w-])e?ssid[\"']?"
_OWNER_AND_NAME = r"(?P<value>[\w.-]+(?:/[\w.-]+)+?)"
FORMS = (
    Form(  # of AMD; NVIDIA's are UUIDs
        re.compile(r"(?i)(?<![\w-])GPU-(?P<value>[0-9a-f]{16})(?![\w-])"), value_of("uuid")
    ),
    Form(re.compile(rf"{_SSID}[ \t]*[:=]?[ \t]*([\"'])(?P<value>[^\"'\n]+)\1"), _network),
    Form(re.compile(rf"{_SSID}[ \t]*[:=][ \t]*(?P<value>[^\s\"',;][^\"',;\n]{{0,40}})"), _network),
    Form(
        re.compile(
            r"(?i)(?<!\w)(?:activating|starting|\(wi-?fi\)|wireless|wi-?fi) (?:connection|network) "
            r"([\"'])(?P<value>[^\"'\n]+)\1"
        ),
        _network,
    ),
    Form(
        re.compile(
            r"(?im)\bwifi[ \t]+connected(?:[ \t]+\([^)\n]*\))?[ \t]+(?P<value>\S[^\n]*?)[ \t]*$"
        ),
        _network,
    ),
    Form(re.compile(r"(?im)^[ \t]*wl\w+: connected to (?P<value>[^\n]+)$"), _network),
    Form(
        re.compile(
            r"(?im)^(?P<value>\S[^\n]{0,40}?)[ \t]+(?:removed-uuid(?:-\d+)?|[0-9a-f-]{36})[ \t]+"
            r"(?:wifi|802-11-wireless)\b"
        ),
        _network,
    ),
    Form(re.compile(r"\biSerial[ \t]+[1-9]\d{0,2}[ \t]+(?P<value>\S+)"), value_of("serial")),
    Form(  # names of disks in networks of storage, NAA 5 and 6
        re.compile(
            r"(?i)(?<![\w.])(?:wwn-)?(?P<value>0x[56][0-9a-f]{15}(?:[0-9a-f]{16})?|"
            r"eui\.[0-9a-f]{16,32}|naa\.[0-9a-f]{16,32})(?!\w)"
        ),
        value_of("serial"),
    ),
    Form(
        re.compile(
            r"(?<![\w-])(?:ata|nvme|usb|scsi)-[\w.-]*_(?P<value>(?=[A-Z0-9]*\d)[A-Z0-9]{8,})"
        ),
        value_of("serial"),
    ),
    Form(
        re.compile(
            r"(?m)^[ \t│├└─|`-]*(?:sd[a-z]{1,2}|nvme\d+n\d+|vd[a-z]|hd[a-z]|mmcblk\d+)[ \t][^\n]+$"
        ),
        _disk,
    ),
    Form(
        re.compile(
            r"(?:(?<=git@)[\w.-]+[:/]|(?:https?|git|ssh)://[\w.@-]+(?::\d+)?/)"
            rf"{_OWNER_AND_NAME}(?=\.git\b|/?[ \t]+\((?:fetch|push)\))"
        ),
        _repository,
    ),
    Form(
        re.compile(
            r"\bgit (?:clone|fetch|pull|push|remote add)\b[^\n]{0,80}?"
            rf"(?:[\w.-]+@[\w.-]+:|://[\w.@-]+(?::\d+)?/){_OWNER_AND_NAME}(?=\.git\b|[\s'\"]|$)"
        ),
        _repository,
    ),
    Form(
        re.compile(
            r"(?m)^(?P<value>[\w./:-]{2,200})[ \t]+[\w.<>-]+[ \t]+(?:sha256:)?[0-9a-f]{12}[ \t]+"
            r"(?:\d+|About an?|Less than an?) \w+ ago\b"
        ),
        _image,
    ),
    Form(  # what `cat` prints of unique_id, and of a machine id that does not look random
        re.compile(r"(?m)^[ \t]*(?P<value>(?:0x)?[0-9a-f]{16}|[0-9a-f]{32})[ \t]*$"), _bare_id
    ),
)

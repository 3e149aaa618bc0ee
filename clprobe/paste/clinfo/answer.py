# SPDX-License-Identifier: MIT
"""What a run of clinfo says as an answer of OpenCL; what it does not show stays unknown."""

from collections.abc import Sequence

from clprobe.model.opencl import Answer, Device, Outcome, Platform, Stage
from clprobe.model.unknown import NOT_STATED, Fact, Unknown
from clprobe.paste.clinfo.blocks import Block, Found
from clprobe.paste.clinfo.facts import device_of, text_of, value_of
from clprobe.paste.clinfo.tokens import Token

_NO_PLATFORMS = -1001
_MOST_CREDIBLE = 64
_LONGEST_PRINTED = 2000
_OF_PLATFORMS = "number of platforms"


def answer_of(found: Found, failures: Sequence[Token], signal: str, printed: str) -> Answer:
    """Return the answer; `signal` is what ended clinfo, empty where the text tells none."""
    failure = failures[0] if failures else None
    platforms = _platforms(found, failure)
    code = int(failure.value) if failure else None
    outcome, message = _outcome(platforms, failure, signal)
    if found.is_cut and outcome == "no-devices":
        outcome = NOT_STATED
    ended_well = outcome in ("ok", "no-devices") and not failure
    return Answer(
        stage=_stage(platforms, failure),
        outcome=outcome,
        error_code=code if code is not None else (None if ended_well else NOT_STATED),
        signal=signal or NOT_STATED,
        message=message,
        printed=printed[-_LONGEST_PRINTED:].strip() or NOT_STATED,
        platforms=platforms,
    )


def _platforms(found: Found, failure: Token | None) -> Fact[tuple[Platform, ...]]:
    """Return the platforms; one that is announced and not shown is one of unknown facts."""
    shown = [_platform(block) for block in found.platforms]
    announced = found.announced
    if failure and failure.name == _OF_PLATFORMS:
        return () if int(failure.value) == _NO_PLATFORMS else NOT_STATED
    if failure and len(shown) == 1 and failure.name == "number of devices":
        only = found.platforms[0]
        shown = [_platform(only, int(failure.value))]
    if announced is None:
        return tuple(shown) if shown else NOT_STATED
    if announced > _MOST_CREDIBLE and announced > len(shown):
        found.remarks.append(f"announced {announced} platforms, found {len(shown)}")
        return NOT_STATED
    if announced != len(shown):
        found.remarks.append(f"announced {announced} platforms, found {len(shown)}")
    return (*shown, *(Platform() for _ in range(announced - len(shown))))


def _platform(block: Block, devices_error: int | None = None) -> Platform:
    told = block.announced is not None
    return Platform(
        name=value_of(block.texts, "CL_PLATFORM_NAME", text_of),
        vendor=value_of(block.texts, "CL_PLATFORM_VENDOR", text_of),
        version=value_of(block.texts, "CL_PLATFORM_VERSION", text_of),
        icd_suffix=value_of(block.texts, "CL_PLATFORM_ICD_SUFFIX_KHR", text_of),
        devices_error=devices_error or (None if told else NOT_STATED),
        devices=NOT_STATED if devices_error else _devices(block),
    )


def _devices(block: Block) -> Fact[tuple[Device, ...]]:
    """Return the devices; one that is announced and not shown is one of unknown facts."""
    devices = tuple(device_of(texts) for texts in block.devices)
    if block.announced is None:
        return devices or NOT_STATED
    missing = block.announced - len(devices)
    if missing > _MOST_CREDIBLE:
        return NOT_STATED
    return (*devices, *(Device() for _ in range(missing)))


def _outcome(
    platforms: Fact[tuple[Platform, ...]], failure: Token | None, signal: str
) -> tuple[Fact[Outcome], Fact[str | None]]:
    if signal:
        return "crash", f"clinfo was ended by {signal}"
    if failure:
        is_empty = failure.name == _OF_PLATFORMS and int(failure.value) == _NO_PLATFORMS
        words = f"clinfo: {failure.name}: error {failure.value}"
        return ("no-devices" if is_empty else "error"), words
    if isinstance(platforms, Unknown):
        return NOT_STATED, NOT_STATED
    lists = [platform.devices for platform in platforms]
    if any(devices for devices in lists if not isinstance(devices, Unknown)):
        return "ok", NOT_STATED
    if any(isinstance(devices, Unknown) for devices in lists):
        return NOT_STATED, NOT_STATED
    return "no-devices", NOT_STATED


def _stage(platforms: Fact[tuple[Platform, ...]], failure: Token | None) -> Fact[Stage]:
    if failure:
        return "platforms" if failure.name == _OF_PLATFORMS else "devices"
    if isinstance(platforms, Unknown):
        return NOT_STATED
    lists = [platform.devices for platform in platforms]
    if any(devices for devices in lists if not isinstance(devices, Unknown)):
        return "queries"
    if any(isinstance(devices, Unknown) for devices in lists):
        return NOT_STATED
    return "devices" if platforms else "platforms"


def counts_that_differ(found: Found) -> list[str]:
    """Return remarks on platforms with fewer or more devices than announced."""
    return [
        f"announced {block.announced} devices of platform {place}, found {len(block.devices)}"
        for place, block in enumerate(found.platforms)
        if block.announced is not None and block.announced != len(block.devices)
    ]

# SPDX-License-Identifier: MIT
"""Times `doctor --from` on four texts of 1 MB such as people paste: run it with python.

    python paste_times.py [FOLDER]

The texts are made here, always the same: the log of a test run, the journal of Linux, a program's
log, and one output of clinfo and list of packages after another. FOLDER keeps them, and any other
.txt and .log in it is timed, too. The seconds are those of the processor, of the process and its
children, and the lowest of three runs. An editable install has no compiled modules where
PYTHONDONTWRITEBYTECODE is set, which costs each run a quarter of a second: measure an installed
copy.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_BYTES = 1_000_000
_RUNS = 3
_OPERATIONS = ("matmul", "conv2d", "softmax", "layernorm", "reduce_sum", "gelu", "scan", "gather")
_DEVICES = ("pocl-cpu", "Intel(R) UHD Graphics 630", "gfx1030", "NVIDIA GeForce RTX 3060")
_JOURNAL = (
    "systemd[1]: Started Session {a} of User deck.",
    "systemd[{p}]: run-user-1000.mount: Deactivated successfully.",
    "NetworkManager[{p}]: <info>  [17{a}.{d:04}] dhcp4 (wlp3s0): state changed new lease, "
    "address=192.168.1.{b}",
    "gnome-shell[{p}]: Window manager warning: last_user_time ({a}) is greater than comparison "
    "timestamp ({d}).  This most likely represents a buggy client.",
    "sshd[{p}]: Accepted publickey for deck from 10.0.0.{b} port {a} ssh2: ED25519 SHA256:{x:08x}",
    "CRON[{p}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)",
    'kernel: audit: type=1400 audit(17{a}.{d}:{b}): apparmor="ALLOWED" operation="open" '
    'profile="snap.firefox" name="/proc/{p}/stat" pid={p} comm="pool-{b}"',
    "kernel: usb {b}-{c}: new high-speed USB device number {b} using xhci_hcd",
    "kernel: usb {b}-{c}: New USB device found, idVendor={x:04x}, idProduct={d:04x}",
    "kernel: wlp3s0: authenticate with {c:02x}:{b:02x}:5e:00:53:{c:02x}",
    "kernel: EXT4-fs (nvme0n1p{c}): mounted filesystem with ordered data mode. Quota mode: none.",
    "kernel: pci 0000:0{c}:1f.{c}: BAR {c}: assigned [mem 0x{x:08x}-0x{x:08x}]",
    "kernel: ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PC00.LPCB.EC{b}], AE_NOT_FOUND",
    "kernel: CPU{c}: Package temperature above threshold, cpu clock throttled (total events = {a})",
    "kernel: i915 0000:00:02.0: [drm] *ERROR* CPU pipe A FIFO underrun",
    "kernel: i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:{x:08x}, in clinfo [{p}]",
    "kernel: i915 0000:00:02.0: [drm] Resetting rcs0 for stopped heartbeat on rcs0",
    "kernel: amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:{b} vmid:{c} "
    "pasid:{d})",
    "kernel: amdgpu 0000:03:00.0: [drm] *ERROR* ring gfx_0.0.0 timeout, signaled seq={a}, emitted "
    "seq={d}",
    "kernel: NVRM: Xid (PCI:0000:01:00): {b}, pid={p}, name=python3, Ch {x:08x}",
    "kernel: [drm:intel_dp_start_link_train [i915]] *ERROR* failed to train the link {b}",
)
_PROGRAM = (
    "frame={a:5} fps={b:3} q=28.0 size={d:8}kB time=00:0{c}:{b:02}.{c}3 bitrate={a}.1kbits/s "
    "speed={c}.{b}x",
    'time=2026-03-{c:02}T12:{b:02}:11.{d:04}Z level=INFO source=routes.go:{a} msg="Listening on '
    '127.0.0.1:{a} (version 0.5.{c})"',
    'time=2026-03-{c:02}T12:{b:02}:12.{d:04}Z level=DEBUG source=gpu.go:{b} msg="evaluating GPU '
    'library candidates" paths="[/usr/lib/x86_64-linux-gnu/libcuda.so.{a}]"',
    "[12:{b:02}:13] [INF] [{c}] Jellyfin.Api.Controllers.DynamicHls: Current HLS implementation "
    "doesn't support non-keyframe breaks but one is requested, ignoring that request",
    "[12:{b:02}:14] [ERR] [{c}] Jellyfin.Api.Helpers.TranscodingJobHelper: FFmpeg exited with code "
    "{b}",
    "[AVHWDeviceContext @ 0x{x:012x}] Failed to get number of OpenCL platforms: -1001.",
    "[hevc @ 0x{x:012x}] nal_unit_type: {b}(IDR_W_RADL), nuh_layer_id: 0, temporal_id: 0",
    "[libx264 @ 0x{x:012x}] frame I:{b}     Avg QP:{c}.{b}  size:{d}",
    "  Stream #0:{c}(eng): Video: h264 (High), yuv420p(tv, bt709), 1920x1080, {a} kb/s, 25 fps",
    "llama_model_loader: - kv  {b}:  llama.block_count u32              = {b}",
    "load_tensors: layer {b:3} assigned to device OpenCL, is_swa = {c}",
    "ggml_opencl: selecting platform: 'Intel(R) OpenCL Graphics' (build {a})",
    "ggml_opencl: compiling kernel mul_mv_q{c}_0_f32 took {a} ms",
    '[GIN] 2026/03/{c:02} - 12:{b:02}:15 | 200 |  {a}.{b}ms |  127.0.0.1 | POST  "/api/chat"',
    "{d}.{a} [dev_pixelpipe] took 0.{a} secs (0.{d} CPU) [export] processed `demosaic' on GPU",
    "{d}.{a} [opencl_profiling] spent  0.{d} seconds in [Map Buffer] event {b}",
    "2026-03-{c:02} 12:{b:02}:16,{a} - worker-{b} - WARNING - batch {a} took {d} ms on device {c}",
)
_PACKAGE = "ii  {name:40} {c}.{b}.{a}-1ubuntu{c}   amd64   library number {b} of a list"
_STEMS = ("libdrm", "mesa", "ocl-icd", "intel-opencl-icd", "libigc", "pocl", "libllvm", "python3")


def _numbers(draw: random.Random) -> dict[str, int]:
    return {
        "a": draw.randrange(100, 9999),
        "b": draw.randrange(10, 60),
        "c": draw.randrange(1, 9),
        "d": draw.randrange(1000, 9999),
        "p": draw.randrange(300, 99999),
        "x": draw.randrange(1 << 24, 1 << 32),
    }


def _test_run(draw: random.Random) -> Iterator[str]:
    """Give what pytest -v prints: a line for each test, then tracebacks."""
    yield "============================= test session starts =============================="
    yield "platform linux -- Python 3.11.7, pytest-8.4.1, pluggy-1.6.0 -- /usr/bin/python3"
    while True:
        names = [draw.choice(_OPERATIONS) for _ in range(40)]
        for name in names:
            shape = f"{draw.randrange(1, 300)}x{draw.randrange(1, 300)}"
            verdict = draw.choice(("PASSED", "PASSED", "PASSED", "FAILED", "SKIPPED"))
            test = f"test_{name}_is_right[{shape}-{draw.choice(_DEVICES)}]"
            yield f"tests/ops/test_{name}.py::{test} {verdict} [ {draw.randrange(1, 100):2}%]"
        yield "=================================== FAILURES ==================================="
        for name in names[:6]:
            yield from _failure(name, draw)


def _failure(name: str, draw: random.Random) -> Iterator[str]:
    at, got = draw.randrange(10, 300), draw.random()
    code = draw.choice(("-5", "-11", "-54", "-1001"))
    yield f"____________________________ test_{name}_is_right[{at}] ____________________________"
    yield ""
    yield f"device = <pyopencl.Device '{draw.choice(_DEVICES)}' on 'Portable' at 0x{at:08x}>"
    yield ""
    yield f"    def test_{name}_is_right(shape, device):"
    yield "        queue = device.queue()  # the tests of one device share theirs"
    yield "        given = numpy.random.default_rng(7).random(shape, dtype=numpy.float32)"
    yield f">       result = {name}(Array(given, queue), axis=-1)"
    yield ""
    yield f"tests/ops/test_{name}.py:{at}: "
    yield "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _"
    yield ""
    yield "self = <tensor.program.Program object>, args = (<Buffer>, 128, 1.0)"
    yield ""
    yield "        if status != 0:"
    yield '            raise RuntimeError(f"the kernel could not be enqueued: {status}")'
    yield f"E       AssertionError: assert {got:.6f} == {got + 0.1:.6f} ± 1.0e-06"
    yield "E         comparison failed. Mismatched elements: 3 / 128:"
    yield f"E         Max absolute difference: {got:.8f}"
    yield f"E       pyopencl._cl.RuntimeError: clEnqueueNDRangeKernel failed: {code}"
    yield ""
    yield f"tensor/program.py:{at + 7}: RuntimeError"
    yield "----------------------------- Captured stdout call -----------------------------"
    yield f"building {name}.cl for {draw.choice(_DEVICES)} took {at} ms"


def _journal(draw: random.Random) -> Iterator[str]:
    seconds = 0
    while True:
        seconds += draw.randrange(3)
        hour, minute = seconds // 3600 % 24, seconds // 60 % 60
        text = draw.choice(_JOURNAL).format(**_numbers(draw))
        yield f"Mar 14 {hour:02}:{minute:02}:{seconds % 60:02} workstation {text}"


def _program(draw: random.Random) -> Iterator[str]:
    while True:
        yield draw.choice(_PROGRAM).format(**_numbers(draw))


def _many_machines(draw: random.Random) -> Iterator[str]:
    outputs = sorted((_TESTS / "paste" / "clinfo").glob("*/*.txt"))
    while True:
        yield "$ clinfo"
        yield from draw.choice(outputs).read_text(errors="replace").splitlines()
        yield "$ dpkg -l"
        for _ in range(150):
            name = f"{draw.choice(_STEMS)}-{draw.randrange(1, 400)}"
            yield _PACKAGE.format(name=name, **_numbers(draw))


_KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "test-run": _test_run,
    "journal": _journal,
    "program": _program,
    "many-machines": _many_machines,
}


def made(kind: str) -> str:
    """Return the text of a kind, cut at 1 MB."""
    lines, size = [], 0
    for line in _KINDS[kind](random.Random(17)):  # noqa: S311 - always the same text
        size += len(line.encode()) + 1
        if size > _BYTES:
            return "\n".join(lines) + "\n"
        lines.append(line)
    raise AssertionError(f"{kind} ended")


def processor_seconds(path: Path) -> float:
    """Return what the command took of the processor, with its children."""
    argv = [sys.executable, "-m", "clprobe", "doctor", "--from", str(path), "--json"]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def main(folder: Path) -> None:
    """Print a line per text."""
    for kind in _KINDS:
        (folder / f"{kind}.txt").write_text(made(kind))
    for path in sorted([*folder.glob("*.txt"), *folder.glob("*.log")]):
        seconds = min(processor_seconds(path) for _ in range(_RUNS))
        sys.stdout.write(f"{path.stat().st_size / 1e6:5.2f} MB {seconds:6.2f} s {path.name}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as kept:
            main(Path(kept))

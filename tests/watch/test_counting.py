# SPDX-License-Identifier: MIT
"""Programs know how many kernels they enqueue; what is counted must be just that."""

import resource
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import (
    DeviceCounts,
    Outcome,
    ProcessCounts,
    failed_calls,
    kernel_uses,
)

Run = Callable[..., SimpleNamespace]
Make = Callable[..., Path]
POCL = "Portable Computing Language"
LINKING = {
    "lazy": ("-Wl,-z,lazy",),
    "now": ("-Wl,-z,now",),
    "no-plt": ("-O2", "-fno-plt"),
    "no-pie": ("-no-pie", "-Wl,-z,now"),
}
REAL_LOADER = Path("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1")
INTEL = next(iter(Path(sys.prefix, "lib").glob("libintelocl.so")), None)


@pytest.fixture(scope="module")
def launch(make: Make) -> Path:
    """The program, which opens the loader itself."""
    return make("launch.c", "launch")


@pytest.fixture
def runs(run: Run, launch: Path, wheel: Path, only_pocl: Mapping[str, str]) -> Run:
    """Run the program with the loader and the PoCL in pyopencl's wheel."""

    def runs(*arguments: str, **options: object) -> SimpleNamespace:
        return run(launch, f"library={wheel}", *arguments, environment=only_pocl, **options)

    return runs


def only(done: SimpleNamespace) -> tuple[ProcessCounts, DeviceCounts]:
    """Return the one process and its one device."""
    (process,) = done.counts
    (device,) = process.devices
    return process, device


@pytest.mark.parametrize("how", LINKING)
def test_kernels_of_a_program_that_is_linked_are_counted(
    run: Run, make: Make, wheel: Path, only_pocl: Mapping[str, str], how: str
) -> None:
    linked = [wheel, f"-Wl,-rpath,{wheel.parent}", *LINKING[how]]
    program = make("launch.c", f"linked-{how}", "-DLINKED", *linked)

    done = run(program, "kernels=37", environment=only_pocl)

    process, device = only(done)
    assert (done.status, device.enqueued, device.failed) == (0, 37, 0)
    assert (device.platform, device.type) == (POCL, "cpu")
    assert device.name
    assert device.driver_version
    assert process.program == str(program)
    assert [Path(path).name for path in process.loaders] == [wheel.name]
    assert process.has_exited
    assert process.is_whole
    assert process.unreturned == ()


@pytest.mark.parametrize("queue", ["plain", "profiling", "null", "list", "out-of-order"])
@pytest.mark.parametrize("asked", [(), ("events=1",), ("task=1", "events=1")], ids=str)
def test_kernels_of_any_queue_are_counted_and_timed(
    runs: Run, queue: str, asked: tuple[str, ...]
) -> None:
    process, device = only(runs(f"queue={queue}", "kernels=9", "items=512", "turns=2000", *asked))

    assert (device.enqueued, device.timed, device.is_exact) == (9, 9, True)
    assert isinstance(device.device_ns, int)
    assert device.device_ns > 0
    assert process.wall_ns > 0


@pytest.mark.parametrize("queue", ["plain", "profiling", "null", "list", "out-of-order"])
def test_a_program_sees_the_queue_that_it_asked_for(runs: Run, queue: str) -> None:
    arguments = (f"queue={queue}", "kernels=3", "events=1", "show=1")

    alone, watched = runs(*arguments, counts=False), runs(*arguments)

    assert watched.printed == alone.printed
    assert any(line.startswith("profiling:") for line in alone.printed)
    assert only(watched)[1].enqueued == 3


def test_more_queues_than_can_be_remembered_are_counted_and_stay_as_they_were(runs: Run) -> None:
    done = runs("queues=700", "kernels=2")

    assert "queues with properties: 0" in done.printed
    assert only(done)[1].enqueued == 702


def test_threads_lose_no_kernel(runs: Run) -> None:
    _, device = only(runs("threads=8", "kernels=1000"))

    assert device.enqueued == 8000
    assert device.timed > 0


def test_where_one_of_many_kernels_is_timed_it_stands_for_the_others(runs: Run) -> None:
    _, device = only(runs("kernels=20000", "finish_every=100"))

    assert device.enqueued == 20000
    assert 0 < device.timed < 20000  # of 4 us each, where nothing else runs
    assert not device.is_exact
    assert isinstance(device.device_ns, int)


def test_each_forked_child_has_counts_of_its_own(runs: Run) -> None:
    done = runs("children=3", "kernels=11")

    counts = [(one.enqueued, one.parent_pid) for one in done.counts]
    assert [enqueued for enqueued, _ in counts] == [11, 11, 11]
    assert len({parent for _, parent in counts}) == 1
    assert len({one.pid for one in done.counts}) == 3


def test_a_child_of_a_process_with_a_loader_does_not_write_into_the_counts_of_its_parent(
    run: Run, make: Make, wheel: Path, only_pocl: Mapping[str, str]
) -> None:
    linked = [wheel, f"-Wl,-rpath,{wheel.parent}"]
    program = make("launch.c", "linked", "-DLINKED", *linked)

    done = run(program, "children=2", "kernels=5", environment=only_pocl)

    parent, *children = done.counts
    assert (parent.enqueued, parent.devices, parent.outcomes) == (0, (), ())
    assert [one.enqueued for one in children] == [5, 5]
    assert {one.parent_pid for one in children} == {parent.pid}
    # A child began when it was forked, not when its parent did.
    assert all(one.started_ns >= parent.started_ns for one in children)
    assert all(one.wall_ns < 60_000_000_000 for one in children)
    assert all(one.loaders == parent.loaders for one in children)


def test_a_killed_program_leaves_every_kernel_that_it_enqueued(runs: Run) -> None:
    done = runs("kernels=500", "kill=1")

    process, device = only(done)
    assert done.status == -signal.SIGKILL
    assert (device.enqueued, process.has_exited) == (500, False)


def test_a_program_that_ends_without_exit_is_counted(runs: Run) -> None:
    process, device = only(runs("kernels=6", "then=_exit"))

    assert (device.enqueued, process.has_exited) == (6, False)


def test_after_exec_it_is_another_program(runs: Run, wheel: Path) -> None:
    too = f"library_too=library={wheel}"
    before, after = runs("kernels=6", "then=exec", too, "again=kernels=4").counts

    assert before.pid == after.pid
    assert (before.enqueued, after.enqueued) == (6, 4)
    assert before.started_ns < after.started_ns


def test_a_program_without_opencl_leaves_its_links_only(run: Run, launch: Path) -> None:
    done = run(launch, "nothing=1")

    assert (done.status, done.counts) == (0, ())
    assert [path.suffix for path in done.folder.iterdir()] == [".links"]


def test_a_program_that_enqueues_nothing_tells_so(runs: Run) -> None:
    done = runs("kernels=0")

    process, device = only(done)  # of its queue
    assert (device.enqueued, device.device_ns, process.enqueued) == (0, 0, 0)
    assert kernel_uses(done.counts, process.wall_ns) == ()
    assert Outcome(call="clBuildProgram", code=0, count=1) in process.outcomes


def test_errors_are_noted_by_call_and_code(runs: Run) -> None:
    done = runs("kernels=2", "failures=3", "no_gpu=1", "broken_program=1")

    process, device = only(done)
    assert (device.enqueued, device.failed, device.last_error) == (2, 3, -53)
    wrong = {(one.call, one.code): one.count for one in process.outcomes if one.code}
    assert wrong == {
        ("clGetDeviceIDs", -1): 1,
        ("clBuildProgram", -11): 1,
        ("clEnqueueNDRangeKernel", -53): 3,
    }
    assert {(one.call, one.error_code): one.times for one in failed_calls(done.counts)} == wrong


def test_a_loader_without_drivers_fails_in_its_first_call(
    run: Run, launch: Path, wheel: Path, only_pocl: Mapping[str, str], tmp_path: Path
) -> None:
    nothing = {**only_pocl, "OCL_ICD_VENDORS": str(tmp_path), "PYOPENCL_HOME": str(tmp_path)}

    done = run(launch, f"library={wheel}", environment=nothing)

    (process,) = done.counts
    assert process.outcomes == (Outcome(call="clGetPlatformIDs", code=-1001, count=1),)


@pytest.mark.parametrize("call", ["clBuildProgram", "clEnqueueNDRangeKernel", "clCreateBuffer"])
def test_the_call_in_which_a_program_crashed_has_not_returned(
    run: Run, make: Make, launch: Path, call: str
) -> None:
    driver = make("fails.c", "libfails.so", "-shared", "-fPIC")

    done = run(launch, f"library={driver}", environment={"CRASHES_IN": call})

    (process,) = done.counts
    assert done.status == -signal.SIGABRT
    assert process.unreturned == (call,)


def test_a_library_may_be_opened_and_closed_again_and_again(
    run: Run, make: Make, launch: Path
) -> None:
    driver = make("fails.c", "libfails.so", "-shared", "-fPIC")

    done = run(launch, f"library={driver}", "reopen=100", "nothing=1")

    (process,) = done.counts
    assert process.outcomes == (Outcome(call="clGetPlatformIDs", code=0, count=100),)
    assert process.loaders == (str(driver),)
    assert process.is_whole


@pytest.mark.parametrize("part", ["WHOLE", "PARTIAL"])
def test_a_kernel_that_a_wrapper_passes_on_is_counted_once(
    run: Run, make: Make, wheel: Path, only_pocl: Mapping[str, str], part: str
) -> None:
    wrapper = make("passes_on.c", f"lib{part}.so", "-shared", "-fPIC", f"-D{part}")
    environment = {**only_pocl, "REAL_LOADER": str(wheel)}
    program = make("launch.c", "launch")

    done = run(program, f"library={wrapper}", "kernels=12", environment=environment)

    process, device = only(done)
    assert (device.enqueued, device.timed, device.platform) == (12, 12, POCL)
    assert process.is_whole


def test_where_nothing_can_be_written_the_program_runs_on(runs: Run, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "counts")

    done = runs("kernels=2")

    assert (done.status, done.counts, done.printed) == (0, (), [])
    assert not done.folder.exists()


def test_a_program_that_may_write_no_file_runs_on(run: Run, make: Make, launch: Path) -> None:
    driver = make("fails.c", "libfails.so", "-shared", "-fPIC")

    def write_nothing() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    done = run(launch, f"library={driver}", "kernels=5", before=write_nothing)

    (process,) = done.counts
    assert (done.status, done.printed) == (0, [])
    assert isinstance(process, Unknown)


def test_times_are_left_out_where_that_is_wished(
    run: Run, launch: Path, wheel: Path, only_pocl: Mapping[str, str]
) -> None:
    environment = {**only_pocl, "CLPROBE_WATCH_TIMES": "0"}

    _, device = only(run(launch, f"library={wheel}", "kernels=8", environment=environment))

    assert (device.enqueued, device.timed) == (8, 0)
    assert isinstance(device.device_ns, Unknown)


def test_pyopencl_with_the_loader_of_its_wheel_is_counted(
    run: Run, only_pocl: Mapping[str, str]
) -> None:
    program = (
        "import pyopencl as cl\n"
        f"platform = next(one for one in cl.get_platforms() if one.name == {POCL!r})\n"
        "context = cl.Context(platform.get_devices())\n"
        "queue = cl.CommandQueue(context)\n"
        "array = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)\n"
        "source = 'kernel void f(global int *a) { a[get_global_id(0)] = 1; }'\n"
        "kernel = cl.Program(context, source).build().f\n"
        "for turn in range(23):\n"
        "    event = kernel(queue, (64,), None, array)\n"
        "event.wait()\n"
        "assert queue.properties == 0\n"
    )

    done = run(sys.executable, "-W", "ignore", "-c", program, environment=only_pocl)

    process, device = only(done)
    assert (done.status, device.enqueued, device.platform) == (0, 23, POCL)
    (use,) = kernel_uses(done.counts, process.wall_ns)
    assert (use.device, use.kernels, use.refused, use.error_code) == (device.name, 23, 0, None)
    assert isinstance(use.busy_share, float)
    assert 0 < use.busy_share < 1


# Real implementations of this machine, by the loader of the distribution.
@pytest.fixture
def system(run: Run, launch: Path) -> Run:
    """Run the program with the distribution's loader."""
    if not REAL_LOADER.exists():
        pytest.skip("no loader is installed")

    def system(*arguments: str, environment: Mapping[str, str] | None = None) -> SimpleNamespace:
        return run(launch, f"library={REAL_LOADER}", *arguments, environment=environment)

    return system


def only_icd(name: str) -> dict[str, str]:
    """Return the variable for which the loader knows this driver only."""
    icd = Path("/etc/OpenCL/vendors", name)
    if not icd.exists():
        pytest.skip(f"{name} is not installed")
    return {"OCL_ICD_VENDORS": str(icd)}


@pytest.mark.parametrize("queue", ["plain", "list", "out-of-order"])
def test_pocl_of_the_distribution_is_counted(system: Run, queue: str) -> None:
    done = system("kernels=50", f"queue={queue}", environment=only_icd("pocl.icd"))

    _, device = only(done)
    assert (done.status, device.enqueued, device.platform) == (0, 50, POCL)
    assert device.timed > 0


def test_rusticl_is_counted_and_its_times_of_a_nanosecond_are_not_believed(system: Run) -> None:
    environment = {**only_icd("rusticl.icd"), "RUSTICL_ENABLE": "llvmpipe"}

    done = system("kernels=20", environment=environment)
    if done.status == 5:
        pytest.skip("this Mesa has no rusticl on llvmpipe")

    _, device = only(done)
    assert (done.status, device.enqueued, device.platform) == (0, 20, "rusticl")
    assert isinstance(device.device_ns, Unknown) or device.device_ns > 20 * 50


@pytest.mark.skipif(INTEL is None, reason="Intel's runtime for the CPU is not installed")
@pytest.mark.parametrize("by", ["loader", "itself"])
@pytest.mark.parametrize("queue", ["plain", "list", "null"])
def test_intels_runtime_is_counted_once_behind_a_loader_and_by_itself(
    run: Run, launch: Path, tmp_path: Path, by: str, queue: str
) -> None:
    assert INTEL is not None
    if by == "loader" and not REAL_LOADER.exists():
        pytest.skip("no loader is installed")
    (tmp_path / "intel.icd").write_text(f"{INTEL}\n")
    environment = {"LD_LIBRARY_PATH": str(INTEL.parent), "OCL_ICD_VENDORS": str(tmp_path)}
    loader = REAL_LOADER if by == "loader" else INTEL

    arguments = (f"library={loader}", "kernels=30", f"queue={queue}", "events=1", "show=1")
    alone = run(launch, *arguments, environment=environment, counts=False)
    done = run(launch, *arguments, environment=environment)

    _, device = only(done)
    assert (done.status, device.enqueued, device.type) == (0, 30, "cpu")
    assert device.platform.startswith("Intel")
    assert done.printed == alone.printed


def test_oclgrind_which_stands_before_the_loader_is_counted(run: Run, make: Make) -> None:
    oclgrind = shutil.which("oclgrind")
    if oclgrind is None or not REAL_LOADER.exists():
        pytest.skip("oclgrind and a loader are not installed")
    program = make("launch.c", "linked-system", "-DLINKED", REAL_LOADER)

    done = run(oclgrind, program, "kernels=7")

    process = next(one for one in done.counts if one.devices)
    (device,) = process.devices
    assert (device.name, device.enqueued) == ("Oclgrind Simulator", 7)

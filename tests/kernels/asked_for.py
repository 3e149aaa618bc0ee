# SPDX-License-Identifier: MIT
"""Which builds of which kernels a device asks for: real operations on a device that never launches.

Nothing is computed, so shapes may be as large as those that are worth tuning for, and the list
cannot drift from the code that asks.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import every_operation
import further_operations
import numpy as np
import pyopencl as cl
import yaml

from clprobe.resources import kernels_path
from clprobe.tensor import (
    Array,
    BuildError,
    Device,
    Limits,
    Tensor,
    conv2d,
    linear,
    nn,
    softmax_cross_entropy,
)
from clprobe.tensor.autocast import Policy, autocast, multiplies_in_half
from clprobe.tensor.loss_scale import LossScale
from clprobe.tensor.ops import gather, nll, softmax, views
from clprobe.tensor.ops.dropout import RandomStream, random_values, truths
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue
from clprobe.tensor.ops.extremes import extremes
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.ops.pool import max_pool2d_forward
from clprobe.tensor.ops.variants import Product, Variant, load_variants
from clprobe.tensor.optim import SGD, Adam, AdamW, Optimiser
from clprobe.tensor.program import Kernel, Programs, expand_includes, read_with_includes

# The products and convolutions of the project's speed targets; see tests/benchmarks.
PRODUCTS = [
    *((size, size, size) for size in (64, 256, 512, 1024, 2048, 4096)),
    *((64, 1024, 4096), (128, 512, 784), (128, 512, 512), (128, 10, 512), (1, 10, 512), (7, 5, 3)),
]
# Functions that graphs alone ask for, and how many operands each has.
FUNCTIONS_OF_GRAPHS = {
    "silu": 1, "silu_gradient": 2, "gelu_tanh": 1, "gelu_tanh_gradient": 2, "leaky": 2,
    "leaky_gradient": 3, "above_gradient": 3, "inside_gradient": 4, "choose": 3, "is_greater": 2,
    "is_greater_or_equal": 2, "is_equal": 2, "is_unequal": 2, "unless_masked": 2,
}  # fmt: skip
TRANSPOSED = [(False, False), (False, True), (True, False), (True, True)]
# Under autocast: which operands are transposed, which are stored in half, and whether the result
# is. Each of the three meets every variant; the nets below bring what else they need.
HALVES = [
    ((False, True), (True, True), True),
    ((False, False), (False, True), False),
    ((True, False), (True, False), False),
]
# images, channels, height, filters, kernel size; then stride, padding, dilation and groups
CONVOLUTIONS = [
    (16, 64, 56, 64, 3, 1, 1, 1, 1),
    (16, 128, 28, 128, 3, 1, 1, 1, 1),
    (16, 256, 14, 256, 3, 1, 1, 1, 1),
    (16, 512, 7, 512, 3, 1, 1, 1, 1),
    (16, 64, 5, 64, 3, 1, 1, 1, 1),
    (1, 256, 14, 256, 3, 1, 1, 1, 1),
    (16, 64, 56, 256, 1, 1, 0, 1, 1),
    (16, 3, 224, 64, 7, 2, 3, 1, 1),
    (16, 64, 28, 96, 5, 1, 2, 1, 1),
    (16, 64, 28, 96, 3, 2, 1, 1, 1),
    (16, 64, 28, 64, 3, 1, 1, 1, 64),
    (16, 64, 28, 64, 3, 1, 2, 2, 4),
    (2, 3, 9, 5, 3, 1, 0, 1, 1),
]


@dataclass(frozen=True, slots=True, order=True)
class Build:
    """One kernel file, or generated source, with the defines that it is built with."""

    file: str
    defines: tuple[tuple[str, int], ...]
    generated: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """Return the compiler's options."""
        return tuple(f"-D{key}={value}" for key, value in self.defines)

    @property
    def source(self) -> str:
        """Return the whole text, with what it includes."""
        if self.generated:
            return expand_includes(kernels_path(), self.generated)
        return read_with_includes(kernels_path(), self.file)

    def __str__(self) -> str:
        return " ".join((self.file, *(f"{key}={value}" for key, value in self.defines)))


@dataclass(slots=True)
class Asked:
    """The builds asked for, and the kernels of each; None stands for one that was not built."""

    builds: dict[Build, dict[str, cl.Kernel | None]] = field(default_factory=dict)


class AskingPrograms(Programs):
    """Notes every kernel that is asked for, and builds it or only says so."""

    def __init__(self, *arguments: Any, asked: Asked, really: bool) -> None:
        super().__init__(*arguments)
        self._asked, self.really = asked, really

    def kernel(self, file: str, name: str, defines: Mapping[str, int] | None = None) -> Kernel:
        kernel = self._idle(name, file)
        if self.really:
            # Not the kernel's own limit, which is 0 where an emulated device has none.
            handle = super().kernel(file, name, defines).handle
            kernel = replace(kernel, handle=handle)
        return self._noted(Build(file, tuple((defines or {}).items())), name, kernel)

    def generated(self, source: str, name: str, defines: Mapping[str, int], shown: str) -> Kernel:
        kernel = (
            super().generated(source, name, defines, shown)
            if self.really
            else self._idle(name, shown)
        )
        return self._noted(Build(shown, tuple(defines.items()), source), name, kernel)

    def _idle(self, name: str, file: str) -> Kernel:
        limit = self._limits.max_work_group_size
        return Kernel(name=name, file=file, work_group_limit=limit, handle=None)

    def _noted(self, build: Build, name: str, kernel: Kernel) -> Kernel:
        self._asked.builds.setdefault(build, {})[name] = kernel.handle
        return kernel


class AskingDevice(Device):
    """A device whose queue stays empty."""

    def __init__(self, cl_device: cl.Device, limits: Limits, asked: Asked, *, really: bool) -> None:
        super().__init__(cl_device, limits)
        self.programs = AskingPrograms(self.context, cl_device, limits, asked=asked, really=really)

    def launch(self, kernel: Kernel, *_: Any) -> cl.Event:
        return self._nothing(kernel.name)

    def upload(self, *_: Any) -> None:
        self._nothing("upload")

    def download(self, *_: Any) -> None:
        self._nothing("download")

    def fill(self, *_: Any) -> None:
        self._nothing("fill")

    def _nothing(self, name: str) -> cl.Event:
        return self.record(name, cl.enqueue_marker(self.queue))


def asked_for(cl_device: cl.Device, limits: Limits, *, really: bool = False) -> Asked:
    """Return what a device with these limits asks for; `really` builds it, too."""
    asked = Asked()
    device = AskingDevice(cl_device, limits, asked, really=really)
    for _ in work(device):
        device.finish()
    return asked


def pretended_limits() -> dict[str, Limits]:
    """Return the limits of devices that need not be here, by name."""
    text = Path(__file__).with_name("pretended_devices.yaml").read_text()
    return {
        name: Limits(**entry | {"max_work_item_sizes": tuple(entry["max_work_item_sizes"])})
        for name, entry in yaml.safe_load(text).items()
    }


def work(device: Device) -> Iterator[object]:
    """Ask for all that operations, their gradients and training steps need."""
    generator = np.random.default_rng(7)
    cases = every_operation.cases(generator) | further_operations.cases(generator)
    for function, arguments, *_ in cases.values():
        yield pull(function, *(Tensor.from_numpy(value, device, True) for value in arguments))
    yield every_operation.sgd_is_right(device)
    yield further_operations.wrong_beside_cases(device)
    for m, n, k in PRODUCTS:
        for transposed in TRANSPOSED:
            yield multiply(device, (m, n, k), transposed)
        x, weight, bias = zeros(device, m, k), zeros(device, n, k), zeros(device, n)
        yield pull(lambda *given: linear(*given).relu(), x, weight, bias)
    yield from (name_variants(device, transposed) for transposed in TRANSPOSED)
    yield from (convolve(device, *geometry) for geometry in CONVOLUTIONS)
    # As clprobe/bench/peaks.py asks for it, to measure the peak.
    for size in (8, 16) if device.limits.is_cpu else (1, 4):
        yield device.programs.kernel("bench/fma_chain.cl", "fma_chain", {"VECTOR_SIZE": size})
    for optimiser in (SGD, Adam, AdamW):
        yield train(device, mlp(device), (128, 784), optimiser)
        yield train(device, cnn(device), (64, 1, 28, 28), optimiser)
    yield from work_of_graphs(device)
    yield from work_in_half(device)


def work_of_graphs(device: Device) -> Iterator[object]:
    """Ask for what graphs of torch's operations need beside all of that; see clprobe/aten."""
    x, entries = Array.full(device, (4, 6, 8), 1.0), Array.empty(device, (3,), np.int32)
    yield views.copied(x, (8, 4, 6), (1, 48, 8)).buffer
    yield gather.take(x, entries, 1).buffer
    takers = gather.Takers(entries, Array.empty(device, (7,), np.int32))
    yield gather.take_gradient(Array.full(device, (4, 3, 8), 1.0), takers, x.shape, 1).buffer
    labels = nll.Labels(Array.empty(device, (4, 8), np.int32), Array.full(device, (6,), 1.0))
    yield [each.buffer for each in nll.nll(x, labels)]
    yield nll.nll_gradient(Array.full(device, (4, 8), 1.0), x.shape, labels).buffer
    yield softmax.log_sum_exp(x).buffer
    rows, ends = Array.full(device, (128, 10), 1.0), Array.empty(device, (128,), np.int32)
    yield [each.buffer for each in softmax.cross_entropy(rows, ends, -100)]
    stream = RandomStream(device, 7)
    yield truths(stream, (64,), 0.5).buffer
    x_entries = Array.empty(device, (4, 2, 8), np.int32)
    values = Array.full(device, (4, 2, 8), 1.0)
    for choice in (False, True):
        yield random_values(stream, (64,), normal=choice).buffer
        yield [
            each.buffer for each in extremes(Array.empty(device, (3, 2048, 5)), 1, smallest=choice)
        ]
        yield gather.put_elements(x, x_entries, values, 1, add=choice).buffer
    yield gather.take_elements(x, x_entries, 1).buffer
    yield max_pool2d_forward(Array.empty(device, (2, 3, 8, 8)), 3, 2, round_up=True)[0].buffer
    for name, operands in FUNCTIONS_OF_GRAPHS.items():
        yield apply(name, *(x for _ in range(operands))).buffer


def work_in_half(device: Device) -> Iterator[object]:
    """Ask for what autocast stores in half, as if it paid on this device."""
    policy = replace(Policy.shipped(), without_fp16=True, on_cpus=True)
    for transposed, halves, half in HALVES:
        yield name_variants(device, transposed, halves, epilogue=Epilogue(half=half))
    if not device.programs.really or multiplies_in_half(Policy.shipped(), device):
        name_variants_in_half(device)
    with autocast(policy):
        x, weight, bias = zeros(device, 7, 3), zeros(device, 5, 3), zeros(device, 5)
        pull(lambda *given: linear(*given, relu=True), x, weight, bias)
        for geometry in CONVOLUTIONS:
            convolve(device, *geometry)
        train(device, mlp(device), (128, 784), SGD)
        train(device, cnn(device), (64, 1, 28, 28), SGD)
    yield None


def convolve(device: Device, *geometry: int) -> None:
    images, channels, height, filters, size, stride, padding, dilation, groups = geometry
    x = zeros(device, images, channels, height, height)
    weight, bias = zeros(device, filters, channels // groups, size, size), zeros(device, filters)
    pull(lambda *given: conv2d(*given, stride, padding, dilation, groups), x, weight, bias)


def name_variants(
    device: Device,
    transposed: tuple[bool, bool],
    halves: tuple[bool, bool] = (False, False),
    epilogue: Epilogue = NO_EPILOGUE,
) -> None:
    """Ask for each way to multiply that this device may choose at some size."""
    given: dict[str, Any] = {"halves": halves, "epilogue": epilogue}
    letters = "".join("NT"[given] for given in transposed)
    product = Product(rows=512, columns=512, depth=512, transposed=letters)
    built: list[Variant] = []
    for variant in load_variants(device.programs.folder / "matmul" / "variants.yaml"):
        if not variant.suits(device.limits, product) or any(
            excludes(earlier, variant) for earlier in built
        ):
            continue
        if multiply(device, (512, 512, 512), transposed, variant=variant, **given):
            built.append(variant)
    multiply(device, (512, 512, 512), transposed, variant=ORACLE, **given)


def name_variants_in_half(device: Device) -> None:
    """Ask for each way to multiply in half precision."""
    bias = Array.empty(device, (512,))
    epilogues = (Epilogue(half=True), Epilogue(half=True, bias=bias, relu=True))
    for variant in load_variants(device.programs.folder / "matmul" / "half_variants.yaml"):
        for letters in ("NN", "NT"):
            product = Product(rows=512, columns=512, depth=512, transposed=letters)
            if variant.suits(device.limits, product):
                for epilogue in epilogues:
                    given = {"variant": variant, "epilogue": epilogue}
                    transposed = (False, letters == "NT")
                    multiply(device, (512, 512, 512), transposed, (True, True), **given)


def excludes(built: Variant, later: Variant) -> bool:
    """Say whether a device that builds one variant never gets to the other."""
    # Larger sub-groups are for devices that do not build smaller ones.
    sizes = [variant.defines.get("SUB_GROUP", 0) for variant in (built, later)]
    return later.last_resort or 0 < sizes[0] < sizes[1]


def multiply(
    device: Device,
    sizes: tuple[int, int, int],
    transposed: tuple[bool, bool],
    halves: tuple[bool, bool] = (False, False),
    **options: Any,
) -> bool:
    """Ask for one product; say whether there is a way to compute it."""
    m, n, k = sizes
    dtypes = [np.float16 if half else np.float32 for half in halves]
    a = Array.empty(device, (k, m) if transposed[0] else (m, k), dtypes[0])
    b = Array.empty(device, (n, k) if transposed[1] else (k, n), dtypes[1])
    try:
        matmul_forward(a, b, transpose_a=transposed[0], transpose_b=transposed[1], **options)
    except BuildError:
        # A variant that is named must fit; this device is too small for it.
        assert "variant" in options
        return False
    return True


def pull(function: Callable[..., Tensor], *arguments: Tensor) -> None:
    function(*arguments).sum().backward()


def zeros(device: Device, *shape: int) -> Tensor:
    return Tensor(Array.empty(device, shape), requires_grad=True)


def train(
    device: Device, net: nn.Module, shape: tuple[int, ...], optimiser: Callable[..., Optimiser]
) -> None:
    update, scale = optimiser(net.parameters(), 0.1), LossScale(device)
    labels = Tensor(Array.empty(device, shape[:1], np.int32), requires_grad=False)
    x = Tensor(Array.empty(device, shape), requires_grad=False)
    softmax_cross_entropy(net(x), labels).backward()
    update.step()
    scale.scaled(softmax_cross_entropy(net(x), labels)).backward()
    scale.step(update)


def mlp(device: Device) -> nn.Sequential:
    """Return the net 784-512-512-10."""
    given = {"device": device, "generator": np.random.default_rng(0)}
    return nn.Sequential(
        *(nn.Linear(784, 512, **given), nn.ReLU(), nn.Linear(512, 512, **given), nn.ReLU()),
        nn.Linear(512, 10, **given),
    )


def cnn(device: Device) -> nn.Sequential:
    """Return two convolutions with pooling and a linear layer, for 28x28 images."""
    given = {"device": device, "generator": np.random.default_rng(0)}
    return nn.Sequential(
        *(nn.Conv2d(1, 32, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(64 * 7 * 7, 10, **given)),
    )

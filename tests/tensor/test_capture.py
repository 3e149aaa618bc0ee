# SPDX-License-Identifier: MIT
"""Captured steps: a replay does what the body did, to what its inputs hold then."""

import numpy as np
import pytest
from oracles import normal

from clprobe.tensor import Array, Device, DeviceError, DtypeError, ShapeError, Tensor, nn
from clprobe.tensor import softmax_cross_entropy as loss_of
from clprobe.tensor.capture import capture
from clprobe.tensor.functions import batch_norm, dropout
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.ops.norm import Running
from clprobe.tensor.optim import SGD, Adam, Optimiser


class Training:
    """A small network with relu and pooling, and one batch."""

    def __init__(self, device: Device, optimiser: type[Optimiser] = SGD) -> None:
        generator = np.random.default_rng(3)
        given = {"device": device, "generator": generator}
        self.device = device
        self.net = nn.Sequential(
            *(nn.Conv2d(1, 4, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
            *(nn.Linear(36, 8, **given), nn.ReLU(), nn.Linear(8, 3, **given)),
        )
        self.images = Tensor.from_numpy(normal(generator, 5, 1, 6, 6), device)
        self.labels = Tensor.from_numpy(np.array([0, 1, 2, 1, 0], np.int32), device)
        self.optimiser = optimiser(self.net.parameters(), 0.05)

    def step(self) -> Tensor:
        self.optimiser.zero_grad()
        loss = loss_of(self.net(self.images), self.labels)
        loss.backward()
        self.optimiser.step()
        return loss


@pytest.mark.parametrize("optimiser", [SGD, Adam])
def test_replays_train_exactly_as_steps_do(device: Device, optimiser: type[Optimiser]) -> None:
    eager, replayed = Training(device, optimiser), Training(device, optimiser)
    expected = [float(eager.step().numpy()) for _ in range(6)]

    found = [float(replayed.step().numpy())]
    with capture(device) as step:
        loss = replayed.step()
    found.append(float(loss.numpy()))
    for _ in range(4):
        step.replay()
        found.append(float(loss.numpy()))

    assert found == expected
    for one, other in zip(eager.net.parameters(), replayed.net.parameters(), strict=True):
        assert (one.numpy() == other.numpy()).all()


def test_a_replay_reads_inputs_that_were_assigned(device: Device) -> None:
    x = Tensor.from_numpy(np.array([1, -2], np.float32), device)
    with capture(device) as step:
        y = (x * 3).relu()

    x.array.assign(np.array([-1, 5], np.float32))
    step.replay()

    assert y.numpy().tolist() == [0, 15]


def test_inputs_of_another_shape_or_type_are_refused(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((2, 3), np.float32), device)

    with pytest.raises(ShapeError, match=r"\(3, 2\) do not fit an array of \(2, 3\)"):
        x.array.assign(np.ones((3, 2), np.float32))
    with pytest.raises(DtypeError, match="float32 takes no values of int32"):
        x.array.assign(np.ones((2, 3), np.int32))


def test_a_replay_follows_the_learning_rate(device: Device) -> None:
    parameter = Tensor.from_numpy(np.zeros(2, np.float32), device, requires_grad=True)
    optimiser = SGD([parameter], learning_rate=1.0)
    with capture(device) as step:
        optimiser.zero_grad()
        parameter.sum().backward()
        optimiser.step()

    optimiser.learning_rate = 0.25
    step.replay()

    assert optimiser.learning_rate == 0.25
    assert parameter.numpy().tolist() == [-1.25, -1.25]


def test_every_replay_drops_other_values(device: Device) -> None:
    stream = nn.RandomStream(device, seed=4)
    layer = nn.Dropout(0.5, stream=stream)
    x = Tensor.from_numpy(np.ones(256, np.float32), device)
    with capture(device) as step:
        y = layer(x)
    drawn = [y.numpy().tolist()]
    for _ in range(3):
        step.replay()
        drawn.append(y.numpy().tolist())

    assert len({tuple(values) for values in drawn}) == 4


def test_what_is_pending_keeps_its_values_when_a_replay_changes_its_inputs(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(4, np.float32), device)
    with capture(device) as step:
        x.array.assign((x * 2).array)
    before = x + 0.5

    step.replay()

    assert before.numpy().tolist() == [2.5] * 4
    assert x.numpy().tolist() == [4] * 4


def test_other_arrays_never_lie_where_those_of_a_step_do(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(1000, dtype=np.float32), device)
    with capture(device) as step:
        y = x * 2 - x.sum()
        total = (y * y).sum()
    expected = float(total.numpy())
    others = [Tensor.from_numpy(np.full(1000, n, np.float32), device) for n in range(8)]

    step.replay()

    assert [float(each.numpy().sum()) for each in others] == [1000.0 * n for n in range(8)]
    assert float(total.numpy()) == expected


@pytest.mark.parametrize("batch", [1, 16, 100])
def test_a_step_keeps_little_more_memory_than_what_lives_at_once(
    device: Device, batch: int
) -> None:
    generator = np.random.default_rng(3)
    given = {"device": device, "generator": generator}
    net = nn.Sequential(
        *(nn.Conv2d(1, 4, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(196, 300, **given), nn.ReLU(), nn.Linear(300, 3, **given)),
    )
    images = Tensor.from_numpy(normal(generator, batch, 1, 14, 14), device)
    labels = Tensor.from_numpy(np.zeros(batch, np.int32), device)
    optimiser = SGD(net.parameters(), 0.05)

    def train() -> None:
        optimiser.zero_grad()
        loss_of(net(images), labels).backward()
        optimiser.step()

    train()
    with capture(device) as step:
        train()

    # Every array may begin at a multiple of the alignment that the device wants.
    aligned = 60 * device.cl_device.mem_base_addr_align // 8
    assert step.memory.peak_held_bytes <= 1.2 * step.memory.peak_live_bytes + aligned


def test_results_of_an_earlier_replay_last_until_the_next_one(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(3000, dtype=np.float32), device)
    with capture(device) as step:
        first = x * 2
        total = (first * first).sum()
        second = (x - total) * 1e-9
    captured = [each.numpy() for each in (first, total, second)]

    for _ in range(3):
        step.replay()
        for each, values in zip((first, total, second), captured, strict=True):
            assert (each.numpy() == values).all()


def test_a_step_keeps_the_arrays_that_it_reads(device: Device) -> None:
    x = Tensor.from_numpy(np.full(1000, 2, np.float32), device)
    with capture(device) as step:
        y = x * 3
    del x
    others = [Tensor.from_numpy(np.zeros(1000, np.float32), device) for _ in range(4)]

    step.replay()

    assert y.numpy().tolist() == [6] * 1000
    assert len(others) == 4


def test_a_replay_launches_what_the_body_launched(device: Device) -> None:
    training = Training(device)
    training.step()
    with device.record_events() as first, capture(device) as step:
        training.step()

    with device.record_events() as second:
        step.replay()

    assert tuple(each.name for each in second) == step.names
    assert [each.name for each in first if each.name != "upload"] == list(step.names)


def test_a_capture_computes_an_expression_in_one_launch(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(4, dtype=np.float32), device)
    with capture(device) as step:
        y = ((((x * 2 + 1) * x - 3) * x + 0.5) * x).relu()

    with device.record_events() as commands:
        step.replay()

    assert len(commands) == 1
    assert y.numpy().tolist() == [0, 0.5, 29, 163.5]


def test_a_value_from_before_a_capture_is_not_set_again_by_replays(device: Device) -> None:
    total = Tensor(Array.full(device, (3,), 10.0), requires_grad=False)
    with capture(device) as step:
        total.array.assign((total + 1).array)

    step.replay()

    assert total.numpy().tolist() == [12] * 3


def test_what_a_capture_uploads_is_still_there_in_replays(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(1000, dtype=np.float32), device)
    with capture(device) as step:
        # Its memory is free again for the table.
        assert (x * 2 + 1).array.buffer
        table = Tensor.from_numpy(np.full(1000, 7, np.float32), device)
        y = x * table

    for _ in range(2):
        step.replay()

    assert (y.numpy() == 7 * np.arange(1000)).all()


def test_values_from_the_host_cannot_be_assigned_inside_a_capture(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(3, np.float32), device)

    with capture(device), pytest.raises(DeviceError, match="cannot repeat values"):
        x.array.assign(np.zeros(3, np.float32))


def test_results_cannot_be_read_inside_a_capture(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(3, np.float32), device)
    step = None

    def body() -> None:
        nonlocal step
        with capture(device) as step:
            (x * 2).numpy()

    with pytest.raises(DeviceError, match="cannot repeat download"):
        body()
    assert step is not None
    with pytest.raises(DeviceError, match="incomplete"):
        step.replay()
    assert (x * 2).numpy().tolist() == [2] * 3


def test_captures_do_not_nest(device: Device) -> None:
    with (
        capture(device),
        pytest.raises(DeviceError, match="inside another"),
        capture(device),
    ):
        pass


def test_replays_draw_new_numbers_as_steps_do(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(300, np.float32), device, requires_grad=True)
    eager, replayed = RandomStream(device, 5), RandomStream(device, 5)
    expected = [dropout(x, 0.5, eager).numpy() for _ in range(3)]

    with capture(device) as step:
        x.grad = None
        y = dropout(x, 0.5, replayed)
        y.sum().backward()
    assert x.grad is not None
    for number, values in enumerate(expected):
        if number:
            step.replay()
        np.testing.assert_array_equal(y.numpy(), values)
        # The gradient of a sum is what each value was multiplied by, and they are all 1.
        np.testing.assert_array_equal(x.grad.numpy(), values)
    assert not (expected[0] == expected[1]).all()


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5, 5)], ids=str)
def test_replays_move_running_statistics_as_steps_do(
    device: Device, generator: np.random.Generator, shape: tuple[int, ...]
) -> None:
    batches = [1 + normal(generator, *shape) for _ in range(3)]
    eager, replayed = (fresh_statistics(device, 3) for _ in range(2))
    weight, bias = (Tensor.from_numpy(normal(generator, 3), device) for _ in range(2))
    x = Tensor.from_numpy(batches[0], device)

    with capture(device) as step:
        y = batch_norm(x, weight, bias, replayed, training=True)
    for number, batch in enumerate(batches):
        if number:
            x.array.assign(batch)
            step.replay()
        expected = batch_norm(Tensor.from_numpy(batch, device), weight, bias, eager, training=True)
        np.testing.assert_array_equal(y.numpy(), expected.numpy())
        np.testing.assert_array_equal(replayed.mean.numpy(), eager.mean.numpy())
        np.testing.assert_array_equal(replayed.variance.numpy(), eager.variance.numpy())
    assert (replayed.mean.numpy() != 0).all()


def fresh_statistics(device: Device, channels: int) -> Running:
    return Running(
        Array.from_numpy(np.zeros(channels, np.float32), device),
        Array.from_numpy(np.ones(channels, np.float32), device),
    )

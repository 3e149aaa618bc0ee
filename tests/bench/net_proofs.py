# SPDX-License-Identifier: MIT
"""Proves the first steps of a user's net on an OpenCL device of this process."""

import numpy as np
import torch
from ordinary_nets import NETS

from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.engines.torch_witness import TorchWitness
from clprobe.bench.own_net.contest import OpenClUserTrainer
from clprobe.bench.own_net.net import UserNet, ends_of
from clprobe.bench.training_proof import Checked, Run, check_first_steps
from clprobe.tensor import Device


class _Engine:
    """The device, as far as a run needs it."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def trainer(self, net: UserNet, batches: list) -> OpenClUserTrainer:
        return OpenClUserTrainer(OpenClSubject(self._device).device, net, batches)


def user_net(name: str) -> UserNet:
    torch.manual_seed(1998)
    module = NETS[name]().train()
    for layer in module.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
    return UserNet(name, module, ends_of(module, module.input_shape))


def checked(device: Device, net: UserNet, batch: int) -> Checked:
    batches = net.batch(batch)
    run = Run(_Engine(device), net, batches)
    return check_first_steps(
        run, TorchWitness(net.module, net.ends.loss_of), batches, np.inf, lambda: None
    )

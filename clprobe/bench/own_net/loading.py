# SPDX-License-Identifier: MIT
"""Finds and makes the net that --workload module:Class names, and says what is wrong with it.

As a program it loads the net that its first argument describes, from the folder that the second
names, and prints on the last line what is wrong with it.
"""

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

import msgspec
import torch
from torch import nn

from clprobe.bench.own_net.check import MISTAKE, mistake
from clprobe.bench.own_net.net import UserNet, ends_of
from clprobe.bench.protocol import OwnNet
from clprobe.model.errors import ClprobeError

_SEED = 1998
_ALONE = (
    *(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d),
    *(nn.AlphaDropout, nn.FeatureAlphaDropout),
)
_DROPPING = [(_ALONE, "p"), ((nn.MultiheadAttention, nn.RNNBase), "dropout")]
"""Layers, and where they have the rate."""
_SHAPE_HINT = (
    "Add --input 3x32x32, the shape of one sample, or write input_shape = (3, 32, 32) in the class."
)


def load_user_net(own: OwnNet, folder: str) -> UserNet:
    """Return the net that the user named; `folder` is searched first.

    **Raises** ClprobeError, by its reference a mistake in the net or what clprobe does not support.
    """
    sys.path.insert(0, folder)
    torch.manual_seed(_SEED)
    try:
        file = _imported(own.module, folder)
        net = _made(file, own.name)
    finally:
        sys.path.remove(folder)
    shape = own.input_shape or getattr(net, "input_shape", getattr(file, "input_shape", None))
    if not isinstance(shape, tuple | list) or not all(isinstance(one, int) for one in shape):
        raise mistake(f"{own} does not say which input it takes.", _SHAPE_HINT)
    ends = ends_of(net.float(), tuple(shape), own.loss)
    return UserNet(own.name, net.train(), ends, _silence_dropout(net, own.name))


def _imported(name: str, folder: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise mistake(
                f"{name} imports {error.name}, which this Python does not have.",
                f"Install {error.name} into the environment that clprobe runs in.",
            ) from error
        raise mistake(
            f"there is no module {name}, neither in {folder} nor on Python's path.",
            "Run bench in the folder of NAME.py and write --workload NAME:Class.",
        ) from error
    # The file is the user's: it may raise anything.
    except BaseException as error:
        raise _raised(f"importing {name}", error) from error


def _made(file: ModuleType, name: str) -> Any:
    """Return the module of that name, or what calling that name makes."""
    if not hasattr(file, name):
        raise mistake(f"{file.__name__} has no {name}.", f"Name one of these: {_nets_in(file)}.")
    found = getattr(file, name)
    if not callable(found) or isinstance(found, nn.Module):
        net = found
    elif needed := _needed(found):
        raise mistake(
            f"{name}() cannot be made without arguments: it needs {', '.join(needed)}.",
            f"Add a line such as net = {name}(...) to {file.__name__} and name that: "
            f"--workload {file.__name__}:net",
        )
    else:
        try:
            net = found()
        except BaseException as error:
            raise _raised(f"{name}()", error) from error
    if not isinstance(net, nn.Module):
        raise mistake(
            f"{file.__name__}:{name} is a {type(net).__name__}, no torch.nn.Module.",
            f"Name one of these: {_nets_in(file)}.",
        )
    return net


def _needed(made: Any) -> list[str]:
    """Return the arguments that a callable cannot do without."""
    try:
        parameters = inspect.signature(made).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in kinds]


def _nets_in(file: ModuleType) -> str:
    """Return the names of what could be meant, a few of them."""
    names = [
        name
        for name, value in vars(file).items()
        if isinstance(value, nn.Module)
        or (
            inspect.isclass(value)
            and issubclass(value, nn.Module)
            and value.__module__ == file.__name__
        )
    ]
    return ", ".join(names[:8]) or "it holds no torch.nn.Module"


def _raised(what: str, error: BaseException) -> Exception:
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return mistake(f"{what} raises {said}", "Make it work in Python alone first.")


def _silence_dropout(net: Any, name: str) -> str:
    """Turn dropout off on both sides, as nothing could be proved; return that, if there was any."""
    is_dropping = False
    for layer in net.modules():
        # Attention and recurrent layers drop by themselves.
        for kinds, rate in _DROPPING:
            if isinstance(layer, kinds) and getattr(layer, rate) > 0:
                setattr(layer, rate, 0.0)
                is_dropping = True
    return f"{name} was trained with dropout off: no two sides draw alike." if is_dropping else ""


def main() -> None:
    """Load the net that the first argument describes, and print what is wrong with it, or null."""
    wrong = None
    try:
        load_user_net(msgspec.json.decode(sys.argv[1], type=OwnNet), sys.argv[2])
    except ClprobeError as error:
        if error.reference == MISTAKE:
            wrong = error.message, error.hint
    # Whatever the net's file printed may lack the end of its line.
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(wrong))
    sys.stdout.flush()


if __name__ == "__main__":
    main()

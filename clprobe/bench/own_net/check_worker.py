# SPDX-License-Identifier: MIT
"""The child process that loads a user's net: says on the last line of stdout what is wrong."""

import sys

import msgspec

from clprobe.bench.own_net.check import MISTAKE
from clprobe.bench.own_net.loading import load_user_net
from clprobe.bench.protocol import OwnNet
from clprobe.model.errors import ClprobeError


def main() -> None:
    """Load the net that the arguments name, and print what is wrong with it, or null."""
    wrong = None
    try:
        load_user_net(OwnNet(*sys.argv[1:3]), sys.argv[3])
    except ClprobeError as error:
        if error.reference == MISTAKE:
            wrong = error.message, error.hint
    # Whatever the net's file printed may lack the end of its line.
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(wrong))
    sys.stdout.flush()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Windows' own driver of the GPU, which brings OpenCL there and reaches the GPU for WSL2."""

from clprobe.install.machine import Machine
from clprobe.install.wording import sentence
from clprobe.model.plan import Component, Route


def windows_driver(machine: Machine) -> list[Route]:
    """Return the route to the vendor's driver, where the system is Windows and it has OpenCL."""
    driver = machine.windows_driver
    if machine.system != "windows" or driver is None or _named(machine) & set(driver.not_for):
        return []
    because = f"on Windows OpenCL for {machine.gpu_name} comes with {driver.name}"
    return [
        Route(
            rank=0,
            backend="windows-driver",
            stack=None,
            uses_gpu=True,
            status="supported",
            because=sentence(because),
            components=(Component(name=driver.name, version=None, origin=driver.page),),
            steps=(),
            caveats=(sentence(driver.note),),
            sources=driver.sources,
            how="by-hand",
            by_hand=(
                f"# Install {driver.name} from {driver.page}",
                "# Restart Windows, then look in a new terminal:",
                "clprobe info",
            ),
            is_known=True,
        )
    ]


def below_wsl2(machine: Machine) -> tuple[str, ...]:
    """Return what is done in Windows before anything inside WSL2 can reach the GPU."""
    driver = machine.windows_driver
    if driver is None:
        return ()
    return (
        f"# First, in Windows: install {driver.name} from {driver.page}",
        "# Then, in a terminal of Windows: wsl --update",
        "# Inside WSL2 no kernel driver is installed; go on there with the steps.",
    )


def seen_under_wsl2(machine: Machine) -> list[str]:
    """Return what programs under WSL2 get of the driver for Windows."""
    driver = machine.windows_driver
    if machine.system != "wsl2" or driver is None or driver.inside_wsl2 is None:
        return []
    return [sentence(f"under WSL2 {driver.name} gives {driver.inside_wsl2}")]


def _named(machine: Machine) -> set[str]:
    names = {name for chip in machine.chips for name in (chip.platform, chip.generation)}
    return names | ({machine.family.family} if machine.family is not None else set())

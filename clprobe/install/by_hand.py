# SPDX-License-Identifier: MIT
"""What a person does before the steps of a route, or in place of them."""

from clprobe.compat.offers import Offer
from clprobe.install import route_steps, windows
from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Configuration, Distribution, Implementation


def lines(
    offer: Offer,
    implementation: Implementation,
    machine: Machine,
    packages: tuple[str, ...],
    environment: dict[str, str],
) -> tuple[str, ...]:
    """Return lines to type or paste, and sentences as comments; () where commands do everything."""
    if machine.system == "wsl2":
        return windows.below_wsl2(machine)
    release = machine.distribution
    if offer.lines:
        return tuple(_with_headers(line, implementation, release) for line in offer.lines)
    if offer.how == "package" and release is not None and release.configuration is not None:
        return _configured(release.configuration, packages, environment)
    if offer.how == "package" and offer.pocket == "aur":
        return _from_aur(offer, route_steps.headers(offer, implementation))
    return tuple(route_steps.to_fetch(offer))


def _with_headers(line: str, implementation: Implementation, release: Distribution | None) -> str:
    """Return the line with the headers of the Linux that the system has, where that is its own."""
    if release is None or release.headers is None:
        return line
    usual = {one.headers for one in implementation.modules_of} - {None}
    words = (release.headers if word in usual else word for word in line.split(" "))
    return " ".join(words)


def _configured(
    configuration: Configuration, packages: tuple[str, ...], environment: dict[str, str]
) -> tuple[str, ...]:
    named = " ".join(f"{configuration.prefix}{name}" for name in packages)
    variables = (
        configuration.variable.replace("{name}", name).replace("{value}", value)
        for name, value in environment.items()
    )
    return (
        f"# Add to {configuration.file}, within the braces:",
        *configuration.driver.replace("{packages}", named).splitlines(),
        *variables,
        "# Then build and switch to it:",
        configuration.apply,
    )


def _from_aur(offer: Offer, headers: str | None = None) -> tuple[str, ...]:
    """Return how a package of users is built, by a user and not by root."""
    base = offer.base or offer.packages[0]
    return (
        f"sudo pacman -S --needed {' '.join(['base-devel', 'git', *filter(None, [headers])])}",
        f"git clone https://aur.archlinux.org/{base}.git",
        f"(cd {base} && makepkg --syncdeps --install)",
    )

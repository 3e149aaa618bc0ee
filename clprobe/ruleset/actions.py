# SPDX-License-Identifier: MIT
"""The closed set of remedy actions with the arguments that each takes in a rule."""

ACTIONS: dict[str, tuple[str, ...]] = {
    "manual": ("text",),
    "plan": ("goal", "text"),
    "add_to_group": ("user", "group"),
    "join_group_by_number": ("user", "gid", "name"),
    "install": ("what",),
    "reinstall": ("package",),
    "remove_package": ("package",),
    "set_environment": ("name", "value"),
    "unset_environment": ("name",),
    "move_aside": ("path",),
    "make_readable": ("path", "mode"),
    "open_folder": ("path", "mode"),
    "clean_icd_file": ("path",),
    "point_icd_at": ("path", "library"),
    "link_file": ("target", "link"),
    "remove_boot_parameter": ("parameter",),
    "add_boot_parameter": ("parameter",),
    "load_module": ("module",),
}
"""An action with one argument may be written short: `install: pocl`."""

CHOICES: dict[str, tuple[str, ...]] = {"goal": ("opencl", "pytorch")}
"""Arguments that take one of a few words."""

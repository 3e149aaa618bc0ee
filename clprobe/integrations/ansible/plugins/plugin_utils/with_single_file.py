# SPDX-License-Identifier: MIT
"""Takes clprobe.pyz from the controller to the host before a module runs."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase


class WithSingleFile(ActionBase):
    """Runs the module of the task's own name, whose `file` is then the copy on the host.

    The copy lies in Ansible's temporary folder there and goes with it, in check mode too.
    """

    _supports_check_mode = True
    TRANSFERS_FILES = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Any:
        """Return what the module returns."""
        super().run(tmp, task_vars)
        arguments = self._task.args.copy()
        name = arguments.get("file")
        if not name:
            raise AnsibleActionFail("missing required arguments: file (clprobe.pyz on this side)")
        try:
            found = self._loader.get_real_file(self._find_needle("files", name), decrypt=False)
        except AnsibleError as error:
            raise AnsibleActionFail(
                f"{name} is not on this side: {error}. `python3 .ci/single_file.py clprobe.pyz` "
                "in a clone of clprobe makes it."
            ) from error
        try:
            place = self._connection._shell.join_path(
                self._connection._shell.tmpdir or self._make_tmp_path(),
                "clprobe.pyz",
            )
            self._transfer_file(found, place)
            self._fixup_perms2((self._connection._shell.tmpdir, place))
            arguments["file"] = place
            return self._execute_module(module_args=arguments, task_vars=task_vars)
        finally:
            self._remove_tmp_path(self._connection._shell.tmpdir)

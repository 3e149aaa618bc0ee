# SPDX-License-Identifier: MIT
"""Puts the library that counts kernels into the wheel, where there is a C compiler to make it.

Without one the wheel is a pure one, and clprobe makes the library at run time or does without.
"""

import importlib.util
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "clprobe/watch/counting"
# Nobody waits for the wheel, and without the library it would be another one.
_LIMIT_S = 600.0


class CountingLibrary(BuildHookInterface[Any]):
    """hatchling calls initialize() before it makes a wheel, and finalize() after it."""

    _folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the library; say why not and go on where that fails."""
        if version == "editable":  # sources change there: it is made when it is needed
            return
        file = Path(self.root, _PACKAGE, "compiling.py")
        specification = importlib.util.spec_from_file_location("compiling", file)
        if specification is None or specification.loader is None:
            return
        compiling = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(compiling)
        reason = compiling.why_not_here()
        if reason is None:
            self._folder = tempfile.mkdtemp(prefix="clprobe-")
            made = Path(self._folder, compiling.library_name())
            try:
                compiling.compile_library(made, _LIMIT_S)
            except compiling.NotMadeError as error:
                reason = str(error)
        if reason is not None:
            self.app.display_warning(f"The wheel counts no kernels: {reason}")
            return
        build_data["force_include"][str(made)] = f"{_PACKAGE}/{made.name}"
        build_data["pure_python"] = False
        # It needs no library at all, so the oldest glibc that indexes take wheels for will do; they
        # take none for "linux". Elsewhere compiling.why_not_here() has said so.
        build_data["tag"] = f"py3-none-manylinux_2_17_{platform.machine()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove what was compiled."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

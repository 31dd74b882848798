# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the source is, and what was built of it; and places of a test's own."""

import contextlib
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
WITHOUT_NAMESPACES = [sys.executable, str(pathlib.Path(__file__).with_name("without_namespaces.py"))]  # a wrapper of a command
IS_SANITIZED = "sanitizers" in BUILD.name  # as scripts/run-tests names it


@contextlib.contextmanager
def open_directory(within=None):
    """One that everybody may enter."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-", dir=within) as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)
        yield path


def visible_directory():
    """As open_directory(), but where a runner sees it, whose /tmp is its own."""
    return open_directory("/srv" if os.geteuid() == 0 else pathlib.Path.home())

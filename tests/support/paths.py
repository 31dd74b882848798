# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the source is, and what was built of it; and places of a test's own."""

import contextlib
import os
import pathlib
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
IS_SANITIZED = "sanitizers" in BUILD.name  # as scripts/run-tests names it


@contextlib.contextmanager
def open_directory():
    """One that everybody may enter."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-") as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)
        yield path

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the source is, and what was built of it; and places of a test's own."""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
PRIVATE_HEADERS = [f"-I{SOURCE}/daemon", f"-I{BUILD}/daemon", f"-I{SOURCE}/common"]  # of a program that stands in for one of the daemons'
DOCUMENTS = BUILD / "tests/golden"  # the JSON documents of tests/golden, whole
# A wrapper of a command. Its text, and not its path, since whoever runs it may have no right to enter this tree.
WITHOUT_NAMESPACES = [sys.executable, "-c", pathlib.Path(__file__).with_name("without_namespaces.py").read_text()]
IS_SANITIZED = "sanitizers" in BUILD.name  # as scripts/run-tests names it


@contextlib.contextmanager
def open_directory(within=None):
    """One that everybody may enter."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-", dir=within) as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)
        yield path


def let_others_enter(path):
    """Those directories above @path that pytest made for its user alone."""
    for parent in path.parents:
        if parent.is_relative_to(tempfile.gettempdir()) and parent.stat().st_uid == os.geteuid() and parent != pathlib.Path(tempfile.gettempdir()):
            parent.chmod(0o755)


def copy_programs(build, directory):
    """The daemon's programs where other users may run them, and no other test looks for its own runners."""
    for path in ["launch/benchd-launch", "front/benchd", "runner/benchd-runner", "runner/benchd-count.so", "inspect/benchd-inspect"]:
        program = directory / "daemon" / path
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "daemon" / path, program)
    for parent in [directory, *directory.rglob("*")]:
        parent.chmod(0o755)
    return directory

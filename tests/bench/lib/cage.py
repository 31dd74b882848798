# SPDX-License-Identifier: GPL-3.0-or-later
"""A control group with a limit on processes, for what is started to misbehave: whatever becomes of it ends with the group."""

import contextlib
import os
import pathlib
import signal
import time

ROOTS = [pathlib.Path("/sys/fs/cgroup/pids"), pathlib.Path("/sys/fs/cgroup")]  # v1, v2
PATIENCE_S = 60


class Cage:
    def __init__(self, path):
        self.path = path

    def enter(self):
        """For a child before it is executed."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def groups(self):
        """Its own and those that were made in it, the innermost first."""
        return sorted((pathlib.Path(directory) for directory, _, _ in os.walk(self.path)), key=lambda path: -len(path.parts))

    def processes(self):
        found = []
        for group in self.groups():
            with contextlib.suppress(OSError):
                found += map(int, (group / "cgroup.procs").read_text().split())
        return found

    def end(self):
        """Nobody is born any more, and all are killed."""
        (self.path / "pids.max").write_text("0")
        deadline = time.monotonic() + PATIENCE_S
        while (left := self.processes()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for group in self.groups():
            with contextlib.suppress(OSError):
                group.rmdir()


@contextlib.contextmanager
def cage(processes_max):
    """A cage, or None where no such group can be made."""
    for root in ROOTS:
        path = root / f"benchd-load-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        try:
            (path / "pids.max").write_text(str(processes_max))
        except OSError:
            path.rmdir()
            continue
        made = Cage(path)
        try:
            yield made
        finally:
            made.end()
        return
    yield None

# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon that is the same after a test as before it: neither half holds a descriptor, a process or much memory more."""

import time

from .client import BRIEF
from .daemon import Daemon
from .paths import BUILD, IS_SANITIZED

HALVES = ["benchd", "benchd-launch"]
MODULE = BUILD / "examples" / "minimal.so"
GROWTH_MAX = 8 << 20  # bytes: results of the test's jobs in a history in memory, and what malloc keeps
PATIENCE_S = 60


class SteadyDaemon(Daemon):
    """It is compared with itself after a first run, once that has left nothing; as_uid: who asks."""

    def __init__(self, *arguments, as_uid=None, **options):
        super().__init__(*arguments, **options)
        self.as_uid = as_uid

    def __enter__(self):
        super().__enter__()
        with self.connect(uid=self.as_uid) as client:
            client.run(MODULE, **BRIEF)
        self.before = self.at_rest()
        return self

    def __exit__(self, *exception):
        try:
            if not exception[0]:
                self.check()
        finally:
            super().__exit__(*exception)

    def at_rest(self):
        """What there is when nothing is queued, leased or left of a client but this one's own: {what: how much}."""
        deadline = time.monotonic() + PATIENCE_S
        with self.connect(uid=self.as_uid) as client:
            while True:
                status = client.status()
                if not status.queued and not status.running and not any(lease.busy for lease in status.leases):
                    break
                assert time.monotonic() < deadline, f"a job, or the lease of a CPU, never ends: {status}"
        pids = {name: self.find(name)[0] for name in HALVES}
        return {
            "processes": sorted(name for pid, name in self.processes().items() if not self.is_trimmer(pid, name)),
            "descriptors": {name: self.count_fds(pid) for name, pid in pids.items()},
            "memory": {name: self.rss_bytes(pid) for name, pid in pids.items()},
        }

    def is_trimmer(self, pid, name):
        """Who shortened outputs of a place: its corpse stays until the next one."""
        try:
            with open(f"/proc/{pid}/stat") as file:
                return name == "benchd-zygote" and file.read().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def check(self):
        """Asks again for as long as it is not as before: what is over is cleared up in the daemon's own time."""
        deadline = time.monotonic() + PATIENCE_S
        while (now := self.at_rest()) and self.differs(now):
            assert time.monotonic() < deadline, f"{self.before} before, {now} after"

    def differs(self, now):
        grown = max(now["memory"][name] - self.before["memory"][name] for name in HALVES)
        return (now["processes"] != self.before["processes"] or
                any(now["descriptors"][name] > self.before["descriptors"][name] for name in HALVES) or
                grown > GROWTH_MAX and not IS_SANITIZED)

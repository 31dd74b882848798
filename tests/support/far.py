# SPDX-License-Identifier: GPL-3.0-or-later
"""The far side of tests over ssh and Slurm: benchd's programs where any account may run them, and the daemons of pretended machines."""

import contextlib
import os
import shutil
import socket
import uuid

import benchd_pb2 as pb

from .daemon import Daemon, make_state
from .paths import BUILD, copy_programs

# First in the PATH of the far side. All machines are this one, so a daemon is found by the name of the node.
BENCHCTL = """#!/bin/sh
if [ -n "$SLURMD_NODENAME" ]; then
        export BENCHD_SOCKET={directory}/machines/$SLURMD_NODENAME/benchd.sock
fi
exec {directory}/client/ctl/benchctl "$@"
"""

# With a name, the file of a machine-id and a command behind it: that command on a machine of this name and id.
PRETEND = ["unshare", "--uts", "--mount", "sh", "-c",
           'hostname "$0" && { [ ! -e /etc/machine-id ] || mount --bind "$1" /etc/machine-id; } && shift && exec "$@"']

MODULE_MAX = 64 << 20  # bytes

# A process of it takes over half a second, none of it timed.
SLOW = """
#include <poll.h>
BENCH(slow) { poll(NULL, 0, 600); bench_loop(b) bench_clobber(); }
"""


class Far:
    """In @directory, which everybody may enter."""

    def __init__(self, directory):
        self.directory = copy_programs(BUILD, directory)
        self.path = f"{directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        for name in ["bin", "client/ctl", "machines"]:
            (directory / name).mkdir(parents=True)
        shutil.copy(BUILD / "client/ctl/benchctl", directory / "client/ctl")
        (directory / "bin/benchctl").write_text(BENCHCTL.format(directory=directory))
        for path in directory.rglob("*"):
            path.chmod(0o755)

    def socket(self, machine):
        return self.directory / "machines" / machine / "benchd.sock"

    @contextlib.contextmanager
    def machine(self, name, launch=(), **options):
        """The daemon of a machine with a name and an id of its own, which keeps its jobs; options as Daemon has them."""
        directory = self.socket(name).parent
        directory.mkdir()
        (directory / "machine-id").write_text(f"{uuid.uuid4().hex}\n")
        try:
            with Daemon(self.directory, directory, state=make_state(directory), wrapper=[*PRETEND, name, directory / "machine-id"],
                        launch=["--no-probes", *launch], **options) as daemon:
                yield daemon
        finally:
            shutil.rmtree(directory)


def await_processes(daemons, n, goes_on):
    """Until so many processes of the running job of each daemon have ended."""
    for daemon in daemons:
        with daemon.connect() as client:
            while not (running := [entry for entry in client.history(all_users=True) if entry.state == pb.JOB_RUNNING]):
                assert goes_on()
            request = client.send(wait=pb.WaitRequest(run_id=running[0].run_id))
            assert any(reply.HasField("progress") and reply.progress.process >= n for reply in client.replies(request))


def padded(module, path, size):
    """The module as a file of this size."""
    path.write_bytes(module.read_bytes())
    os.truncate(path, size)
    return path


def free_ports(n):
    """Ports of the loopback that nobody had a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]

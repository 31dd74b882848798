# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon that a test owns: both halves, in a directory and on a socket of its own, ready by its own word."""

import os
import pathlib
import select
import signal
import subprocess

from .client import Client
from .processes import END_TIMEOUT_S, await_ends, bury_orphans, keep_orphans, names_below

ORPHANS = ("benchd", "benchd-zygote", "benchd-receive", "benchd-close", "benchd-cell", "benchd-runner", "benchd-keeper")  # of a launcher that was killed
FRONT_END_UID = 65530  # who benchd-launch becomes for benchd where there is no user of that name


def make_state(directory):
    """A state directory in another, benchd's own."""
    (directory / "state").mkdir()
    if os.geteuid() == 0:
        os.chown(directory / "state", FRONT_END_UID, FRONT_END_UID)
    return directory / "state"


class Daemon:
    running = set()  # whose orphans are this process's

    def __init__(self, build, directory, socket_mode="0666", state=None, config=None, wrapper=(), launch=(), until_eof=True, **popen):
        """With a state directory it keeps what it measures; config is the text of a configuration; a wrapper is a command that runs benchd-launch, launch are options
        of that; without until_eof signals end it, and not __exit__; popen goes to subprocess.Popen."""
        self.build = build
        self.socket = directory / "benchd.sock"
        self.stderr_path = directory / "daemon.stderr"
        self.socket_mode = socket_mode
        calls = os.environ.get("BENCHD_TEST_SYSTEM_CALLS")  # of both halves: trap ends one that makes a call out of its filter
        if config is not None:
            (directory / "benchd.conf").write_text(config)
        options = [("state", state), ("config", directory / "benchd.conf" if config is not None else None), ("system-calls", calls)]
        self.front_options = [f"--{name}={value}" for name, value in options if value]
        self.wrapper = list(wrapper)
        self.launch_options = list(launch) + ([f"--system-calls={calls}"] if calls else []) + (["--until-eof"] if until_eof else [])
        self.popen = popen
        self.process = None

    def __enter__(self):
        self.running.add(self)
        keep_orphans(True)
        self.stderr = open(self.stderr_path, "ab")
        self.process = subprocess.Popen(
            self.wrapper + [self.build / "daemon/launch/benchd-launch", "--with-front-end", f"--socket={self.socket}",
             f"--socket-mode={self.socket_mode}", *self.launch_options, "--", *self.front_options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, **self.popen)
        line = self.process.stdout.readline() if select.select([self.process.stdout], [], [], END_TIMEOUT_S)[0] else b""
        if line != b"ready\n":
            self.forget_orphans()
            raise AssertionError(f"the daemon did not start: {self.errors()}")
        return self

    def __exit__(self, *exception):
        self.process.stdin.close()
        code = self.process.wait(timeout=END_TIMEOUT_S)
        self.forget_orphans()
        self.process.stdout.close()
        self.stderr.close()
        assert not self.socket.exists(), "the socket file was left behind"
        if not exception[0]:
            assert code == 0, f"the daemon ended with {code}: {self.errors()}"
            assert "Sanitizer" not in self.errors(), self.errors()

    def die(self, name="benchd"):
        """Kills one half where it stands, and waits until nothing of the daemon is left."""
        self.kill(self.find(name)[0])
        self.bury()

    def bury(self):
        """Waits until nothing of a daemon that was killed is left."""
        self.process.wait(timeout=END_TIMEOUT_S)
        await_ends(self.leftovers(), *ORPHANS)
        self.forget_orphans()
        for file in [self.process.stdin, self.process.stdout, self.stderr]:
            file.close()
        self.socket.unlink(missing_ok=True)

    def forget_orphans(self):
        self.running.discard(self)
        keep_orphans(bool(self.running))
        bury_orphans(*ORPHANS)  # else each search through /proc is slower than the last

    def leftovers(self):
        """The processes that run programs of this build's daemon below the test's own: another test's daemon lives on. Without
        CAP_SYS_PTRACE nobody tells which program those of another user run; they are known by their names."""
        others = {pid for daemon in self.running - {self} for pid in daemon.processes()}
        found = []
        for pid, name in names_below(os.getpid()).items():
            try:
                is_ours = self.build / "daemon" in pathlib.Path(os.readlink(f"/proc/{pid}/exe")).parents
            except PermissionError:
                is_ours = name in ORPHANS
            except OSError:
                is_ours = False
            if is_ours and pid not in others:
                found.append(pid)
        return found

    def errors(self):
        return self.stderr_path.read_text(errors="replace")

    def connect(self, hello=True, **options):
        return Client(self.socket, hello=hello, **options)

    def processes(self):
        """The launcher and all that descends from it: {pid: name}."""
        return {**names_below(self.process.pid), self.process.pid: "benchd-launch"}

    def find(self, name):
        """Parents before their children."""
        return [pid for pid, own in self.processes().items() if own == name[:15]]

    def front_end(self):
        """benchd itself: a child that it just forked is called so too, until it has named itself."""
        return self.find("benchd")[0]

    def count_fds(self, pid):
        return len(os.listdir(f"/proc/{pid}/fd"))

    def rss_bytes(self, pid):
        with open(f"/proc/{pid}/status") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        return 0

    def kill(self, pid, number=signal.SIGKILL):
        os.kill(pid, number)

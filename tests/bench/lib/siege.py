# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon under attack: the process that attacks, the directory with the daemon, and the times of the others' answers."""

import os
import resource
import signal
import time

from support import client as clients
from support.daemon import Daemon
from support.slow_disk import SlowDisk

from . import attacks, harness, table

VICTIM = 2002
LOST_S = 30  # an answer that takes longer counts as this


class Attacker:
    """The process of an attack; what it said last."""

    def __init__(self, attack, daemon, module, *more):
        self.read, write = os.pipe()
        self.text = b""
        self.pid = os.fork()
        if self.pid:
            os.close(write)
            return
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        try:
            attack.act(daemon, module, lambda words="": os.write(write, f"{words}\n".encode()), *more)
        except BaseException as failed:
            os.write(write, f"{type(failed).__name__} {failed}\n".encode())
        os._exit(0)

    def wait_until_begun(self):
        while b"\n" not in self.text:
            more = os.read(self.read, 4096)
            if not more:
                return
            self.text += more

    def end(self):
        """Returns its last words."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = None
            while more := os.read(self.read, 4096):
                self.text += more
            os.close(self.read)
        return (self.text.decode().split("\n") or [""])[-2] if b"\n" in self.text else ""


class Answers:
    """Times of the other user's questions, and what ended them."""

    def __init__(self):
        self.seconds = []
        self.ended = ""

    def ask(self, daemon, seconds, rest, question=lambda client: client.status(), halfway=lambda: None):
        """One question after the other, each after a rest."""
        now = time.monotonic()
        deadline, middle = now + seconds, now + seconds / 2
        try:
            client = clients.Client(daemon.socket, hello=False, uid=VICTIM)
            client.socket.settimeout(LOST_S)
            client.call(hello=clients.pb.HelloRequest(protocol_version=clients.PROTOCOL_VERSION, client="load"))
            self.seconds.append(time.monotonic() - now)
            while (now := time.monotonic()) < deadline:
                if now > middle:
                    halfway()
                    middle = deadline
                question(client)
                self.seconds.append(time.monotonic() - now)
                rest()
        except TimeoutError:
            self.seconds.append(LOST_S)
            self.ended = f"no answer in {LOST_S} s"
        except (OSError, clients.Closed, clients.Failed) as failed:
            last = [line for line in daemon.errors().splitlines() if line.startswith(("benchd", "error"))]
            self.ended = f"the daemon hung up ({failed or type(failed).__name__}): {last[-1] if last else ''}"

    def quantile(self, q):
        ordered = sorted(self.seconds)
        return ordered[min(int(q * len(ordered)), len(ordered) - 1)] if ordered else None


class Place:
    """A directory with a daemon, which ends with its cage if not by itself."""

    def __init__(self, directory, attack, caged):
        self.directory, self.caged = directory, caged
        state = directory / "state"
        state.mkdir(exist_ok=True)
        os.chown(state, 65530, 65530)
        environment = os.environ
        if getattr(attack, "sync_ms", 0):
            environment = SlowDisk(directory, attack.sync_ms).environment
        self.daemon = Daemon(harness.BUILD, directory, state=state, config=attack.config, preexec_fn=self.begin, env=environment)

    def begin(self):
        if self.caged:
            self.caged.enter()
        resource.setrlimit(resource.RLIMIT_NOFILE, (attacks.DESCRIPTORS, attacks.DESCRIPTORS))

    def __enter__(self):
        self.daemon.__enter__()
        return self.daemon

    def __exit__(self, *exception):
        self.daemon.process.stdin.close()
        try:
            self.daemon.process.wait(timeout=10)
        except Exception:
            self.daemon.process.kill()
            self.daemon.process.wait()
        self.daemon.socket.unlink(missing_ok=True)


def ms(seconds):
    return table.NONE if seconds is None else table.number(1e3 * seconds, "ms", 3)

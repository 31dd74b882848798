# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon in which something fails, what it does for its clients meanwhile, and what must hold afterwards.

The machine is one of tests/machines, laid out as files, so that its knobs can be compared to the bit. tests/faults tries every point
of failure, tests/hostile/test_faults.py a few.
"""

import collections
import contextlib
import mmap
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

from . import client as clients
from .daemon import Daemon
from .machine import Machine
from .paths import SOURCE, copy_programs, open_directory
from .processes import is_alive

PROGRAMS = ["benchd", "benchd-launch"]
CPUS = {0, 1}  # however many there are: of these two, 1 is lent
PATIENCE_S = 300  # a busy machine takes its time
BRIEF = dict(processes=2, samples=2, min_time_ns=10_000, warmup_ns=1_000_000, timeout_ns=20 * 10**9)
EMPTY = "BENCH(empty) { bench_loop(b) bench_clobber(); }"

WORDS = struct.Struct("=4Q")  # seen, first, n, failed: fail-allocations.c


class Allocations:
    """The preloaded library's orders, one file a program."""

    def __init__(self, directory):
        self.directory = directory
        self.library = directory / "fail-allocations.so"
        subprocess.run(["gcc", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC", "-fno-builtin", SOURCE / "tests/faults/fail-allocations.c", "-o",
                        self.library], check=True)
        self.maps = {}
        for name in PROGRAMS:
            path = directory / name
            path.write_bytes(bytes(mmap.PAGESIZE))
            path.chmod(0o666)
            with open(path, "r+b") as file:
                self.maps[name] = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def environment(self):
        return dict(os.environ, LD_PRELOAD=str(self.library), BENCHD_FAULTS=str(self.directory))

    def seen(self, name):
        return WORDS.unpack_from(self.maps[name])[0]

    def failed(self, name):
        return WORDS.unpack_from(self.maps[name])[3]

    def order(self, name, number, n=1):
        """The allocation @number from now on fails, with so many after it."""
        seen = self.seen(name)
        WORDS.pack_into(self.maps[name], 0, seen, seen + number, n, 0)

    def forget(self):
        for name in PROGRAMS:
            WORDS.pack_into(self.maps[name], 0, self.seen(name), 0, 0, 0)


class Trouble(Exception):
    """Something does not hold, in words."""


class Untraced(Trouble):
    """Tracing is not allowed here."""


class Subject:
    """The daemon under test. Its story may fail, but only in the ways that a client is told of."""

    def __init__(self, build, directory, module, environment=None):
        self.build, self.directory, self.module, self.environment = build, directory, module, environment
        self.machine = Machine(directory / "machine", "intel-pstate.txt")
        self.state = directory / "state"
        self.state.mkdir()
        if os.geteuid() == 0:
            os.chown(self.state, 65530, 65530)
        self.before = None
        self.daemon = None
        self.fds = {}
        self.n_starts = 0

    # ---- the daemon

    def start(self):
        """Starts it where it does not run, and notes what is there when it rests."""
        if self.daemon:
            return
        if self.before is None:
            self.before = self.machine.everything()
        self.daemon = Daemon(self.build, self.directory, state=self.state, launch=[f"--root={self.machine.directory}", "--no-probes"],
                             wrapper=["taskset", "--cpu-list", ",".join(map(str, sorted(CPUS)))], env=self.environment)
        self.daemon.__enter__()
        self.n_starts += 1
        self.tell_story()
        self.rest()
        self.fds = {name: self.count_fds(name) for name in PROGRAMS}

    def stop(self):
        if not self.daemon:
            return
        self.daemon.__exit__(None)
        self.daemon = None
        self.check_machine()

    def pid(self, name):
        """None: it is gone."""
        if name == "benchd-launch":
            return self.daemon.process.pid if self.daemon.process.poll() is None else None
        return next((pid for pid in self.daemon.find(name) if is_alive(pid)), None)

    def count_fds(self, name):
        return len(os.listdir(f"/proc/{self.pid(name)}/fd"))

    def is_whole(self):
        return all(self.pid(name) for name in PROGRAMS)

    # ---- what it does

    def tell_story(self):
        """A run, a listing, a job on its own, and the history. Returns what a client was told where one of them failed."""
        try:
            with self.connect() as client:
                client.run(self.module, **BRIEF)
                client.list(self.module)
                job = client.detach(self.module, **BRIEF).run_id
                client.wait(job)
                client.show(job)
                client.history()
                client.status()
        except (clients.Failed, clients.Closed, ConnectionError, FileNotFoundError) as told:
            return str(told) or type(told).__name__
        except TimeoutError:
            raise Trouble(f"a client waited for {PATIENCE_S} s") from None
        return None

    def connect(self):
        client = clients.Client(self.daemon.socket, hello=False)
        client.socket.settimeout(PATIENCE_S)
        client.call(hello=clients.pb.HelloRequest(protocol_version=clients.PROTOCOL_VERSION, client="faults"))
        return client

    # ---- what must hold

    def rest(self):
        """Waits by round trips until nothing of a story is left."""
        deadline = time.monotonic() + PATIENCE_S
        with self.connect() as client:
            while True:
                status = client.status()
                if not status.queued and not status.running and not any(lease.busy for lease in status.leases):
                    return
                if time.monotonic() > deadline:
                    raise Trouble("a job, or the lease of a CPU, never ends")

    def settle(self):
        """After something failed: the daemon goes on as before, or ended in words and left nothing."""
        if self.is_whole():
            try:
                self.rest()
                self.check_fds()
                return self.check_machine()
            except (clients.Failed, clients.Closed, ConnectionError):
                pass
        self.bury()
        self.start()
        self.check_machine()

    def bury(self):
        """One half is gone, so the other follows; a daemon after it puts the machine back."""
        try:
            code = self.daemon.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Trouble("one half ended, and the other did not") from None
        errors = self.daemon.errors()
        self.daemon.bury()
        self.daemon = None
        self.directory.joinpath("daemon.stderr").write_text("")
        if code < 0 and -code != signal.SIGKILL or re.search(r"benchd (was killed|ended).*signal (?!9\b)", errors):
            raise Trouble(f"it crashed: {code}, {errors}")
        if not errors.strip() and code >= 0:
            raise Trouble(f"it ended with {code}, and said nothing")

    def give_up(self):
        """After trouble: kills what is left, for a fresh start."""
        if self.daemon:
            for pid in self.daemon.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.daemon.bury()
        self.daemon = None

    def check_fds(self):
        deadline = time.monotonic() + PATIENCE_S
        while any(self.count_fds(name) > self.fds[name] for name in PROGRAMS):
            with self.connect() as client:
                client.status()
            if time.monotonic() > deadline:
                raise Trouble(f"descriptors are left: {[(name, self.count_fds(name), self.fds[name]) for name in PROGRAMS]}")

    def check_machine(self):
        """Bit by bit, as it was before the first daemon. A file is emptied where its write is made to fail, which a knob never is: it
        gets back what it held."""
        deadline = time.monotonic() + PATIENCE_S
        while (now := self.machine.everything()) != self.before:
            for path, value in now.items():
                if value == b"" and self.before.get(path):
                    self.machine.write(path, self.before[path].decode())
            if time.monotonic() > deadline:
                changed = {path: (self.before.get(path), now.get(path)) for path in self.before.keys() | now.keys()
                           if self.before.get(path) != now.get(path)}
                raise Trouble(f"the machine is not as before: {changed}")


@contextlib.contextmanager
def subject(build, module, with_allocations=False):
    with open_directory() as directory:
        for name in ["orders", "subject"]:
            (directory / name).mkdir()
            (directory / name).chmod(0o755)
        allocations = Allocations(directory / "orders") if with_allocations else None
        made = Subject(copy_programs(build, directory / "build"), directory / "subject", module, allocations and allocations.environment())
        try:
            made.start()
            yield made, allocations
            made.stop()
        finally:
            made.give_up()


def fail_allocation(subject, allocations, program, number, n=1):
    """One story in which that allocation of @program fails. Returns how many failed, and what a client was told of it."""
    subject.start()
    allocations.order(program, number, n)
    told = subject.tell_story()
    failed = allocations.failed(program)
    allocations.forget()
    subject.settle()
    return failed, told


def count_allocations(subject, allocations, program):
    """Those of one story in which nothing fails."""
    before = allocations.seen(program)
    told = subject.tell_story()
    subject.rest()
    if told:
        raise Trouble(told)
    return allocations.seen(program) - before


class Strace:
    """Attached to one process: all its system calls of a story, or one of them failed or fatal.

    @inject: as strace takes it, such as "openat:error=EIO:when=3". @births: with the processes that it bears, each of which has counts of its
    own, until they execute another program.
    """

    def __init__(self, pid, output, inject=None, births=False):
        self.output = output
        self.command = ["strace", "-q", "-q", "-p", str(pid), "-o", output, "-e", "trace=" + (inject.partition(":")[0] if inject else "all"),
                        "-e", "signal=none", *(["-f", "-b", "execve"] if births else []), *(["-e", f"inject={inject}"] if inject else [])]
        self.pid = pid

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        while not self.traces():
            if self.process.poll() is not None:
                with self.process.stderr:
                    said = self.process.stderr.read()
                raise (Untraced if "Operation not permitted" in said and is_alive(self.pid) else Trouble)(said)
        return self

    def traces(self):
        try:
            with open(f"/proc/{self.pid}/status") as status:
                return any(line.split() == ["TracerPid:", str(self.process.pid)] for line in status)
        except FileNotFoundError:
            return True

    def __exit__(self, *exception):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()

    def calls(self):
        """{name: how often}."""
        return collections.Counter(re.findall(r"^(\w+)\(", pathlib.Path(self.output).read_text(errors="replace"), re.M))

    def fired(self):
        return "INJECTED" in pathlib.Path(self.output).read_text(errors="replace")


# What each call may say on a sound kernel whose resources are short, or whose files are refused. A call that is missing is not failed:
# it has no such way to fail, or its failure cannot be made without its effect (close), or not for its one operation that can (epoll_ctl).
PLAUSIBLE = {
    "accept4": ["EMFILE", "ENFILE", "ECONNABORTED", "ENOMEM"],
    "bind": ["EADDRINUSE", "EACCES"],
    "chmod": ["EPERM", "EROFS"],
    "chown": ["EPERM"],
    "clock_gettime": ["EINVAL"],
    "clone": ["EAGAIN", "ENOMEM"],
    "clone3": ["EAGAIN", "ENOMEM", "ENOSYS"],
    "connect": ["ECONNREFUSED", "EACCES"],
    "epoll_create1": ["EMFILE"],
    "epoll_wait": ["EINTR"],
    "fallocate": ["ENOSPC"],
    "fchmod": ["EPERM"],
    "fchown": ["EPERM"],
    "fcntl": ["EMFILE", "EAGAIN"],
    "fdatasync": ["EIO", "ENOSPC"],
    "flock": ["EWOULDBLOCK"],
    "fstat": ["EIO"],
    "fsync": ["EIO", "ENOSPC"],
    "ftruncate": ["ENOSPC", "EIO"],
    "getdents64": ["EIO"],
    "getsockopt": ["ENOMEM"],
    "kill": ["ESRCH", "EPERM"],
    "lseek": ["EINVAL"],
    "memfd_create": ["EMFILE", "ENOMEM"],
    "mkdir": ["ENOSPC", "EACCES", "EROFS"],
    "mkdirat": ["ENOSPC", "EACCES", "EROFS"],
    "mmap": ["ENOMEM"],
    "mprotect": ["ENOMEM"],
    "newfstatat": ["EACCES", "EIO"],
    "open": ["EMFILE", "EACCES", "EIO"],
    "openat": ["EMFILE", "ENFILE", "EACCES", "ENOENT", "ENOSPC", "EIO", "EINTR"],
    "openat2": ["EMFILE", "EACCES", "ENOENT", "EIO"],
    "pidfd_open": ["EMFILE", "ESRCH", "ENOMEM"],
    "pidfd_send_signal": ["ESRCH", "EPERM"],
    "pipe2": ["EMFILE", "ENFILE"],
    "pread64": ["EIO"],
    "prlimit64": ["EPERM", "ESRCH"],
    "pwrite64": ["ENOSPC", "EIO"],
    "read": ["EIO", "EINTR"],
    "readlink": ["EACCES"],
    "readlinkat": ["EACCES"],
    "recvmsg": ["EINTR", "ENOMEM", "ECONNRESET"],
    "rename": ["ENOSPC", "EIO"],
    "renameat": ["ENOSPC", "EIO"],
    "rmdir": ["EBUSY", "EACCES"],
    "sched_setaffinity": ["EINVAL", "ESRCH"],
    "sched_setscheduler": ["EPERM", "ESRCH"],
    "sched_setattr": ["EPERM", "ESRCH"],
    "sendmsg": ["EAGAIN", "ENOBUFS", "EPIPE", "ETOOMANYREFS", "ENOMEM"],
    "sendto": ["EAGAIN", "EPIPE"],
    "setpriority": ["EPERM"],
    "socket": ["EMFILE", "EAFNOSUPPORT"],
    "socketpair": ["EMFILE", "ENOMEM"],
    "statfs": ["EACCES"],
    "statx": ["EACCES", "EIO"],
    "timerfd_create": ["EMFILE", "ENOMEM"],
    "unlink": ["EACCES", "EBUSY"],
    "unlinkat": ["EACCES", "EBUSY"],
    "waitid": ["ECHILD", "EINTR"],
    "write": ["ENOSPC", "EIO", "EBUSY", "EINVAL", "EACCES", "EINTR"],
    "writev": ["EPIPE", "EIO"],
}


def count_calls(subject, program):
    """Those of one story in which nothing fails: {name: how often}."""
    with Strace(subject.pid(program), subject.directory / "trace") as strace:
        told = subject.tell_story()
        subject.rest()
    if told:
        raise Trouble(told)
    return strace.calls()


def inject(subject, program, what):
    """One story in which a system call of @program fails, or is its last. Returns whether that was reached, and what a client was told."""
    subject.start()
    with Strace(subject.pid(program), subject.directory / "trace", what) as strace:
        told = subject.tell_story()
    subject.settle()
    return strace.fired() or "KILL" in what and bool(told), told

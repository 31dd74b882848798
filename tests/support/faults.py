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
from .daemon import ORPHANS, Daemon
from .machine import Machine
from .modules import EMPTY
from .paths import SOURCE, copy_programs, open_directory
from .processes import await_ends, is_alive

PROGRAMS = ["benchd", "benchd-launch"]
ZYGOTE = "benchd-zygote"  # with all that it bears, until a runner is executed
TRACED = [*PROGRAMS, ZYGOTE]
CPUS = {0, 1}  # however many there are: of these two, 1 is lent
PATIENCE_S = 300  # a busy machine takes its time
BRIEF = clients.TWICE | dict(timeout_ns=20 * 10**9)

# Ends each of its processes that has a right of the daemon's.
RIGHTLESS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_right(const char *line) {
        unsigned ids[4];

        if (strncmp(line, "Cap", 3) == 0)
                return strtoull(strchr(line, ':') + 1, NULL, 16) != 0;
        if (strncmp(line, "NoNewPrivs:", 11) == 0)
                return atoi(line + 11) != 1;
        if (strncmp(line, "Groups:", 7) == 0)
                return strpbrk(line + 7, "0123456789") != NULL;
        if (strncmp(line, "Uid:", 4) != 0 && strncmp(line, "Gid:", 4) != 0)
                return 0;
        return sscanf(line + 4, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4 || ids[0] == 0 || ids[1] != ids[0] ||
               ids[2] != ids[0] || ids[3] != ids[0];
}

static void __attribute__((constructor)) look_for_rights(void) {
        FILE *status = fopen("/proc/self/status", "r");
        char line[4096];
        int n = 0;

        while (status && fgets(line, sizeof line, status)) {
                n++;
                if (is_right(line)) {
                        fprintf(stderr, "a right is left: %s", line);
                        _exit(99);
                }
        }
        if (n == 0)
                _exit(98);
        fclose(status);
}
""" + EMPTY

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
        self.zygote = None
        self.fds = {}
        self.names = collections.Counter()
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
        self.zygote = min(self.daemon.find(ZYGOTE))
        self.fds = {name: self.count_fds(name) for name in TRACED}
        self.names = self.count_names()

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
        if name == ZYGOTE:
            return self.zygote if self.runs(self.zygote, "benchd-launch") else None
        return next((pid for pid in self.daemon.find(name) if is_alive(pid)), None)

    def runs(self, pid, name):
        try:
            return os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name
        except OSError:
            return False

    def count_fds(self, name):
        return len(os.listdir(f"/proc/{self.pid(name)}/fd"))

    def count_names(self):
        return collections.Counter(self.daemon.processes().values())

    def is_whole(self):
        return all(self.pid(name) for name in TRACED)

    # ---- what it does

    def tell_story(self):
        """A run, a listing, a job on its own, and the history. Returns what a client was told where one of them failed."""
        try:
            with self.connect() as client:
                runs = [client.run(self.module, **BRIEF)]
                client.list(self.module)
                job = client.detach(self.module, **BRIEF).run_id
                runs.append(client.wait(job))
                client.show(job)
                client.history()
                client.status()
        except (clients.Failed, clients.Closed, ConnectionError, FileNotFoundError) as told:
            return str(told) or type(told).__name__
        except TimeoutError:
            raise Trouble(f"a client waited for {PATIENCE_S} s") from None
        failed = [row.failed for run in runs for row in run.benchmarks.values() if row.HasField("failed")]
        return "; ".join(f"{failure.code}: {failure.message}" for failure in failed) or None

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
                self.check_processes()
                return self.check_machine()
            except (clients.Failed, clients.Closed, ConnectionError, FileNotFoundError):
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

    def last_words(self):
        return "\n".join("    " + line for line in self.daemon.errors().splitlines()[-8:]) if self.daemon else ""

    def check_fds(self):
        deadline = time.monotonic() + PATIENCE_S
        while any(self.count_fds(name) > self.fds[name] for name in TRACED):
            with self.connect() as client:
                client.status()
            if time.monotonic() > deadline:
                raise Trouble(f"descriptors are left: {[(name, self.count_fds(name), self.fds[name]) for name in TRACED]}")

    def check_processes(self):
        """None is left of a run, and its corpse neither."""
        deadline = time.monotonic() + PATIENCE_S
        while left := self.count_names() - self.names:
            if time.monotonic() > deadline:
                raise Trouble(f"processes are left: {dict(left)}")

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

    @inject: as strace takes it, such as "openat:error=EIO:when=3"; several with a space between. @births: with the processes that it bears,
    each of which has counts of its own, until they execute another program.
    """

    def __init__(self, pid, output, inject=None, births=False):
        self.output = output
        injects = inject.split() if inject else []
        self.command = ["strace", "-q", "-q", "-p", str(pid), "-o", output,
                        "-e", "trace=" + (",".join(one.partition(":")[0] for one in injects) or "all"),
                        "-e", "signal=none", *(["-f", "-b", "execve"] if births else []), *(f"--inject={one}" for one in injects)]
        self.pid = pid

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        while not self.traces():
            if self.process.poll() is not None and self.fired():  # the call that it waited in was restarted, failed, and was its last
                break
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
        await_ends([self.process.pid], *ORPHANS)  # it waits for the first process of a cell, whose runner may be left to this process
        self.process.communicate()

    def calls(self):
        """{name: how often}, the most often in one process where there are several."""
        text = pathlib.Path(self.output).read_text(errors="replace")
        counted = collections.Counter(re.findall(r"^(?:(\d+) +)?(\w+)\(", text, re.M))
        most = collections.Counter()
        for (_, name), n in counted.items():
            most[name] = max(most[name], n)
        return most

    def fired(self):
        return "INJECTED" in pathlib.Path(self.output).read_text(errors="replace")


# What each call may say on a sound kernel whose resources are short, or whose files are refused. A call that is missing is not failed:
# it has no such way to fail, or its failure cannot be made without its effect (close), or not for its one operation that can (epoll_ctl).
PLAUSIBLE = {
    "accept4": ["EMFILE", "ENFILE", "ECONNABORTED", "ENOMEM"],
    "bind": ["EADDRINUSE", "EACCES"],
    "capset": ["EPERM"],
    "chdir": ["ENOENT", "EACCES"],
    "chmod": ["EPERM", "EROFS"],
    "chown": ["EPERM"],
    "clock_gettime": ["EINVAL"],
    "clone": ["EAGAIN", "ENOMEM"],
    "clone3": ["EAGAIN", "ENOMEM", "ENOSYS"],
    "close_range": ["EMFILE", "ENOMEM"],
    "connect": ["ECONNREFUSED", "EACCES"],
    "dup2": ["EMFILE", "EBUSY"],
    "epoll_create1": ["EMFILE"],
    "epoll_wait": ["EINTR"],
    "execveat": ["ENOMEM", "EACCES", "EAGAIN"],
    "fallocate": ["ENOSPC"],
    "fchmod": ["EPERM"],
    "fchown": ["EPERM"],
    "fcntl": ["EMFILE", "EAGAIN"],
    "fdatasync": ["EIO", "ENOSPC"],
    "flock": ["EWOULDBLOCK"],
    "fstat": ["EIO"],
    "fsync": ["EIO", "ENOSPC"],
    "ftruncate": ["ENOSPC", "EIO"],
    "get_mempolicy": ["ENOSYS", "EPERM"],
    "getdents64": ["EIO"],
    "getsockopt": ["ENOMEM"],
    "ioctl": ["EPERM", "EIO"],
    "keyctl": ["EDQUOT", "ENOSYS", "EPERM"],
    "kill": ["ESRCH", "EPERM"],
    "lseek": ["EINVAL"],
    "memfd_create": ["EMFILE", "ENOMEM"],
    "mkdir": ["ENOSPC", "EACCES", "EROFS"],
    "mkdirat": ["ENOSPC", "EACCES", "EROFS"],
    "mmap": ["ENOMEM"],
    "mount": ["EACCES", "EPERM", "ENOMEM", "ENOENT"],
    "mount_setattr": ["EPERM", "EINVAL", "ENOMEM"],
    "mprotect": ["ENOMEM"],
    "newfstatat": ["EACCES", "EIO"],
    "open": ["EMFILE", "EACCES", "EIO"],
    "openat": ["EMFILE", "ENFILE", "EACCES", "ENOENT", "ENOSPC", "EIO", "EINTR"],
    "openat2": ["EMFILE", "EACCES", "ENOENT", "EIO"],
    "perf_event_open": ["ENOENT", "EACCES", "EMFILE"],
    "personality": ["EINVAL", "EPERM"],
    "pidfd_open": ["EMFILE", "ESRCH", "ENOMEM"],
    "pidfd_send_signal": ["ESRCH", "EPERM"],
    "pipe2": ["EMFILE", "ENFILE"],
    "poll": ["EINTR", "ENOMEM"],
    "prctl": ["EINVAL", "EPERM"],
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
    "sched_getaffinity": ["EINVAL"],
    "sched_setaffinity": ["EINVAL", "ESRCH"],
    "sched_setattr": ["EPERM", "ESRCH"],
    "sched_setscheduler": ["EPERM", "ESRCH"],
    "sendmsg": ["EAGAIN", "ENOBUFS", "EPIPE", "ETOOMANYREFS", "ENOMEM"],
    "sendto": ["EAGAIN", "EPIPE"],
    "set_mempolicy": ["EPERM", "ENOMEM"],
    "setpriority": ["EPERM"],
    "setsid": ["EPERM"],
    "socket": ["EMFILE", "EAFNOSUPPORT"],
    "socketpair": ["EMFILE", "ENOMEM"],
    "statfs": ["EACCES"],
    "statx": ["EACCES", "EIO"],
    "timerfd_create": ["EMFILE", "ENOMEM"],
    "unlink": ["EACCES", "EBUSY"],
    "unlinkat": ["EACCES", "EBUSY"],
    "unshare": ["EPERM", "ENOSPC", "ENOMEM", "EINVAL"],
    "wait4": ["ECHILD", "EINTR"],
    "waitid": ["ECHILD", "EINTR"],
    "write": ["ENOSPC", "EIO", "EBUSY", "EINVAL", "EACCES", "EINTR"],
    "writev": ["EPIPE", "EIO"],
}


def count_calls(subject, program):
    """Those of one story in which nothing fails: {name: how often}."""
    with Strace(subject.pid(program), subject.directory / "trace", births=program in (ZYGOTE, "benchd")) as strace:
        told = subject.tell_story()
        subject.rest()
    if told:
        raise Trouble(told)
    return strace.calls()


OF_DAEMON = re.compile(r"INTERNAL|internal|Closed|\[Errno ")  # a client's words for what no module did: a code, or the daemon's end
HAS_RIGHT = re.compile(r"exit status 9[89]")  # of RIGHTLESS


def check_birth(subject, what, told):
    """A birth that fails is the daemon's fault, or the kernel's where it is killed, and costs one run."""
    if told and (HAS_RIGHT.search(told) or "error=" in what and not OF_DAEMON.match(told)):
        raise Trouble(f"a client was told: {told}")
    subject.start()
    if told := subject.tell_story():
        raise Trouble(f"the next run fails: {told}")


def inject(subject, program, what):
    """One story in which a system call of @program fails, or is its last. Returns whether that was reached, and what a client was told."""
    subject.start()
    with Strace(subject.pid(program), subject.directory / "trace", what, births=program in (ZYGOTE, "benchd")) as strace:
        told = subject.tell_story()
    subject.settle()
    if program == ZYGOTE:
        check_birth(subject, what, told)
    return strace.fired() or "KILL" in what and bool(told), told

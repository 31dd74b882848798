# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, by /proc: who descends from whom, and the end of them."""

import contextlib
import ctypes
import functools
import os
import re
import select
import signal
import subprocess
import time

END_TIMEOUT_S = 300
PR_SET_PDEATHSIG = 1  # prctl(2)
PR_SET_CHILD_SUBREAPER = 36
PTRACE_SEIZE = 0x4206
STRANGER = 54321


def read_proc(pid, name):
    """Empty where there is no such process."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


NO_NAMESPACES = "needs the right to make user namespaces"


@functools.cache
def may_have_namespaces():
    """Whether runners get namespaces of their own: not in a chroot, nor in most containers."""
    return subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode == 0


NO_MOUNTS = "needs root with the right to mount, and a root directory that is a mount point"


@functools.cache
def may_mount():
    """Whether this process may go into a mount namespace of its own, as the daemon does: not in a chroot, nor in most containers."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0


TRACES_NONE = "needs root with CAP_SYS_PTRACE, to see what a runner does"


@functools.cache
def may_trace_others():
    """Whether this process may trace those of another user, and look at what they see and run."""
    if os.geteuid() != 0:
        return False
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, user=STRANGER) as stranger:
        traced = ctypes.CDLL(None).ptrace(PTRACE_SEIZE, stranger.pid, None, None) == 0
        stranger.kill()
    return traced


def is_alive(pid):
    """False also for one that waits for its parent."""
    return read_proc(pid, "stat").rpartition(b") ")[2][:1] not in (b"", b"Z", b"X")


def processes_with(*variables):
    """The processes whose environment has all of these (b"NAME=value")."""
    pids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    return [pid for pid in pids if set(variables) <= set(read_proc(pid, "environ").split(b"\0"))]


def children(pid):
    """Those of its first thread."""
    return [int(child) for child in read_proc(pid, f"task/{pid}/children").split()]


def descendants(pid):
    """Children before their own."""
    return [found for child in children(pid) for found in (child, *descendants(child))]


def kill_all(pids):
    """At once, so that none tells another; returns when all are gone or wait for their parent."""
    pidfds = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            pidfds.append(os.pidfd_open(pid))
    for pidfd in pidfds:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    for pidfd in pidfds:
        assert select.select([pidfd], [], [], END_TIMEOUT_S)[0], "a process does not end"
        os.close(pidfd)


def names_below(ancestor):
    """The process and all that descends from it: {pid: name}. Parents before their children, of these the oldest first."""
    parents, names, births = {}, {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        text = read_proc(entry, "stat").decode(errors="replace")
        if text:
            pid, fields = int(entry), text[text.rindex(")") + 2:].split()
            names[pid], parents[pid], births[pid] = text[text.index("(") + 1:text.rindex(")")], int(fields[1]), int(fields[19])
    found = grown = [ancestor]
    while grown:
        grown = sorted((pid for pid, parent in parents.items() if parent in grown and pid not in found), key=lambda pid: (births[pid], pid))
        found = found + grown
    return {pid: names.get(pid, "") for pid in found}


def fork_mortal():
    """As os.fork(), of a child that ends with this process, however that ends."""
    parent, pid = os.getpid(), os.fork()
    if pid == 0 and (ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) or os.getppid() != parent):
        os._exit(1)
    return pid


def keep_orphans(keep):
    """A process whose parent ends becomes a child of this one, in place of the first's; so it is still known whose it is."""
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(keep), 0, 0, 0) == 0


def await_ends(pids, *orphans):
    """Of some that may have ended. Orphans that are called so are reaped meanwhile, and those of a cell, whose first process ends after
    all that is in it has been reaped."""
    left, deadline = {}, time.monotonic() + END_TIMEOUT_S
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            left[os.pidfd_open(pid)] = pid
    while left:
        assert time.monotonic() < deadline, f"{[(pid, read_proc(pid, 'comm').decode().strip()) for pid in left.values()]} do not end"
        bury_orphans(*orphans)
        for pidfd in select.select(left, [], [], 0.01)[0]:
            os.close(pidfd)
            del left[pidfd]


def bury_orphans(*names):
    """Reaps the children of this process that have ended and are called so, or were in a namespace of processes of their own. A name must
    be none that the tests start, and wait for."""
    for child in children(os.getpid()):
        dead = read_proc(child, "stat").partition(b") Z ")[1]
        named = read_proc(child, "comm").decode(errors="replace").strip() in names
        if dead and (named or re.search(rb"^NSpid:\t\d+\t\d", read_proc(child, "status"), re.MULTILINE)):
            os.waitpid(child, os.WNOHANG)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, by /proc: who descends from whom, and the end of them."""

import contextlib
import ctypes
import os
import select
import signal

END_TIMEOUT_S = 300
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def read_proc(pid, name):
    """Empty where there is no such process."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


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
    """The process and all that descends from it: {pid: name}."""
    parents, names = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        text = read_proc(entry, "stat").decode(errors="replace")
        if text:
            names[int(entry)] = text[text.index("(") + 1:text.rindex(")")]
            parents[int(entry)] = int(text[text.rindex(")") + 2:].split()[1])
    found, grown = {ancestor}, True
    while grown:
        grown = {pid for pid, parent in parents.items() if parent in found} - found
        found |= grown
    return {pid: names.get(pid, "") for pid in found}


def keep_orphans(keep):
    """A process whose parent ends becomes a child of this one, in place of the first's; so it is still known whose it is."""
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(keep), 0, 0, 0) == 0


def await_end(pid):
    """Of one that may have ended; it is reaped where it is a child of this process."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    assert select.select([pidfd], [], [], END_TIMEOUT_S)[0], f"process {pid} ({read_proc(pid, 'comm').decode().strip()}) does not end"
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOHANG)
    os.close(pidfd)


def bury_orphans(*names):
    """Reaps the children of this process that have ended and are called so. A name must be none that the tests start, and wait for."""
    for child in children(os.getpid()):
        if read_proc(child, "stat").startswith(tuple(f"{child} ({name}) Z".encode() for name in names)):
            os.waitpid(child, 0)

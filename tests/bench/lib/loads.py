# SPDX-License-Identifier: GPL-3.0-or-later
"""What one user does, over and over, while another asks the daemon: each goes on in a process of its own, as ATTACKER, until it is killed.

A load says in words how often it came round.
"""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import select
import subprocess
import tempfile

from support import client as clients
from support.client import pb, varint

from . import attacks

GIB = 1 << 30
MODULE_MAX = 64 << 20
REQUEST_FDS = 26  # as many as a request may have
SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
FALLOC_FL_KEEP_SIZE = 1

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]


class Load:
    """One row: its name, what is done with the scale of the sizes, the daemon's configuration, the module that is run, the time of a sync."""

    def __init__(self, name, act, config="", module=None, sync_ms=0):
        self.name, self.act, self.config, self.module, self.sync_ms = name, act, config, module, sync_ms


# ---- files in memory

def allocate(fd, mode, offset, n):
    if libc.fallocate(fd, mode, offset, n):
        raise OSError(ctypes.get_errno(), "fallocate")


def memory(n, data=b"", behind=0, sealed=False):
    """A memfd of @n bytes that begins with @data, and as many as @behind its end, all of them there."""
    fd = os.memfd_create("load", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if n > len(data):
        allocate(fd, 0, 0, n)
    if behind:
        allocate(fd, FALLOC_FL_KEEP_SIZE, max(n, len(data)), behind)
    if sealed:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
    return fd


def over_and_over(begun, once):
    done = 0
    while True:
        with contextlib.suppress(clients.Failed, clients.Closed, ConnectionError):
            once()
        done += 1
        begun(f"{done} times")


# ---- the loads

def send(client, fds, drop=False, **request):
    """A request with files that this process closes before the last bytes go; with drop the connection ends instead."""
    payload = pb.Request(id=1, **request).SerializeToString()
    frame = varint(len(payload)) + payload
    client.send_bytes(frame[:-1], fds)
    for fd in fds:
        os.close(fd)
    if drop:
        client.socket.close()
        return
    client.send_bytes(frame[-1:])
    for _ in client.replies(1):
        pass


def send_files(make, drop=False):
    """Sends the files that @make makes, of sizes that it scales."""
    def act(daemon, module, begun, scale):
        def once():
            with attacks.connect(daemon) as client:
                send(client, make(scale), drop, run=pb.RunRequest(module_name="m.so"))
        over_and_over(begun, once)
    return act


def run_with_more_behind(daemon, module, begun, scale):
    data = module.read_bytes()

    def once():
        with attacks.connect(daemon) as client:
            send(client, [owned(client, len(data), data, int(6 * GIB * scale))], run=pb.RunRequest(module_name="m.so", **attacks.BRIEF))
    over_and_over(begun, once)


def owned(client, *what):
    """One that is the user's own, as the daemon wants a module."""
    before = libc.setfsuid(client.uid)
    try:
        return memory(*what, sealed=True)
    finally:
        libc.setfsuid(before)


def cancel_large_jobs(daemon, module, begun, scale):
    """As many of the largest files as a request may have; the job waits for its turn, and is cancelled."""
    data, size = module.read_bytes(), int(MODULE_MAX * scale)

    def once():
        with attacks.connect(daemon) as client:
            fds = [owned(client, len(data), data)] + [owned(client, size) for _ in range(8)]
            names = [f"i{n}" for n in range(8)]
            send(client, fds, run=pb.RunRequest(module_name="m.so", input_names=names, **attacks.BRIEF))
    over_and_over(begun, once)


def run_often(daemon, module, begun, scale):
    def once():
        with attacks.connect(daemon) as client:
            client.run(module, **attacks.BRIEF)
    over_and_over(begun, once)


PRINTING = """
#include <linux/falloc.h>
#include <sys/syscall.h>
#include <unistd.h>

BENCH(printing)
{
        if (syscall(SYS_fallocate, 1, FALLOC_FL_KEEP_SIZE, 0, 250 << 20) < 0)
                bench_skip(b, "no space");
        bench_loop(b)
                bench_clobber();
}
"""


# ---- processes and threads

SLEEPING = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
        const uid_t uid = atoi(argv[1]);
        const pid_t mother = getpid();

        if (argc != 3 || setgid(uid) || setuid(uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
                return 1;
        for (int i = 0; i < atoi(argv[2]); i++) {
                const pid_t pid = fork();

                if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != mother))
                        _exit(1);
                if (pid <= 0)
                        break;
        }
        if (getpid() == mother)
                puts("all"), fflush(stdout);
        for (;;)
                pause();
}
"""
PROCESSES = 20_000
LINGER_S = 2.1  # after which the machine is given back, so that the next run switches it anew


def run_beside_processes(daemon, module, begun, scale):
    """As many sleep as there are, small ones; a run begins with a look at all that there is on its CPUs."""
    with tempfile.TemporaryDirectory(prefix="benchd-sleep-") as directory:
        program = pathlib.Path(directory) / "sleeping"
        os.chmod(directory, 0o755)
        subprocess.run(["cc", "-O2", "-static", "-x", "c", "-", "-o", program], input=SLEEPING.encode(), check=True)
        sleeping = subprocess.Popen([program, str(attacks.ATTACKER), str(int(PROCESSES * scale))], stdout=subprocess.PIPE)
        sleeping.stdout.readline()

    def once():
        with attacks.connect(daemon) as client:
            client.run(module, **attacks.BRIEF)
        select.select([], [], [], LINGER_S)
    over_and_over(begun, once)


# 58 threads sleep; another one names threads of the runner that there are not, as fast as a runner may say words.
NAMING = """
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static void *sleeps(void *unused)
{
        for (;;)
                pause();
}

static void *names(void *unused)
{
        static const uint32_t word[] = { 't', 12345 };

        for (;;) {
                (void)!write(5, word, sizeof word);
                (void)poll(NULL, 0, 1);
        }
}

__attribute__((constructor)) static void begin(void)
{
        pthread_t thread;

        for (int i = 0; i < 58; i++)
                (void)pthread_create(&thread, NULL, sleeps, NULL);
        (void)pthread_create(&thread, NULL, names, NULL);
        (void)poll(NULL, 0, 3000); /* before the runner names its own */
}

BENCH(naming, .threads = BENCH_THREADS(2))
{
        bench_loop(b)
                bench_clobber();
}
"""


def nothing(daemon, module, begun, scale):
    begun()
    attacks.wait()


LOADS = [
    Load("none", nothing),
    Load("10 GiB in one file", send_files(lambda scale: [memory(int(10 * GIB * scale))])),
    Load("10 GiB in one file, sealed", send_files(lambda scale: [memory(int(10 * GIB * scale), sealed=True)])),
    Load("8 files of 1 GiB", send_files(lambda scale: [memory(int(GIB * scale)) for _ in range(8)])),
    Load("8 files of 1 GiB, and the connection ends", send_files(lambda scale: [memory(int(GIB * scale)) for _ in range(8)], drop=True)),
    Load("6 GiB behind an empty file", send_files(lambda scale: [memory(0, behind=int(6 * GIB * scale), sealed=True)])),
    Load("6 GiB behind the end of a module", run_with_more_behind, module=lambda: attacks.EMPTY),
    Load("26 files of 64 MiB, refused", send_files(lambda scale: [memory(int(MODULE_MAX * scale), sealed=True) for _ in range(REQUEST_FDS)])),
    Load("26 files of 64 MiB, and the connection ends",
         send_files(lambda scale: [memory(int(MODULE_MAX * scale), sealed=True) for _ in range(REQUEST_FDS)], drop=True)),
    Load("runs with 8 inputs of 64 MiB", cancel_large_jobs, module=lambda: attacks.EMPTY),
    Load("runs that have 250 MiB of output", run_often, module=lambda: PRINTING),
    Load("20,000 sleeping processes, and runs", run_beside_processes, module=lambda: attacks.EMPTY),
    Load("850 names of no thread a second", run_often, module=lambda: NAMING),
    Load("runs on a disk of 500 ms a sync", run_often, module=lambda: attacks.EMPTY, sync_ms=500),
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""What one user does to a daemon within that user's own limits while another asks for its status.

An attack runs in a process of its own as ATTACKER. It says when it has begun, and goes on until it is killed.
"""

import os
import resource
import signal
import sqlite3
import sys
import time

from support import client as clients
from support.client import pb, varint
from support.flood import REQUESTS, flood

ATTACKER = 2001
ACCOMPLICE = 2004
BYSTANDER = 2003  # whose runs go on meanwhile
CLIENTS = 1000
DESCRIPTORS = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 262144)  # at most as the units have it
JOBS = min(2000, (DESCRIPTORS - 1024) // 52)  # of which each may have 26 files, twice
HISTORY_JOBS = 20_000
FLOOD_CLIENTS = 60
LIST_NAMES = 1000
FDS_A_MESSAGE = 32

EMPTY = "BENCH(empty) { bench_loop(b) bench_clobber(); }"
BRIEF = dict(processes=1, samples=2, min_time_ns=10_000, warmup_ns=1_000_000)

FORK_BOMB = """
#include <unistd.h>

BENCH(bomb)
{
        for (;;)
                fork();
        bench_loop(b)
                bench_clobber();
}
"""

SPINNING = """
static void __attribute__((constructor)) spin(void)
{
        for (;;)
                ;
}

BENCH(spinning)
{
        bench_loop(b)
                bench_clobber();
}
"""

# Words on the pipe by which a runner asks for windows (RUNNER_FD_ASK of daemon/ops/runner-plan.h).
ASK_FLOOD = """
#include <sched.h>
#include <unistd.h>

BENCH(flood)
{
        static const unsigned words[64] = { 'd' };

        for (;;)
                if (write(5, words, sizeof words) < 0)
                        sched_yield();
        bench_loop(b)
                bench_clobber();
}
"""


def names_module():
    """As many benchmarks as a listing holds, with names as long as they may be."""
    return "".join(f"BENCH({'a' * 50}{i:04d}, .area = \"{'b' * 40}\") {{ bench_loop(b) bench_clobber(); }}\n" for i in range(LIST_NAMES))


class Attack:
    """One row: its name, the daemon's configuration, what is done, and how."""

    def __init__(self, name, act, module=None, config="", ends_early=False, history=0):
        self.name, self.act, self.module, self.config = name, act, module, config
        self.ends_early = ends_early  # in the middle of the time that another asks
        self.history = history  # jobs that the daemon finds there


def connect(daemon, uid=ATTACKER, hello=True):
    return clients.Client(daemon.socket, uid=uid, hello=hello)


def wait():
    while True:
        signal.pause()


def nothing(daemon, module, begun):
    begun()
    wait()


def many_clients(daemon, module, begun):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CLIENTS, max(4 * CLIENTS, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    held = [connect(daemon) for _ in range(CLIENTS)]
    begun(f"{len(held)} connections")
    wait()


def half_frame(daemon, uid, numbers):
    """A connection that sends a frame in pieces with so many descriptors each, and no end of it."""
    client = connect(daemon, uid=uid)
    fd = os.memfd_create("half")
    data = varint(1000) + b"\x08\x02"
    for number, piece in zip(numbers, [data[:-1], data[-1:]]):
        client.send_bytes(piece, [fd] * number)
    os.close(fd)
    return client


def half_frames(daemon, module, begun):
    """All descriptors that the daemon can have: as many as a frame may have on each connection, then what little is left."""
    runner, held = connect(daemon, uid=BYSTANDER), []
    runner.detach(module, **BRIEF)
    begun()
    try:
        while len(held) < 63:
            held.append(half_frame(daemon, ATTACKER, [FDS_A_MESSAGE, FDS_A_MESSAGE]))
        for number in [FDS_A_MESSAGE, 16, 8, 4, 2, 1, 1, 1]:
            held.append(half_frame(daemon, ACCOMPLICE, [number]))
    except (OSError, clients.Closed, clients.Failed) as failed:
        begun(f"{len(held)} connections, then {failed}")
    while True:  # the end of a run takes descriptors of the front-end's
        try:
            runner.run(module, **BRIEF)
        except clients.Failed:
            runner.status()


def list_by_globs(daemon, module, begun):
    glob = "*[[:alnum:]]" * 20 + "z"
    client = connect(daemon)
    begun()
    while True:
        try:
            client.list(module, filters=[glob] * 64)
        except clients.Failed as failed:
            print(failed, file=sys.stderr)
            client.status()


def history_by_globs(daemon, module, begun):
    held = [connect(daemon) for _ in range(8)]
    begun()
    while True:
        for client in held:
            client.send(history=pb.HistoryRequest(module_glob="*[[:alnum:]]" * 10 + "z", limit=1000))
        for client in held:
            client.receive()


def runs(daemon, module, begun):
    """One run after another of a module that is killed after two seconds."""
    client = connect(daemon)
    request = client.submit(module, timeout_ns=2 * 10**9, processes=1)
    while not any(reply.HasField("accepted") for reply in [client.receive()]):
        pass
    begun()
    while True:
        try:
            client.collect(request)
        except clients.Failed as failed:
            print(failed, file=sys.stderr)
        request = client.submit(module, timeout_ns=2 * 10**9, processes=1)


def spinning_listings(daemon, module, begun):
    """As many jobs as a user may have, each of which is listed until it is killed."""
    client = connect(daemon)
    requests = [client.submit(module, **BRIEF) for _ in range(8)]
    begun()
    while True:
        for request in requests:
            try:
                client.collect(request)
            except clients.Failed as failed:
                print(failed, file=sys.stderr)
        requests = [client.submit(module, **BRIEF) for _ in range(8)]


def flood_of(name):
    def act(daemon, module, begun):
        held = [connect(daemon) for _ in range(FLOOD_CLIENTS)]
        begun()
        flood(held, REQUESTS[name])
    return act


def connects(daemon, module, begun):
    begun()
    n, start = 0, time.monotonic()
    while True:
        try:
            connect(daemon, hello=False).socket.close()
        except BlockingIOError:  # the daemon has yet to accept some
            os.sched_yield()
            continue
        n += 1
        if n % 1000 == 0:
            begun(f"{n / (time.monotonic() - start):,.0f} connections a second")


def jobs(daemon, module, begun):
    client, accepted = connect(daemon), 0
    begun()
    for asked in range(JOBS):
        try:
            client.detach(module, **BRIEF)
            accepted += 1
        except clients.Failed:
            pass
        begun(f"{accepted:,} of {asked + 1:,} jobs accepted")
    wait()


def fill_history(path, n):
    """Puts @n finished jobs of the attacker's into the database that a daemon made."""
    database = sqlite3.connect(path)
    with database:
        database.executemany("INSERT INTO job (run_id, uid, state, submitted, ended, module_name) VALUES (?, ?, 3, ?, ?, ?)",
                             ((f"{i:032x}", ATTACKER, i, i, "a" * 200) for i in range(n)))
    database.close()


LARGE = f"[connections]\nclients={CLIENTS + 200}\nclients_per_user={CLIENTS + 100}\n"
ATTACKS = [
    Attack("none", nothing),
    Attack("the first calibration", None),
    Attack(f"{CLIENTS} idle clients", many_clients, config=LARGE),
    Attack(f"{CLIENTS} clients vanish at once", many_clients, config=LARGE, ends_early=True),
    Attack("connects as fast as one process can", connects),
    Attack(f"status without end, {FLOOD_CLIENTS} connections", flood_of("status")),
    Attack(f"show without end, {FLOOD_CLIENTS} connections", flood_of("show")),
    Attack("half frames with descriptors", half_frames, module=lambda: EMPTY),
    Attack("list with 64 globs", list_by_globs, module=names_module),
    Attack("history by globs, 8 connections", history_by_globs, history=HISTORY_JOBS),
    Attack(f"{JOBS} jobs", jobs, module=lambda: EMPTY, config=f"[queue]\njobs={JOBS}\njobs_per_user={JOBS}\n"),
    Attack("8 modules that spin as they are loaded", spinning_listings, module=lambda: SPINNING),
    Attack("a flood of the ask pipe", runs, module=lambda: ASK_FLOOD),
    Attack("fork bomb", runs, module=lambda: FORK_BOMB),
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The sides of a comparison are two programs: what one sets for its process is not the other's, and the end of either is told as its own."""

import os
import signal

import pytest

import benchd_pb2 as pb
from support.client import FEW

TOUCHES = "lockstep side pairing"

FEWER = FEW | dict(samples=8)

# What a side does to its process in its set-up, and how either side sees it.
SETTINGS = {
    "environment": ("stdlib.h", 'setenv("SIDE", "new", 1)', 'getenv("SIDE") != NULL'),
    "locale": ("locale.h", 'setlocale(LC_ALL, "C.UTF-8")', 'setlocale(LC_ALL, NULL)[1] == \'.\''),
    "handler": ("signal.h", "signal(SIGUSR1, SIG_IGN)", "signal(SIGUSR1, SIG_DFL) == SIG_IGN"),
    "directory": ("unistd.h", 'mkdir("deeper", 0700), chdir("deeper")', "directory_is_deeper()"),
    "umask": ("sys/stat.h", "umask(0)", "umask(0) == 0"),
    "limit": ("sys/resource.h", "setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 200, 200 })", "limit_is_200()"),
    "rounding": ("fenv.h", "fesetround(FE_UPWARD)", "fegetround() == FE_UPWARD"),
    "malloc": ("malloc.h", "mallopt(M_MMAP_THRESHOLD, 4 << 20)", "!maps_blocks()"),
    "timer": ("sys/time.h", "setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 600, 0 } }, 0)", "timer_runs()"),
}

SIDE = r"""
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <HEADER>
static int directory_is_deeper(void) { char path[4096]; return getcwd(path, sizeof path) && strstr(path, "/deeper"); }
static int limit_is_200(void) { struct rlimit limit; return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 200; }
static int maps_blocks(void) { void *p = malloc(1 << 20); bench_use(p); return mallinfo2().hblks > 0; }
static int timer_runs(void) { struct itimerval timer; return getitimer(ITIMER_REAL, &timer) == 0 && timer.it_value.tv_sec > 0; }
BENCH(side, .area = "a") {
        if (SETS)
                (void)(SETTING);
        bench_counter(b, "seen", SEEN);
        bench_loop(b) bench_clobber();
}
"""


@pytest.mark.parametrize("what", SETTINGS)
def test_a_setting_of_one_side_is_not_the_other_s(client, modules, what):
    header, setting, seen = SETTINGS[what]
    text = SIDE.replace("HEADER", header).replace("SETTING", setting).replace("SEEN", seen)
    new, old = (modules(text, f"-DSETS={sets}", "-D_GNU_SOURCE", "-w", "-lm", name=f"{what}-{sets}") for sets in (1, 0))
    run = client.compare(new, old, **FEWER)
    rows = {row.side: row for row in run.benchmarks.values()}

    assert {side: {counter.name: counter.value for counter in row.counters} for side, row in rows.items()} == {"new": {"seen": 1}, "old": {"seen": 0}}


def test_one_module_against_itself_has_two_states(client, modules):
    module = modules("""
static int calls;
BENCH(one, .area = "a") { calls++; bench_counter(b, "calls", calls); bench_loop(b) bench_clobber(); }
BENCH(two, .area = "a") { calls++; bench_counter(b, "calls", calls); bench_loop(b) bench_clobber(); }
""", name="itself")
    run = client.compare(module, module, **FEWER)
    assert [[counter.value for counter in row.counters] for row in run.benchmarks.values()] == 4 * [[1]]


ADDRESSES = r"""
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
static int here;
BENCH(lies, .area = "a") {
        int local;
        void *block = malloc(64), *large = malloc(1 << 20);
        bench_counter(b, "code", (uintptr_t)&here % (1ull << 40) / 16);
        bench_counter(b, "libc", (uintptr_t)&getpid % (1ull << 40) / 16);
        bench_counter(b, "stack", (uintptr_t)&local % (1ull << 40) / 4);
        bench_counter(b, "heap", (uintptr_t)block % (1ull << 40) / 16);
        bench_counter(b, "large", (uintptr_t)large % (1ull << 40) / 16);
        bench_loop(b) bench_clobber();
}
"""


def test_both_sides_have_one_layout_which_is_another_in_each_pair(client, modules, tmp_path):
    """Modules of names of unlike lengths, of the same code."""
    new, old = modules(ADDRESSES, name="lies"), modules(ADDRESSES, name="lies-in-a-module-of-a-much-longer-name")
    runs = [client.compare(new, old, **dict(FEWER, processes=1, seed=seed)) for seed in (1, 2, 3)]
    aslr = next(control for control in runs[0].result.environment.controls if control.name == "aslr")
    if aslr.outcome not in (pb.Control.APPLIED, pb.Control.ALREADY):
        pytest.skip("this machine does not let addresses be fixed")
    seen = []
    for run in runs:
        sides = [{counter.name: counter.value for counter in row.counters} for row in run.benchmarks.values()]
        assert sides[0] == sides[1]
        seen.append(sides[0])
    for name in ("code", "libc", "stack", "heap", "large"):
        assert len({addresses[name] for addresses in seen}) > 1, name


# ---- ends

ENDS = r"""
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void set_up(struct bench *b) { if (WHERE == 1) END; }
static void tear_down(struct bench *b) { if (WHERE == 4) END; }
BENCH(ends, .area = "a", .setup = set_up, .teardown = tear_down) {
        if (WHERE == 2)
                END;
        long n = 0;
        bench_loop(b) { bench_clobber(); if (WHERE == 3 && ++n == 100) END; }
}
"""
WAYS = {
    "crash": ("*(volatile int *)8 = 1", "crashed", "signal 11"),
    "exit": ("exit(7)", "exited", "exit status 7"),
    "_exit": ("_exit(8)", "exited", "exit status 8"),
    "kill": ("raise(SIGKILL)", "killed", "killed from outside"),
    "fail": ('bench_fail(b, "no licence")', "failed", "no licence"),
}
PLACES = {1: "set-up", 2: "body", 3: "loop", 4: "tear-down"}


@pytest.mark.parametrize("side", ["new", "old"])
@pytest.mark.parametrize("where", PLACES, ids=list(PLACES.values()))
@pytest.mark.parametrize("way", WAYS)
def test_the_end_of_a_side_is_told_as_its_own(client, modules, way, where, side):
    end, code, words = WAYS[way]
    text = ENDS.replace("END", end)
    bad, good = modules(text, f"-DWHERE={where}", "-w", name=f"ends-{way}-{where}"), modules(text, "-DWHERE=0", "-w", name="ends-well")
    run = client.compare(*((bad, good) if side == "new" else (good, bad)), **dict(FEWER, processes=2))
    row, = run.benchmarks.values()

    assert row.failed.code == code and words in row.failed.message, row.failed.message
    assert f"(the {side} side)" in row.failed.message


@pytest.mark.parametrize("side", ["new", "old"])
def test_a_side_that_never_ends_is_killed_with_the_other(daemon, client, modules, side):
    text = "BENCH(hangs, .area = \"a\") { if (HANGS) for (;;) pause(); bench_loop(b) bench_clobber(); }"
    bad, good = (modules("#include <unistd.h>\n" + text, f"-DHANGS={hangs}", name=f"hangs-{hangs}") for hangs in (1, 0))
    run = client.compare(*((bad, good) if side == "new" else (good, bad)), **dict(FEWER, processes=1), timeout_ns=2 * 10**9)
    row, = run.benchmarks.values()

    assert row.failed.code == "timeout"
    assert daemon.find("benchd-runner") == []


@pytest.mark.parametrize("which", [0, 1])
def test_a_side_that_is_killed_from_outside_ends_both(daemon, client, modules, which):
    if os.geteuid() != 0:
        pytest.skip("needs root, to kill a process of another user")
    module = modules("#include <unistd.h>\nBENCH(waits, .area = \"a\") { pause(); bench_loop(b) bench_clobber(); }", name="waits")
    request_id = client.submit_compare(module, module, **dict(FEWER, processes=1))
    next(reply for reply in client.replies(request_id) if reply.progress.stage == pb.Progress.MEASURING)
    while len(pids := sorted(daemon.find("benchd-runner"))) < 2:
        pass
    os.kill(pids[which], signal.SIGKILL)
    row, = client.collect(request_id).benchmarks.values()
    assert row.failed.code == "killed" and daemon.find("benchd-runner") == []

# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way: a module in, statistics out, through the real daemon, launcher and runner."""

import concurrent.futures
import ctypes
import math
import os
import pathlib
import signal

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, PATIENT, Failed
from support.processes import PTRACE_SEIZE, TRACES_NONE, fork_mortal, may_trace_others

TOUCHES = "daemon/front/jobs/* plan effort daemon/front/report/result.* runners spawning process daemon/runner/main.* verb-run client/ctl/ask/follow.*"

HUGE_PAGES = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
TICKLESS = pathlib.Path("/sys/devices/system/cpu/nohz_full")

CHAINS = """
#define STEP10(s) s s s s s s s s s s
#define STEP1000(s) STEP10(STEP10(STEP10(s)))

BENCH(adds, .ops = 1000, .about = "1000 dependent adds")
{
        uint64_t x = 1;

        bench_loop(b)
                __asm__ volatile(STEP1000("add %0, %0\\n\\t") : "+r"(x));
        bench_use(x);
}

BENCH(multiplies, .ops = 1000, .about = "1000 dependent multiplies")
{
        uint64_t x = 3;

        bench_loop(b)
                __asm__ volatile(STEP1000("imul %0, %0\\n\\t") : "+r"(x));
        bench_use(x);
}
"""


def test_a_chain_has_a_time_with_an_interval_and_cycles_where_there_are_any(client, modules):
    """How many of them, tests/bench/accuracy holds against the manuals."""
    run = client.run(modules(CHAINS), seed=1)

    assert run.result.verdict in MEASURED
    for result in run.benchmarks.values():
        assert 0 < result.time_ns.low <= result.time_ns.point <= result.time_ns.high
        if result.cycles.source == pb.Quantity.UNAVAILABLE:
            assert not result.cycles.HasField("point")
        else:
            assert 0 < result.cycles.low <= result.cycles.point <= result.cycles.high
            assert result.core_hz > 0


WAITS = """
#include <time.h>

static double now_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* Several ticks of the kernel, of which the slowest has a hundred in a second. */
BENCH(waits, .iterations = 1)
{
        bench_loop(b)
                for (double end = now_ms() + 100; now_ms() < end;)
                        bench_clobber();
}
"""


def test_what_disturbed_the_samples_is_counted(client, modules):
    run = client.run(modules(WAITS), samples=3, processes=3, warmup_ns=0)
    (result,) = run.benchmarks.values()
    if "canary" not in run.result.environment.tsc.detectors:
        pytest.skip("what tells of interrupts does not work on this machine")
    if TICKLESS.exists() and TICKLESS.read_text().strip() not in ("", "(null)"):
        pytest.skip("CPUs of this machine may be without the tick (nohz_full)")

    assert result.samples >= 9 and result.disturbed.interrupted == result.time_ns.raw.samples == result.samples
    assert result.disturbed.fraction == 1


def test_every_process_of_the_plan_is_in_the_result(client, modules):
    run = client.run(modules(CHAINS), processes=4, samples=7, seed=5, **PATIENT)

    for result in run.benchmarks.values():
        assert len(result.processes) == 4
        # More where another hardware thread left too few of them alone, and no median where it left none.
        assert result.samples >= 28
        assert result.time_ns.raw.samples == result.samples
        medians = [process.median_ns for process in result.processes if process.HasField("median_ns")]
        assert min(medians) * (1 - 1e-12) <= result.time_ns.point <= max(medians) * (1 + 1e-12)
        assert math.log(result.time_ns.point) == pytest.approx(sum(map(math.log, medians)) / len(medians))
    assert run.result.plan.processes == 4
    assert run.result.plan.samples == 7
    assert run.result.seed == 5


def test_a_seed_reproduces_the_plan_and_another_does_not(client, modules):
    def layouts(seed):
        run = client.run(modules(CHAINS), seed=seed, quick=True)
        return [(p.stack_offset, p.environment_bytes) for r in run.benchmarks.values() for p in r.processes]

    first = layouts(7)
    assert first == layouts(7)
    assert first != layouts(8)
    assert all(offset % 16 == 0 and offset < 4096 for offset, _ in first)


def test_quick_is_named_in_the_result(client, modules):
    run = client.run(modules(CHAINS), quick=True)

    assert run.result.quick
    assert run.result.plan.processes == 4
    assert run.result.plan.samples == 40
    for result in run.benchmarks.values():
        assert len(result.processes) >= 4


def test_progress_names_each_process_and_ends_with_the_last(client, modules):
    run = client.run(modules(CHAINS), quick=True)
    measuring = [p for p in run.progress if p.stage == pb.Progress.MEASURING]

    assert {p.stage for p in run.progress} >= {pb.Progress.LOADING, pb.Progress.MEASURING}
    assert {p.benchmark_name.split("/")[-1] for p in measuring} == {"adds", "multiplies"}
    assert [p.process for p in measuring] == sorted(p.process for p in measuring)
    assert all(p.processes >= 8 and p.benchmarks == 2 for p in measuring)


def test_the_environment_says_what_was_set_and_what_was_not(client, modules):
    environment = client.run(modules(CHAINS), quick=True).result.environment

    assert environment.cpu.brand and environment.cpu.brand == environment.cpu.brand.strip()
    assert environment.kernel and environment.libc and environment.system
    assert environment.tsc.hz > 1e8
    assert environment.tsc.error_ppm >= 0 and math.isfinite(environment.tsc.error_ppm)
    assert environment.tsc.quantum_ticks >= 1
    assert len(environment.cpus) == 1
    controls = {control.name: control for control in environment.controls}
    assert {"scheduler", "affinity", "memory", "memory lock", "huge pages"} <= set(controls)
    policies = HUGE_PAGES.read_text() if HUGE_PAGES.exists() else "[never]"
    assert f"[{getattr(controls['huge pages'], 'is')}]" in policies
    fifo = controls["scheduler"].outcome == pb.Control.APPLIED
    assert environment.scheduler == (pb.Environment.FIFO if fifo else pb.Environment.OTHER)


SWEEP = """
#include <string.h>

BENCH(sweep, .args = BENCH_PRODUCT(BENCH_RANGE(n, 10, 1000, 10), BENCH_ARGS(m, 1, -2)))
{
        int64_t n = bench_arg(b, 0), m = bench_arg(b, 1);

        bench_items(b, n);
        bench_bytes(b, 8 * n);
        bench_counter(b, "seen", n * m);
        bench_loop(b)
                for (int64_t i = 0; i < n; i++)
                        bench_use(i * m);
}
"""


def test_a_sweep_is_the_product_of_its_arguments(client, modules):
    run = client.run(modules(SWEEP), quick=True)
    seen = {}

    for result in run.benchmarks.values():
        args = {arg.name: arg.value for arg in result.args}
        seen[args["n"], args["m"]] = result
        assert result.counters[0].name == "seen"
        assert result.counters[0].value == args["n"] * args["m"]
        assert result.throughput.items_per_second == pytest.approx(args["n"] * 1e9 / result.time_ns.point)
        assert result.throughput.bytes_per_second == pytest.approx(8 * args["n"] * 1e9 / result.time_ns.point)
    assert set(seen) == {(n, m) for n in (10, 100, 1000) for m in (1, -2)}


@pytest.mark.parametrize("filters, expected", [
    (["*/n=10/*"], {"n=10/m=1", "n=10/m=-2"}),
    (["*", "!*/m=1"], {"n=10/m=-2", "n=100/m=-2", "n=1000/m=-2"}),
    (["sweep"], {f"n={n}/m={m}" for n in (10, 100, 1000) for m in (1, -2)}),
])
def test_filters_are_globs_over_names_and_arguments(client, modules, filters, expected):
    run = client.run(modules(SWEEP), quick=True, filters=filters)

    assert {name.split("/", 2)[2] for name in run.benchmarks} == expected


def test_a_filter_that_matches_nothing_is_an_error(client, modules):
    with pytest.raises(Failed) as failed:
        client.run(modules(SWEEP), filters=["nonesuch"])
    assert failed.value.code == "NO_MATCH"
    assert "nonesuch" in failed.value.message


HIDDEN = """
BENCH(seen) { bench_loop(b) bench_clobber(); }
BENCH(unseen, .hidden = 1) { bench_loop(b) bench_clobber(); }
"""


def test_what_is_hidden_runs_only_when_its_name_is_written_out(client, modules):
    def names(**options):
        return {name.split("/")[1] for name in client.run(modules(HIDDEN), quick=True, **options).benchmarks}

    assert names() == {"seen"}
    assert names(filters=["*"]) == {"seen"}
    assert names(filters=["unseen"]) == {"unseen"}
    listing = client.list(modules(HIDDEN))
    assert {entry.name: entry.hidden for entry in listing.benchmarks} == {"seen": False, "unseen": True}


def test_the_environment_variables_of_a_request_reach_the_module(client, modules):
    module = modules("""
#include <stdlib.h>
BENCH(variable)
{
        bench_counter(b, "value", getenv("GIVEN") ? atof(getenv("GIVEN")) : -1);
        bench_loop(b)
                bench_clobber();
}
""")
    run = client.run(module, quick=True, environment=["GIVEN=17.5"])
    assert next(iter(run.benchmarks.values())).counters[0].value == 17.5


def test_options_of_the_module_count_and_those_of_the_request_win(client, modules):
    module = modules("BENCH(own, .samples = 5, .processes = 4, .iterations = 100) { bench_loop(b) bench_clobber(); }")

    own = next(iter(client.run(module, **PATIENT).benchmarks.values()))
    assert (len(own.processes), own.iterations_per_sample) == (4, 100)
    assert own.samples >= 20
    other = next(iter(client.run(module, samples=6, processes=3, iterations=50, **PATIENT).benchmarks.values()))
    assert (len(other.processes), other.iterations_per_sample) == (3, 50)
    assert other.samples >= 18


LOCKED = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static double kilobytes(const char *name)
{
        FILE *status = fopen("/proc/self/status", "re");
        double value = -1;
        char line[128];

        while (status && fgets(line, sizeof line, status))
                if (strncmp(line, name, strlen(name)) == 0)
                        sscanf(line + strlen(name), ": %lf", &value);
        if (status)
                fclose(status);
        return value;
}

static char own[1 << 20] __attribute__((aligned(4096)));

BENCH(locked)
{
        const size_t n_bytes = 256 << 20;
        char *mapped = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        struct rusage before, after;
        long faults = 0;
        int refused = 0;

        madvise(mapped, n_bytes, MADV_NOHUGEPAGE);
        bench_loop(b) {
                memset(mapped, 1, sizeof own);
                memset(own, 1, sizeof own);
                refused |= madvise(mapped, sizeof own, MADV_DONTNEED) | madvise(own, sizeof own, MADV_DONTNEED) |
                           msync(mapped, sizeof own, MS_SYNC | MS_INVALIDATE);
                getrusage(RUSAGE_SELF, &before);
                memset(mapped, 1, sizeof own);
                getrusage(RUSAGE_SELF, &after);
                faults = after.ru_minflt - before.ru_minflt;
        }
        bench_counter(b, "refused", refused != 0);
        bench_counter(b, "faults", faults);
        bench_counter(b, "pages", sizeof own >> 12);
        bench_counter(b, "locked_kB", kilobytes("VmLck"));
        bench_counter(b, "set_up_kB", n_bytes >> 10);
}
"""


def test_code_is_locked_and_a_body_gives_its_memory_back_as_in_any_program(client, modules):
    run = client.run(modules(LOCKED), quick=True)
    counters = {counter.name: counter.value for counter in next(iter(run.benchmarks.values())).counters}
    lock = next(control for control in run.result.environment.controls if control.name == "memory lock")
    if lock.outcome != pb.Control.APPLIED:
        pytest.skip("the limit of locked memory is below the size of the code")

    assert getattr(lock, "is") == "code locked after set-up"
    assert counters["refused"] == 0, "the kernel takes no locked page back"
    assert counters["faults"] >= counters["pages"], "each page is a new one when it is touched again"
    assert 0 < counters["locked_kB"] < counters["set_up_kB"], "the code is, and nothing that the set-up mapped"


@pytest.fixture
def spinner():
    """Starts processes that spin on one CPU, as busy as an ordinary program can be."""
    pids = []

    def start(cpu):
        pid = fork_mortal()
        if pid == 0:
            os.sched_setaffinity(0, {cpu})
            while True:
                pass
        pids.append(pid)

    yield start
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_no_other_program_runs_on_the_leased_cpu_within_a_window(client, modules, spinner):
    module = modules("BENCH(long, .iterations = 1) { bench_loop(b) for (volatile int i = 0; i < 5000000; i++) ; }")
    environment = client.run(module, samples=3, processes=1).result.environment
    if environment.scheduler != pb.Environment.FIFO:
        pytest.skip("SCHED_FIFO is not to be had here")

    spinner(environment.cpus[0])
    result = next(iter(client.run(module, samples=10, processes=3).benchmarks.values()))
    if not result.HasField("disturbed"):
        pytest.skip("no detector works on this machine")
    # Each sample is a few turns of the scheduler long, and shorter than a window, beyond which it would lose its priority. The
    # kernel's own work may clear the sequence now and then.
    assert result.disturbed.preempted < result.samples / 2


# ---- somebody who traces the process

# Waits in its set-up until it is traced, as proc(5) tells it.
AWAITS_A_TRACER = r"""
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* /proc of a cell knows no tracer outside of it: the runner has one of outside open. */
static int outer_status(void)
{
        char path[64], target[256];

        for (int fd = 3; fd < 256; fd++) {
                ssize_t n;

                snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
                n = readlink(path, target, sizeof target - 1);
                target[n < 0 ? 0 : n] = 0;
                if (strstr(target, "/status"))
                        return fd;
        }
        return -1;
}

static int traced(int status)
{
        char text[4096];
        ssize_t n = pread(status, text, sizeof text - 1, 0);
        const char *at;

        text[n < 0 ? 0 : n] = 0;
        at = strstr(text, "\nTracerPid:\t");
        return at && at[12] != '0';
}

BENCH(traced)
{
        const int status = outer_status();

        while (!traced(status))
                sched_yield();
        bench_loop(b)
                bench_clobber();
}
"""

PTRACE_CONT = 7
WAIT_FOR_ALL = 0x40000000


def test_a_tracer_is_told_and_its_absence_too(client, daemon, modules):
    untraced = client.run(modules(CHAINS), quick=True).benchmarks
    assert [row.debugger_attached for row in untraced.values()] == [False, False]
    if not may_trace_others():
        pytest.skip(TRACES_NONE)

    libc = ctypes.CDLL(None, use_errno=True)
    request_id = client.submit(modules(AWAITS_A_TRACER), processes=1, samples=3)
    seized = set()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.collect, request_id)
        while not answer.done():  # every runner: those that list and calibrate, those that measure, and what surrounds them
            seized |= {pid for pid in daemon.find("benchd-runner") if libc.ptrace(PTRACE_SEIZE, pid, 0, 0) == 0}
            for pid in set(seized):
                ended, status = os.waitpid(pid, WAIT_FOR_ALL | os.WNOHANG)
                if ended and os.WIFSTOPPED(status):
                    libc.ptrace(PTRACE_CONT, pid, 0, 0 if status >> 16 else os.WSTOPSIG(status))
                elif ended:
                    seized.remove(pid)
    result, = answer.result().benchmarks.values()
    assert result.debugger_attached
    assert any("tracer was attached" in text for text in result.warnings)

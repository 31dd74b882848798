# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock as status and results tell of it, its refinement, and the one that serves where the counter cannot be trusted."""

import math
import os
import re
import shutil
import subprocess
import time

import pytest

import benchd_pb2 as pb
from support import tree
from support.client import Failed
from support.daemon import Daemon
from support.paths import PRIVATE_HEADERS, SOURCE

TOUCHES = "common/clock/* calibrator clock-report calibrate*"

CHAINS = """
#define STEP10(s) s s s s s s s s s s
#define STEP1000(s) STEP10(STEP10(STEP10(s)))

BENCH(adds, .ops = 1000)
{
        uint64_t x = 1;

        bench_loop(b)
                __asm__ volatile(STEP1000("add %0, %0\\n\\t") : "+r"(x));
        bench_use(x);
}

BENCH(multiplies, .ops = 1000)
{
        uint64_t x = 3;

        bench_loop(b)
                __asm__ volatile(STEP1000("imul %0, %0\\n\\t") : "+r"(x));
        bench_use(x);
}
"""

# However busy the machine is, a wait takes no less than WAIT_NS, nor what is outside of the pauses more than it tells.
WAIT_NS = 10_000_000
WAITS = """
#include <time.h>

static uint64_t now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t wait(void)
{
        uint64_t began_ns = now_ns(), now;

        do
                now = now_ns();
        while (now - began_ns < 10000000);
        return now - began_ns;
}

BENCH(waits, .iterations = 1)
{
        bench_loop(b)
                wait();
}

BENCH(waits_paused, .iterations = 1)
{
        uint64_t began_ns = now_ns(), paused_ns = 0;

        bench_loop(b) {
                bench_pause(b);
                paused_ns += wait();
                bench_resume(b);
                bench_clobber();
        }
        bench_counter(b, "outside_ns", now_ns() - began_ns - paused_ns);
}
"""
WAITING = {"processes": 1, "samples": 50, "warmup_ns": 0}

NOT_TOLD_OF_THE_COUNTER = ["baseline_ns", "restarts", "warp_ticks", "warp_handovers", "ruler_cost_ticks", "ruler_check",
                           "ruler_turns"]


@pytest.fixture
def without_counter(build, tmp_path):
    """A daemon that takes the counter for one that cannot be trusted."""
    with Daemon(build, tmp_path, launch=["--no-tsc"]) as daemon:
        yield daemon


def test_a_status_waits_for_the_first_calibration(build, tmp_path):
    began = time.monotonic()
    with Daemon(build, tmp_path) as daemon:
        first = status(daemon)
        assert 0 < first.uptime_ns <= 1e9 * (time.monotonic() - began)
    assert first.environment.tsc.hz > 1e8 and first.environment.tsc.quantum_ticks >= 1


CANNOT_CALIBRATE = """
#include <unistd.h>
#include "ops/runner-plan.h"

int main(int argc, char **argv)
{
        RunnerPlan plan = {};

        if (pread(RUNNER_FD_PLAN, &plan, sizeof plan, 0) != sizeof plan || plan.mode == RUNNER_MODE_CALIBRATE)
                return 1;
        return become_runner(argv);
}
"""


@pytest.fixture
def without_calibration(build, state, tmp_path):
    """A daemon whose runners do all but calibrate."""
    with Daemon(tree.make(build, state.parent / "tree", CANNOT_CALIBRATE), tmp_path) as daemon:
        yield daemon


def test_a_run_ends_in_words_where_no_cpu_can_be_calibrated(without_calibration, modules):
    for cpus in [[], [max(os.sched_getaffinity(0))]]:
        with without_calibration.connect() as client, pytest.raises(Failed) as refused:
            client.run(modules(CHAINS), cpus=cpus)
        assert refused.value.code == "UNSUPPORTED"
        assert "could not be calibrated" in refused.value.message
    assert "could not be calibrated" in without_calibration.errors()


SIBLINGS = """
#include "runner/time/siblings.h"
#include "ops/runner-plan.h"

void __wrap_siblings_find(const RunnerPlan *plan, const ClockFacts *clock, uint32_t *ret_tested, uint32_t *ret_found);

void __wrap_siblings_find(const RunnerPlan *plan, const ClockFacts *clock, uint32_t *ret_tested, uint32_t *ret_found)
{
        *ret_tested = (1u << plan->n_suspects) - 1;
        *ret_found = plan->n_suspects > 0;
}
"""


@pytest.fixture
def with_hidden_siblings(build, state, tmp_path):
    """A daemon whose runners take the first CPU that they suspect for a sibling."""
    tree = state.parent / "tree"
    for folder, program in [("launch", "benchd-launch"), ("front", "benchd"), ("runner", "benchd-count.so"),
                            ("inspect", "benchd-inspect")]:
        (tree / "daemon" / folder).mkdir(parents=True)
        shutil.copy(build / "daemon" / folder / program, tree / "daemon" / folder)
    source = tmp_path / "siblings.c"
    source.write_text(SIBLINGS)
    archives = [build / path for path in ["daemon/runner/librunner.a", "daemon/runner/libown-calls.a", "daemon/ops/libops-plain.a",
                                          "common/clock/libclock-plain.a", "common/util/libutil-plain.a"]]
    subprocess.run(["gcc", "-D_GNU_SOURCE", *PRIVATE_HEADERS, f"-I{SOURCE}/include",
                    "-Wl,--wrap=siblings_find", source, SOURCE / "daemon/runner/main.c", *archives,
                    "-o", tree / "daemon/runner/benchd-runner"], check=True)
    with Daemon(tree, tmp_path) as daemon:
        yield daemon


def test_cpus_that_share_a_core_are_one_and_are_named(with_hidden_siblings, modules):
    cores = list(status(with_hidden_siblings).environment.hidden_cores)
    if not cores:
        pytest.skip("no two of 2 to 16 CPUs of which the topology says no sibling")
    with with_hidden_siblings.connect() as client:
        told = client.status()
        result = client.run(modules(CHAINS), quick=True).result
    for core in told.environment.hidden_cores:
        assert f"CPUs {core} share a core, though the topology does not say so" in told.warnings
        assert f"CPUs {core} share a core, though the topology does not say so" in result.warnings
    assert set(cores) <= set(result.environment.hidden_cores)


def test_who_leaves_while_its_status_waits_is_forgotten(build, tmp_path):
    with Daemon(build, tmp_path) as daemon:
        for _ in range(5):
            with daemon.connect() as client:
                client.send(status=pb.StatusRequest())
        assert status(daemon).environment.tsc.hz > 1e8


@pytest.fixture
def without_counter_too(build, tmp_path_factory):
    with Daemon(build, tmp_path_factory.mktemp("raw"), launch=["--no-tsc"]) as daemon:
        yield daemon


def measure(daemon, module, **options):
    with daemon.connect() as client:
        return client.run(module, **options)


def status(daemon):
    with daemon.connect() as client:
        return client.status()


def quantity(run, name):
    return next(result for full, result in run.benchmarks.items() if full.endswith("/" + name))


def calibrated(daemon, module):
    """The clock, after a run: which needed it."""
    return measure(daemon, module, quick=True).result.environment.tsc


def counter(daemon, module):
    tsc = calibrated(daemon, module)
    if tsc.clock != "tsc":
        pytest.skip(f"this machine has no counter to trust: {tsc.fallback_reason}")
    return tsc


def test_a_result_tells_all_that_is_known_of_the_clock(daemon, modules):
    tsc = counter(daemon, modules(CHAINS))

    assert tsc.invariant and not tsc.HasField("fallback_reason")
    assert tsc.error_ppm > 0 and math.isfinite(tsc.error_ppm)
    assert tsc.quantum_ticks >= 1
    assert tsc.pair_cost_ticks > 0 and tsc.batch_cost_ticks > 0
    assert tsc.HasField("pause_cost_ticks") and tsc.HasField("ruler_check") and tsc.HasField("restarts")
    assert set(tsc.detectors) <= {"canary", "rseq"}
    for source in tsc.sources:
        assert source.name in {"cpuid-0x15", "cpuid-0x16", "hypervisor", "kernel", "sysfs", "ntp"}
        assert source.disagreement_ppm == pytest.approx(1e6 * (tsc.hz - source.hz) / source.hz, abs=1e-3)


def test_the_warp_test_needs_two_cpus_and_then_takes_turns(daemon, modules):
    tsc = counter(daemon, modules(CHAINS))

    if len(os.sched_getaffinity(0)) == 1:
        assert not tsc.HasField("warp_ticks")
    elif tsc.HasField("warp_ticks"):
        assert tsc.warp_handovers >= 100
    else:
        pytest.skip("the other CPU was too busy to take turns")


def test_each_look_at_the_clock_makes_its_baseline_longer_or_leaves_it_or_begins_anew(daemon, modules):
    tsc = counter(daemon, modules(CHAINS))
    looks = [status(daemon).environment.tsc for _ in range(20)]

    for before, after in zip([tsc] + looks, looks):
        if after.restarts > before.restarts:  # the machine slept, or went to another host
            continue
        assert after.restarts == before.restarts and after.error_ppm <= before.error_ppm
        if after.error_ppm < before.error_ppm:
            assert after.baseline_ns > before.baseline_ns or before.baseline_ns == 0
        else:
            assert after.hz == before.hz


def test_without_the_counter_the_kernels_clock_serves_and_the_result_says_so(without_counter, modules):
    run = measure(without_counter, modules(CHAINS), seed=1)
    tsc = run.result.environment.tsc

    assert tsc.clock == "CLOCK_MONOTONIC_RAW"
    assert re.search("told not to use|gave up", tsc.fallback_reason)
    assert tsc.hz == 1e9 and tsc.error_ppm == 0
    assert tsc.quantum_ticks >= 1 and tsc.pair_cost_ticks > 0 and tsc.batch_cost_ticks > 0
    assert not [name for name in NOT_TOLD_OF_THE_COUNTER if tsc.HasField(name)]
    assert not tsc.sources
    assert [warning for warning in run.result.warnings if "CLOCK_MONOTONIC_RAW" in warning]
    assert [warning for warning in status(without_counter).warnings if "CLOCK_MONOTONIC_RAW" in warning]


def test_without_the_counter_cycles_are_not_guessed(without_counter, modules):
    run = measure(without_counter, modules(CHAINS), seed=2)

    for result in quantity(run, "adds"), quantity(run, "multiplies"):
        assert 0 < result.time_ns.raw.min <= result.time_ns.raw.median
        assert result.cycles.source == pb.Quantity.UNAVAILABLE
        assert not result.cycles.HasField("point") and not result.HasField("core_hz")


def test_a_time_is_what_the_samples_took_by_the_clock(simulated, modules):
    run = simulated.run(modules(tree.PASS + """
BENCH(one, .ops = 10)   { bench_loop(b) simulated_pass(1000); }
BENCH(three, .ops = 10) { bench_loop(b) simulated_pass(3000); }
"""), quick=True)

    for name, ns in ("one", 100), ("three", 300):
        raw = quantity(run, name).time_ns.raw
        assert raw.min == raw.max == quantity(run, name).processes[0].median_ns == pytest.approx(ns, rel=1e-9)


@pytest.mark.parametrize("launch", [[], ["--no-tsc"]], ids=["the counter", "without it"])
def test_what_waits_takes_as_long_as_it_waits_and_its_run_no_less(build, tmp_path, modules, launch):
    began = time.monotonic()
    with Daemon(build, tmp_path, launch=launch) as daemon:
        raw = quantity(measure(daemon, modules(WAITS), filters=["waits"], **WAITING), "waits").time_ns.raw

    assert 0.999 * WAIT_NS < raw.min
    assert raw.mean * raw.samples < 1e9 * (time.monotonic() - began)


@pytest.mark.parametrize("launch", [[], ["--no-tsc"]], ids=["the counter", "without it"])
def test_a_pause_is_left_out_of_the_time(build, tmp_path, modules, launch):
    with Daemon(build, tmp_path, launch=launch) as daemon:
        result = quantity(measure(daemon, modules(WAITS), filters=["waits_paused"], **WAITING), "waits_paused")
    (outside,) = result.counters

    assert result.time_ns.raw.mean * result.samples <= outside.value


def test_a_key_to_comparing_is_of_one_clock(daemon, without_counter_too, modules):
    counter(daemon, modules(CHAINS))
    one, other = (measure(each, modules(CHAINS), quick=True).result for each in (daemon, without_counter_too))

    assert one.comparability_key != other.comparability_key


# ---- any program

def self_timed(build, socket):
    return subprocess.run([build / "examples/self-timed", str(socket)], capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("launch, name", [([], "tsc|CLOCK_MONOTONIC_RAW"), (["--no-tsc"], "CLOCK_MONOTONIC_RAW")])
def test_a_program_times_its_own_code_with_the_daemons_clock(build, tmp_path, launch, name):
    with Daemon(build, tmp_path, launch=launch) as daemon:
        done = self_timed(build, daemon.socket)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(rf"([0-9]+) ns a sort, ± [\d.e+-]+ ns by the clock's step and [\d.e-]+ ppm by its rate "
                         rf"\((?:{name}), [\d.]+ GHz\)\n", done.stdout)
    assert found, done.stdout
    assert int(found[1]) > 0


def test_a_program_without_a_daemon_is_told(build, tmp_path):
    done = self_timed(build, tmp_path / "nobody")
    assert done.returncode == 1 and "nobody" in done.stderr

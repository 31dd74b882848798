# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock as status and results tell of it, its refinement, and the one that serves where the counter cannot be trusted."""

import os
import re
import shutil
import subprocess

import pytest

import benchd_pb2 as pb
from support.client import Failed
from support.daemon import Daemon
from support.paths import SOURCE

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

BENCH(pauses, .ops = 1000)
{
        uint64_t x = 1;

        bench_loop(b) {
                bench_pause(b);
                __asm__ volatile(STEP1000("imul %0, %0\\n\\t") : "+r"(x));
                bench_resume(b);
                __asm__ volatile(STEP1000("add %0, %0\\n\\t") : "+r"(x));
        }
        bench_use(x);
}
"""

NOT_TOLD_OF_THE_COUNTER = ["baseline_ns", "restarts", "warp_ticks", "warp_handovers", "ruler_cost_ticks", "ruler_check",
                           "ruler_turns"]


@pytest.fixture
def without_counter(build, tmp_path):
    """A daemon that takes the counter for one that cannot be trusted."""
    with Daemon(build, tmp_path, launch=["--no-tsc"]) as daemon:
        yield daemon


def test_a_status_waits_for_the_first_calibration(build, tmp_path):
    with Daemon(build, tmp_path) as daemon:
        first = status(daemon)
    assert first.uptime_ns < 60e9
    assert first.environment.tsc.hz > 1e8 and first.environment.tsc.quantum_ticks >= 1


CANNOT_CALIBRATE = """
#include <unistd.h>
#include "ops/plan.h"

int main(int argc, char **argv)
{
        RunnerPlan plan = {};

        if (pread(RUNNER_FD_PLAN, &plan, sizeof plan, 0) != sizeof plan || plan.mode == RUNNER_MODE_CALIBRATE)
                return 1;
        execv(RUNNER, argv);
        return 1;
}
"""


@pytest.fixture
def without_calibration(build, state, tmp_path):
    """A daemon whose runners do all but calibrate."""
    tree = state.parent / "tree"
    for folder, program in [("launch", "benchd-launch"), ("front", "benchd"), ("runner", "benchd-count.so")]:
        (tree / "daemon" / folder).mkdir(parents=True)
        shutil.copy(build / "daemon" / folder / program, tree / "daemon" / folder)
    source = tmp_path / "runner.c"
    source.write_text(CANNOT_CALIBRATE)
    subprocess.run(["gcc", "-D_GNU_SOURCE", f'-DRUNNER="{build}/daemon/runner/benchd-runner"', f"-I{SOURCE}/daemon",
                    f"-I{SOURCE}/common", source, "-o", tree / "daemon/runner/benchd-runner"], check=True)
    with Daemon(tree, tmp_path) as daemon:
        yield daemon


def test_a_run_ends_in_words_where_no_cpu_can_be_calibrated(without_calibration, modules):
    for cpus in [[], [os.cpu_count() - 1]]:
        with without_calibration.connect() as client, pytest.raises(Failed) as refused:
            client.run(modules(CHAINS), cpus=cpus)
        assert refused.value.code == "UNSUPPORTED"
        assert "could not be calibrated" in refused.value.message
    assert "could not be calibrated" in without_calibration.errors()


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
    assert 0 < tsc.error_ppm < 100
    assert tsc.quantum_ticks >= 1
    assert 0 < tsc.pair_cost_ticks < tsc.batch_cost_ticks
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


def test_each_look_at_the_clock_makes_its_baseline_longer_or_leaves_it(daemon, modules):
    tsc = counter(daemon, modules(CHAINS))
    looks = [status(daemon).environment.tsc for _ in range(20)]

    for before, after in zip([tsc] + looks, looks):
        assert after.error_ppm <= before.error_ppm
        assert after.hz == pytest.approx(before.hz, rel=1e-6)
        assert after.restarts == 0
        if after.error_ppm < before.error_ppm:
            assert after.baseline_ns > before.baseline_ns or before.baseline_ns == 0


def test_without_the_counter_the_kernels_clock_serves_and_the_result_says_so(without_counter, modules):
    run = measure(without_counter, modules(CHAINS), seed=1)
    tsc = run.result.environment.tsc

    assert tsc.clock == "CLOCK_MONOTONIC_RAW"
    assert "told not to use" in tsc.fallback_reason
    assert tsc.hz == 1e9 and tsc.error_ppm == 0
    assert tsc.quantum_ticks >= 1 and tsc.pair_cost_ticks > 0 and tsc.batch_cost_ticks > 0
    assert not [name for name in NOT_TOLD_OF_THE_COUNTER if tsc.HasField(name)]
    assert not tsc.sources
    assert [warning for warning in run.result.warnings if "CLOCK_MONOTONIC_RAW" in warning]
    assert [warning for warning in status(without_counter).warnings if "CLOCK_MONOTONIC_RAW" in warning]


def test_without_the_counter_ratios_are_right_and_cycles_are_not_guessed(without_counter, modules):
    run = measure(without_counter, modules(CHAINS), seed=2)
    add, multiply = quantity(run, "adds"), quantity(run, "multiplies")

    # The fast samples, and with room: a neighbour on the same physical core slows adds more than multiplies.
    assert multiply.time_ns.raw.p5 / add.time_ns.raw.p5 == pytest.approx(3.0, rel=0.08)
    for result in add, multiply:
        assert result.cycles.source == pb.Quantity.UNAVAILABLE
        assert not result.cycles.HasField("point") and not result.HasField("core_hz")


def test_both_clocks_tell_the_same_time(daemon, without_counter_too, modules):
    one, other = (quantity(measure(each, modules(CHAINS), seed=3), "multiplies").time_ns.raw.p5
                  for each in (daemon, without_counter_too))

    assert one == pytest.approx(other, rel=0.5), "the same code, on a machine whose frequency may change meanwhile"


def test_without_the_counter_a_pause_is_left_out(without_counter, modules):
    run = measure(without_counter, modules(CHAINS), seed=4)
    paused, plain = (quantity(run, name).time_ns.raw.p5 for name in ("pauses", "adds"))

    # Thrice the adds are paused; left in, it would be four times as much.
    assert paused < 2 * plain


def test_a_key_to_comparing_is_of_one_clock(daemon, without_counter_too, modules):
    counter(daemon, modules(CHAINS))
    one, other = (measure(each, modules(CHAINS), quick=True).result for each in (daemon, without_counter_too))

    assert one.comparability_key != other.comparability_key


# ---- any program

def self_timed(build, socket):
    return subprocess.run([build / "examples/self-timed", str(socket)], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("launch, name", [([], "tsc|CLOCK_MONOTONIC_RAW"), (["--no-tsc"], "CLOCK_MONOTONIC_RAW")])
def test_a_program_times_its_own_code_with_the_daemons_clock(build, tmp_path, launch, name):
    with Daemon(build, tmp_path, launch=launch) as daemon:
        done = self_timed(build, daemon.socket)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(rf"([0-9]+) ns a sort, ± [\d.e+-]+ ns by the clock's step and [\d.e-]+ ppm by its rate "
                         rf"\((?:{name}), [\d.]+ GHz\)\n", done.stdout)
    assert found, done.stdout
    assert int(found[1]) > 10000, "ten thousand numbers are not sorted in a nanosecond each"


def test_a_program_without_a_daemon_is_told(build, tmp_path):
    done = self_timed(build, tmp_path / "nobody")
    assert done.returncode == 1 and "nobody" in done.stderr

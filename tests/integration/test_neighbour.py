# SPDX-License-Identifier: GPL-3.0-or-later
"""The probes beside each batch, on this machine: who uses its core is nobody's promise, but what is told of that adds up."""

import pytest

import benchd_pb2 as pb
from support.client import MEASURED
from support.daemon import Daemon

TOUCHES = "probe siblings detect contamination"

CHAIN = """
#include <stdint.h>

BENCH(chain, .ops = 100)
{
        uint64_t x = 3;

        bench_loop(b)
                __asm__ volatile(".rept 100\\n\\timul %0, %0\\n\\t.endr" : "+r"(x));
        bench_use(x);
}
"""
WANTED = {"processes": 4, "samples": 60}


@pytest.fixture
def probed(build, tmp_path):
    with Daemon(build, tmp_path) as daemon, daemon.connect() as client:
        yield client


@pytest.fixture
def run(probed, modules):
    run = probed.run(modules(CHAIN), **WANTED)
    if not run.result.environment.tsc.HasField("port_probe_chains"):
        pytest.skip("no probe counts cycles on this core")
    return run


def test_the_probes_are_calibrated_and_told(probed, run):
    for tsc in probed.status().environment.tsc, run.result.environment.tsc:
        assert tsc.port_probe_chains in (4, 6, 8)
        assert 2000 <= tsc.branch_probe_cycles < 2500  # 2000 steps of one cycle
        assert 2000 <= tsc.port_probe_cycles < 2000 * tsc.port_probe_chains
    assert not [text for text in run.result.warnings if "no probes" in text]


def test_shared_samples_are_counted_and_left_out(run):
    result, = run.benchmarks.values()
    disturbed = result.disturbed

    assert run.result.verdict in MEASURED
    assert disturbed.probes == pb.Disturbed.ON
    assert disturbed.shared_share == pytest.approx(disturbed.shared / result.samples)
    assert 0 <= disturbed.quiet <= 1 - disturbed.shared_share + 1e-12
    assert result.time_ns.while_shared.samples == disturbed.shared
    assert result.time_ns.undisturbed.samples <= round(disturbed.quiet * result.samples)
    assert all(0 <= process.shared <= 1 and 0 <= process.quiet <= 1 for process in result.processes)


def test_there_are_as_many_samples_as_asked_for_and_more_only_beside_a_neighbour(run):
    result, = run.benchmarks.values()

    shortened = any(finding.kind == "shortened" for finding in result.findings)  # a busy machine may have no time for all of them
    assert shortened or result.samples >= WANTED["processes"] * WANTED["samples"]
    if result.disturbed.quiet == 1 and not shortened:
        assert result.samples == WANTED["processes"] * WANTED["samples"]


def test_a_run_that_was_never_alone_is_unfit_and_says_why(run):
    """Whichever it was: the rule is a bound on the share, and nothing else."""
    result, = run.benchmarks.values()
    said = any("the core was shared" in text for text in result.warnings)

    assert result.disturbed.unfit or result.disturbed.quiet >= 0.1
    if said:
        assert result.disturbed.unfit and result.disturbed.quiet < 0.9

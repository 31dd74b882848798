# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that were compiled with the header of an earlier day, stored as they were, and run by the daemon of today."""

import pathlib

import pytest

from support.client import PATIENT, TWICE, Failed

TOUCHES = "include/benchd/bench.h abi"

STORED = pathlib.Path(__file__).resolve().parent.parent / "bench-h" / "stored"
BRIEF = TWICE | dict(samples=4, seed=1)
SWEEP = [f"told/sweep/m={m}/n={n}" for m in (-3, 5) for n in (1, 4, 10)]


def counters(benchmark):
    return {counter.name: counter.value for counter in benchmark.counters}


@pytest.fixture(scope="module")
def told(build, tmp_path_factory):
    """The benchmarks of the stored module, run once."""
    from support.daemon import Daemon

    with Daemon(build, tmp_path_factory.mktemp("abi")) as daemon, daemon.connect() as client:
        return client.run(STORED / "abi-1.so", **BRIEF).benchmarks


def test_a_module_of_abi_1_lists_what_its_source_says(client, modules):
    listing = client.list(STORED / "abi-1.so")
    rows = {f"{row.area}/{row.name}": row for row in listing.benchmarks}

    assert list(rows) == ["told/sweep", "told/callbacks", "told/inputs", "told/pauses", "told/skips", "told/fails",
                          "told/throws", "told/breaks", "hushed/two", "hushed/older"]
    sweep = rows["told/sweep"]
    assert (sweep.title, sweep.about) == ("A sweep", "arguments, items and bytes")
    assert {arg.name: list(arg.values) for arg in sweep.args} == {"m": [-3, 5], "n": [1, 4, 10]}
    assert list(rows["hushed/two"].threads) == [1, 2]
    assert [name for name, row in rows.items() if row.hidden] == ["hushed/two", "hushed/older"]
    assert client.list(modules(STORED / "abi-1.c")) == listing


def test_its_arguments_counters_and_throughput_are_read(told):
    for name in SWEEP:
        m, n = (int(part.split("=")[1]) for part in name.split("/")[2:])
        assert counters(told[name]) == {"sum": m * 100 + n, "threads": 1}
        assert told[name].ops_per_iteration == 4
        rates = told[name].throughput
        assert rates.bytes_per_second == pytest.approx(8 * rates.items_per_second)


def test_its_options_and_callbacks_are_heeded(client):
    callbacks = client.run(STORED / "abi-1.so", filters=["told/callbacks"], seed=1, **PATIENT).benchmarks["told/callbacks"]

    assert counters(callbacks) == {"setups": 1, "resets": 1, "wrong": 0}
    assert callbacks.samples >= 2 * 5 and callbacks.iterations_per_sample == 3 and len(callbacks.processes) == 2


def test_its_inputs_pauses_and_repetitions_are_served(told):
    assert counters(told["told/inputs"]) == {"wrong": 0} and not told["told/inputs"].HasField("failed")
    assert told["told/pauses"].time_ns.raw.samples > 0 and told["told/pauses"].ops_per_iteration == 10


@pytest.mark.parametrize("name, code, words", [
    ("skips", "skipped", "as it wants, 7"), ("fails", "failed", "as it wants, 8"),
    ("throws", "exception", "what C++ throws"), ("breaks", "break", ""),
])
def test_how_its_bodies_end_is_told(told, name, code, words):
    assert told[f"told/{name}"].failed.code == code and words in told[f"told/{name}"].failed.message


def test_a_module_of_before_the_freeze_is_refused_in_words(client):
    for call in [client.list, lambda module: client.run(module, **BRIEF)]:
        with pytest.raises(Failed) as failed:
            call(STORED / "abi-0.so")
        assert failed.value.code == "BAD_MODULE"
        assert "it has ABI 0, this benchd has ABI 1" in failed.value.message


def test_it_is_compared_with_its_own_source_compiled_today(client, modules):
    run = client.compare(modules(STORED / "abi-1.c"), STORED / "abi-1.so", filters=["told/sweep/m=5/n=4"],
                         **{**BRIEF, "processes": 3})

    row, = run.result.comparisons
    assert 1 < row.processes <= 3 and row.HasField("verdict") and row.ratio.low <= row.ratio.point <= row.ratio.high

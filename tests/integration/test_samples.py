# SPDX-License-Identifier: GPL-3.0-or-later
"""Every sample in the result: columns of equal length that agree with the counts and the medians beside them."""

import json
import re

import pytest

import benchd_pb2 as pb
from support.benchctl import USAGE
from support.client import Failed

TOUCHES = "kept-samples raw* npz common/words/mark.*"

Mark = pb.Samples.Mark
BRIEF = {"processes": 3, "samples": 20, "warmup_ns": 10**6, "keep_samples": True, "budget_ns": 60 * 10**9}

SOURCE = """
#include <benchd/bench.h>

BENCH(spins)
{
        bench_loop(b) {
                int i = 100;
                bench_opaque(i);
                bench_use(i);
        }
}

BENCH(together, .threads = BENCH_THREADS(2))
{
        bench_loop(b) bench_clobber();
}
"""


@pytest.fixture(scope="module")
def built(modules):
    return modules(SOURCE)


def counted(result):
    """The samples of a benchmark with each mark, by the name that `disturbed` has for it."""
    marks = [mark for process in result.processes for mark in process.samples.marks]
    return {name: sum(bool(mark & Mark.Value(name.upper())) for mark in marks)
            for name in ("interrupted", "preempted", "migrated", "faulted", "frequency", "unattributed")}


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def check_columns(result):
    for process in result.processes:
        samples = process.samples
        assert len(samples.at_ns) == len(samples.time_ns) == len(samples.marks) > 0
        assert len(samples.thread) in (0, len(samples.at_ns))
        first = [at for at, thread in zip(samples.at_ns, samples.thread or [0] * len(samples.at_ns)) if thread == 0]
        assert first == sorted(first)
    assert sum(len(process.samples.at_ns) for process in result.processes) == result.samples


def test_every_sample_of_every_process_comes_where_it_is_asked_for(client, built):
    run = client.run(built, filters=["*/spins"], **BRIEF)
    result = list(run.benchmarks.values())[0]

    check_columns(result)
    assert result.samples >= 60 and all(len(process.samples.thread) == 0 for process in result.processes)
    assert all(process.samples.at_ns[0] == 0 for process in result.processes)
    assert counted(result) == {name: getattr(result.disturbed, name) for name in counted(result)}
    times = [time for process in result.processes for time in process.samples.time_ns]
    assert min(times) == pytest.approx(result.time_ns.raw.min) and max(times) == pytest.approx(result.time_ns.raw.max)
    assert median(times) == pytest.approx(result.time_ns.raw.median)

    shown = list(client.show(run.accepted.run_id).benchmarks.values())[0]
    assert shown == result, "the history has what the run sent"


def test_nobody_else_is_sent_any(client, built):
    result = list(client.run(built, filters=["*/spins"], **{**BRIEF, "keep_samples": False}).benchmarks.values())[0]

    assert not any(process.HasField("samples") for process in result.processes)


def test_threads_and_the_sides_of_a_comparison_have_their_own(client, built):
    both = client.compare(built, built, **BRIEF, filters=["*/spins"]).benchmarks.values()
    assert {result.side for result in both} == {"new", "old"}
    for result in both:
        check_columns(result)
    assert all(min(new.samples.at_ns[0], old.samples.at_ns[0]) == 0 < max(new.samples.at_ns[0], old.samples.at_ns[0])
               for new, old in zip(*(result.processes for result in both)))

    together = list(client.run(built, filters=["*/together"], **BRIEF).benchmarks.values())[0]
    if together.failed.code == "skipped":
        pytest.skip("this machine lends no two CPUs at once")
    check_columns(together)
    assert {thread for process in together.processes for thread in process.samples.thread} == {0, 1}


def test_more_than_a_reply_holds_is_refused_in_words(client, built):
    with pytest.raises(Failed) as refused:
        client.run(built, **{**BRIEF, "processes": 1000, "samples": 100})
    assert refused.value.code == "BAD_REQUEST"
    assert "more than 45056 samples to keep" in refused.value.message and "Lower --samples" in refused.value.hint


# ---- benchctl

def test_benchctl_writes_them_as_json(benchctl, built):
    def samples(*options):
        run = benchctl("run", "--format=json", "--quick", *options, built, "--", "*/spins")
        return [process["samples"] for process in json.loads(run.stdout)["benchmarks"][0]["processes"]]

    assert len(samples()) >= 4 and not any(samples())
    for process in samples("--keep-samples"):
        assert list(process) == ["at_ns", "time_ns", "marks", "thread", "counters"] and (process["thread"], process["counters"]) == ([], {})
        assert len(process["at_ns"]) == len(process["time_ns"]) == len(process["marks"]) >= 40


def flat(result, column, side="new"):
    """A column of all processes of one side of a result's JSON, in order."""
    return [value for benchmark in result["benchmarks"] if (benchmark["side"] or "new") == side
            for process in benchmark["processes"] for value in process["samples"][column]]


def test_numpy_reads_the_samples_of_a_run_and_they_are_those_of_its_json(benchctl, built, tmp_path):
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "raw.npz"

    run = benchctl("run", "--quick", "--format=json", f"--raw={path}", built)
    result, raw = json.loads(run.stdout), numpy.load(path, allow_pickle=False)
    for column in "at_ns", "time_ns", "marks":
        assert raw[column].tolist() == flat(result, column), column
    assert len({raw[column].shape for column in ("benchmark", "process", "side", "thread", "iterations", "at_ns")}) == 1
    counts = [benchmark["samples"] or 0 for benchmark in result["benchmarks"]]
    assert numpy.bincount(raw["benchmark"], minlength=len(counts)).tolist() == counts
    assert raw["names"][0].endswith("/spins") and raw["names"][1].endswith("/together threads=2")
    assert not raw["side"].any() and set(raw["process"]) >= {0, 1, 2, 3} and "old_names" not in raw
    assert raw["iterations"][0] == result["benchmarks"][0]["processes"][0]["iterations"]
    assert str(raw["run_id"]) == result["run_id"] and str(raw["format"]) == "benchd-samples 1"
    assert json.loads(str(raw["environment"])) == result["environment"]
    assert dict(zip(raw["mark_names"].tolist(), raw["mark_bits"].tolist()))["beside-shared"] == Mark.BESIDE_SHARED

    path.unlink()
    benchctl("show", result["run_id"], f"--raw={path}")
    again = numpy.load(path, allow_pickle=False)
    assert all((again[column] == raw[column]).all() for column in raw.files), "the history has all of it"


def test_the_sides_of_a_comparison_are_told_apart(benchctl, built, tmp_path):
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "raw.npz"

    run = benchctl("compare", "--quick", "--format=json", f"--raw={path}", built, built, "--", "*/spins")
    result, raw = json.loads(run.stdout), numpy.load(path, allow_pickle=False)
    for side, word in enumerate(("new", "old")):
        assert raw["time_ns"][raw["side"] == side].tolist() == flat(result, "time_ns", word)
    assert raw["names"].tolist() == raw["old_names"].tolist() and len(raw["names"]) == 1 and not raw["benchmark"].any()


def test_a_run_that_kept_none_has_none_to_write(benchctl, built, tmp_path):
    path = tmp_path / "raw.npz"
    kept = tmp_path / "kept.npz"
    kept.write_bytes(b"earlier")

    job = json.loads(benchctl("run", "--quick", "--format=json", built, "--", "*/spins").stdout)["run_id"]
    shown = benchctl("show", job, f"--raw={path}", expect=USAGE)
    assert "kept no samples" in shown.stderr and "--keep-samples" in shown.stderr
    assert shown.stdout, "the table is shown all the same"
    assert not path.exists()
    benchctl("show", job, f"--raw={kept}", expect=USAGE)
    assert kept.read_bytes() == b"earlier"
    assert "--keep-samples" in benchctl("run", "--detach", f"--raw={path}", built, expect=USAGE).stderr
    nowhere = benchctl("run", "--quick", f"--raw={tmp_path}/no/raw.npz", built, expect=USAGE)
    assert "Cannot write" in nowhere.stderr and not nowhere.stdout, "before anything is measured"


# ---- pictures

def test_a_run_is_drawn_below_its_table_and_so_is_an_earlier_one(benchctl, built):
    run = benchctl("run", "--quick", "--plot", built, "--", "*/spins")
    table, picture = run.stdout.rsplit("/spins ", 1)
    assert " Job " in table
    for word in "(quiet|disturbed)", "medians", "95 % interval", "process":
        assert re.search(f"\n  {word}", picture), word
    assert "\033" not in run.stdout and max(map(len, run.stdout.splitlines())) <= 100

    job = run.stdout.split("Job ")[1][:8]
    shown = benchctl("show", job, "--plot")
    assert shown.stdout == run.stdout
    ascii_only = benchctl("show", job, "--plot", LC_ALL="C")
    assert ascii_only.stdout.isascii() and len(ascii_only.stdout.splitlines()) == len(run.stdout.splitlines())


def test_what_was_not_kept_is_told_below_the_picture(benchctl, built):
    job = json.loads(benchctl("run", "--quick", "--format=json", built, "--", "*/spins").stdout)["run_id"]

    shown = benchctl("show", job, "--plot").stdout
    assert "\n  medians" in shown and "kept no samples" in shown and "\n  process" not in shown


def test_a_comparison_is_drawn_as_its_ratios_and_both_sides(benchctl, built):
    drawn = benchctl("compare", "--quick", "--plot", built, built, "--", "*/spins").stdout

    assert "\nnew / old " in drawn and "spins (new) " in drawn and "spins (old) " in drawn
    assert drawn.count("\n  medians") == 2

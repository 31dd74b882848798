# SPDX-License-Identifier: GPL-3.0-or-later
"""--save-baseline and --baseline: written when all went well, compared with by later runs of the same conditions, refused for others."""

import copy
import json

import pytest

from support import schemas
from support.benchctl import BENCHMARK, BRIEF, DONE, MACHINE, USAGE, Benchctl

TOUCHES = "client/ctl/ask/baseline* client/ctl/model/baseline* fail-on"


SLOWER, UNRESOLVED = 1, 7
# unprepared: another daemon that holds the machine's settings meanwhile changes no condition of it
FOUR = ["--prepare=none", "--processes=4", *BRIEF[1:]]
MODULE = """
BENCH(one, .area = "a", .args = BENCH_ARGS(n, 1, 2)) { bench_loop(b) bench_clobber(); }
BENCH(two, .area = "a") { bench_loop(b) bench_clobber(); }
"""
FAILS = MODULE + 'BENCH(three, .area = "a") { bench_fail(b, "it does not work"); }\n'


@pytest.fixture
def benchctl(build, tmp_path):
    return Benchctl(build, "--private", cwd=tmp_path, XDG_STATE_HOME=tmp_path / "state")


@pytest.fixture
def job(benchctl, modules, tmp_path):
    """A kept run, saved as base.json too."""
    benchctl("run", *FOUR, modules(MODULE), "--save-baseline=base.json")
    return json.loads((tmp_path / "base.json").read_text())["run_id"]


def times_as(result, factor):
    """The result with processes that agree within 1 %, as factor has their times."""
    scaled = copy.deepcopy(result)
    for row in scaled["benchmarks"]:
        point = row["time_ns"]["point"]
        row["measurand"] = "alone"
        for process in row["processes"]:
            process["median_ns"] = factor * point
        for key, within in ("point", 1), ("low", 0.99), ("high", 1.01):
            row["time_ns"][key] = factor * within * point
    return scaled


@pytest.fixture
def against(benchctl, job, tmp_path):
    """The kept run, made steady, is shown against itself times a factor."""
    kept = tmp_path / "state/benchd/results"
    (path,) = [path for path in tmp_path.glob("state/**/*.json")] or [kept]
    result = times_as(json.loads(path.read_text()), 1)
    path.write_text(json.dumps(result))

    def show(factor, *words, expect=DONE, change=lambda result: None):
        baseline = times_as(result, factor)
        change(baseline)
        (tmp_path / "b.json").write_text(json.dumps(baseline))
        return benchctl("show", job, "--baseline=b.json", *words, expect=expect)
    return show


def test_a_baseline_is_saved_and_compared_with(benchctl, job, modules):
    done = benchctl("run", *FOUR, modules(MODULE), "--baseline=base.json", "--format=json", "--margin=90")
    result = json.loads(done.stdout)
    assert [row["name"] for row in result["comparisons"]] == ["one", "one", "two"]
    assert result["baseline"]["run_id"] == job and result["run_id"] != job
    assert {row["margin"] for row in result["comparisons"]} == {0.9}
    schemas.validator("run-result").validate({name: value for name, value in result.items() if name != "baseline"})
    for row in result["comparisons"]:
        unlike = [finding["kind"] for finding in row["findings"]] == ["unlike-times"]  # as it comes on a shared machine
        assert unlike or row["ratio"]["low"] < row["ratio"]["point"] < row["ratio"]["high"], row
    table = benchctl("run", *FOUR, modules(MODULE), "--baseline=base.json", "--", "two").stdout
    assert "# old: the baseline, job " + job[:8] in table and "; not measured in turns" in table and "new / old" in table
    assert "only in the old module: a/one/n=1" in table


@pytest.mark.parametrize("factor, verdict, status", [(0.8, "slower", SLOWER), (1, "same", DONE), (1.25, "faster", DONE),
                                                     (1 / 1.1, "unresolved", DONE)])
def test_a_gate_is_on_what_lies_beyond_the_margin(against, factor, verdict, status):
    """The margin is 10 %; what lies on its edge is nothing that a gate may fail on."""
    done = against(factor, "--fail-on=slower", "--format=json", expect=status)
    assert {row["verdict"] for row in json.loads(done.stdout)["comparisons"]} == {verdict}
    if verdict == "unresolved":
        against(factor, "--fail-on=unresolved", expect=UNRESOLVED)
    if verdict == "slower":
        assert "slower" in against(factor, "--format=markdown").stdout
        against(factor, "--margin=50", "--fail-on=slower")


def test_a_time_beside_a_neighbour_is_not_held_against_one_alone(against):
    def shared(result):
        for row in result["benchmarks"]:
            row["measurand"] = "alone" if row["name"] == "two" else "shared"

    done = against(0.5, "--fail-on=slower,unresolved", "--format=json", change=shared, expect=SLOWER)
    rows = {(row["name"], row["verdict"]) for row in json.loads(done.stdout)["comparisons"]}
    assert rows == {("one", None), ("two", "slower")}
    assert "--fail-on did not judge 2 rows, which cannot be compared with the baseline." in done.stderr
    table = against(0.5, change=shared).stdout
    assert "not comparable: the baseline's time is beside a neighbour" in " ".join(table.split())


def test_times_beside_a_neighbour_are_saved_with_a_word(benchctl, job, against, tmp_path):
    (path,) = tmp_path.glob("state/**/*.json")
    result = json.loads(path.read_text())
    for row in result["benchmarks"]:
        row["measurand"] = "shared" if row["name"] == "two" else "alone"
        row["disturbed"]["unfit"] = False
    path.write_text(json.dumps(result))
    done = benchctl("show", job, "--save-baseline=kept.json")
    assert "kept.json has times that are not reliable, or beside a busy neighbour: a/two." in done.stderr
    saved = json.loads((tmp_path / "kept.json").read_text())
    assert [row["measurand"] for row in saved["benchmarks"] if row["name"] == "two"] == ["shared"]


def test_other_conditions_are_refused_by_what_differs(against):
    def elsewhere(result):
        result["comparability_key"] = "0" * 16
        result["environment"]["cpu"]["brand"] = "Another CPU"
        result["environment"]["controls"] = []
    done = against(1, "--fail-on=slower", expect=MACHINE, change=elsewhere)
    assert "b.json was measured under other conditions:" in done.stderr
    assert "the CPU was Another CPU and is " in done.stderr and "the control " in done.stderr
    assert "--save-baseline=b.json" in done.stderr and "benchctl compare" in done.stderr
    assert "new / old" not in done.stdout and "one n=1" in done.stdout, "the result itself is shown"

    def of_a_processor_with_the_same_brand(result):
        result["comparability_key"] = result["environment"]["machine"]["class"] = "0" * 16
        result["environment"]["cpu"]["family"] += 1
        result["environment"]["processors"] += 1
    told = against(1, expect=MACHINE, change=of_a_processor_with_the_same_brand).stderr
    assert "the CPU's model was family " in told and "the number of processors was " in told and "the memory" not in told

    def of_another_size(result):
        result["comparability_key"] = result["environment"]["machine"]["class"] = "0" * 16
        result["environment"]["memory_bytes"] *= 2
    assert "the memory was " in against(1, expect=MACHINE, change=of_another_size).stderr

    def of_another_version(result):
        result["comparability_key"] = "0" * 16
        del result["environment"]["machine"]
    assert "another version of benchd" in against(1, expect=MACHINE, change=of_another_version).stderr


def test_a_saved_result_is_compared_with_a_baseline_as_a_kept_one_is(benchctl, job):
    shown = benchctl("show", "base.json", "--baseline=base.json", "--save-baseline=again.json").stdout

    assert "new / old" in shown and shown == benchctl("show", job, "--baseline=base.json").stdout
    assert benchctl("show", "again.json").stdout == benchctl("show", "base.json").stdout


def test_rows_without_a_partner_are_told(against):
    def fewer(result):
        result["benchmarks"] = result["benchmarks"][:1]
        result["benchmarks"][0]["processes"] = result["benchmarks"][0]["processes"][:2]
    done = against(1, "--fail-on=slower", change=fewer)
    assert "only in the new module: a/one/n=2, a/two" in done.stdout and "too few processes" in done.stdout

    def none(result):
        result["benchmarks"] = []
    assert "has none of these benchmarks" in against(1, expect=USAGE, change=none).stderr


def test_a_failure_leaves_the_baseline_as_it_was(benchctl, job, modules, tmp_path):
    before = (tmp_path / "base.json").read_bytes()
    benchctl("run", *FOUR, modules(FAILS), "--baseline=base.json", "--save-baseline=base.json", expect=BENCHMARK)
    benchctl("run", *FOUR, modules(MODULE), "--fail-on=time>0.001ps", "--save-baseline=base.json", expect=8)
    assert (tmp_path / "base.json").read_bytes() == before
    benchctl("run", *FOUR, modules(MODULE), "--baseline=base.json", "--save-baseline=base.json")
    saved = json.loads((tmp_path / "base.json").read_text())
    assert saved["run_id"] != job and saved["comparisons"] == [], "the run is saved, not its comparison"
    assert sorted(path.name for path in tmp_path.glob("base*")) == ["base.json"]


def test_a_baseline_has_no_samples(benchctl, job, modules, tmp_path):
    kept = json.loads((tmp_path / "base.json").read_text())
    benchctl("run", *FOUR, modules(MODULE), "--raw=x.npz", "--save-baseline=base.json")
    saved = json.loads((tmp_path / "base.json").read_text())
    first = [result["benchmarks"][0]["processes"][0]["samples"] for result in (kept, saved)]
    assert first[0] == first[1] and (tmp_path / "x.npz").stat().st_size > 0


def test_several_modules_have_one_baseline(benchctl, modules, tmp_path):
    p, q = modules(MODULE, name="p"), modules(MODULE, name="q")
    benchctl("run", *FOUR, p, q, "--save-baseline=base.json")
    assert len(json.loads((tmp_path / "base.json").read_text())) == 2
    found = json.loads(benchctl("run", *FOUR, q, p, "--baseline=base.json", "--brief").stdout)
    assert [len(result["comparisons"]) for result in found] == [3, 3]
    assert "has no result of this module" in benchctl("run", *FOUR, modules(MODULE, name="r"), "--baseline=base.json", expect=USAGE).stderr


@pytest.mark.parametrize("words, said", [
    (["--baseline=nosuch.json"], "Cannot read the baseline nosuch.json: No such file or directory"),
    (["--baseline=text.json"], "The baseline text.json is not JSON"),
    (["--baseline=other.json"], "The baseline other.json does not hold the result of a run"),
    (["--margin=5"], "give --baseline=FILE too"),
    (["--fail-on=slower"], "not 'slower' without --baseline"),
    (["--save-baseline=nosuch/x.json"], "Cannot write the baseline nosuch/x.json: No such file or directory"),
    (["--save-baseline=/dev/null"], "Cannot write the baseline /dev/null: it is not a regular file"),
])
def test_a_baseline_that_cannot_be_is_refused(benchctl, modules, tmp_path, words, said):
    (tmp_path / "text.json").write_text("words")
    (tmp_path / "other.json").write_text("{}")
    done = benchctl("run", *FOUR, modules(MODULE), *words, "--", "two", expect=USAGE)
    assert said in done.stderr
    assert done.stdout == "", "nothing is measured in vain"

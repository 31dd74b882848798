# SPDX-License-Identifier: GPL-3.0-or-later
"""show A B: two results side by side, from files and from jobs, with a ratio and no verdict."""

import json
import re

import pytest

from support.benchctl import BRIEF, USAGE

TOUCHES = "client/ctl/model/side-by-side.* report-side-by-side show-two"

MODULE = """
BENCH(one, .area = "a", .args = BENCH_ARGS(n, 1, 2)) { bench_loop(b) bench_clobber(); }
BENCH(two, .area = "a") { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture
def typed(typed, daemon):
    typed.options["BENCHD_SOCKET"] = daemon.socket
    return typed


@pytest.fixture
def saved(typed, modules, tmp_path):
    """Two files: all rows as they were measured, and others of another machine, twice as slow, without one."""
    typed("run", "--private", *BRIEF, modules(MODULE), "-o", "here.json")
    result = json.loads((tmp_path / "here.json").read_text())
    result["run_id"], result["comparability_key"] = "0" * 32, "another"
    result["environment"]["kernel"] = "Linux 2.4"
    result["benchmarks"] = [row for row in result["benchmarks"] if row["name"] == "one"]
    for row in result["benchmarks"]:
        for key in "point", "low", "high":
            if row["time_ns"][key] is not None:  # three processes, of which a neighbour may have spoilt some, may have no interval
                row["time_ns"][key] *= 2
    (tmp_path / "there.json").write_text(json.dumps(result))
    return "here.json", "there.json"


def test_times_stand_beside_each_other_with_their_ratio(typed, saved):
    lines = typed("show", *saved).stdout.splitlines()

    assert [line[:4] for line in lines if line.startswith("# A: ") or line.startswith("# B: ")] == ["# A:", "# B:"]
    rows = [line for line in lines if re.match(r"  one n=[12] ", line)]
    assert len(rows) == 2 and all(re.search(r" 2\.0+$", row) for row in rows), lines
    assert "- only in A: a/two" in lines and "- other conditions: the ratios are not of the code alone" in lines
    assert any(re.search(r"^- the kernel is Linux \S+.* in A and Linux 2\.4 in B$", line) for line in lines), lines
    assert lines[-1].startswith("No verdict")


def test_json_has_both_times_and_what_only_one_side_has(typed, saved, tmp_path):
    found = json.loads(typed("show", *saved, "--format=json").stdout)

    assert not found["comparable"] and found["only"] == [["a/two"], []]
    assert [clause.startswith("the kernel is Linux ") for clause in found["differences"]] == [True]
    assert [(row["name"], row["args"]["n"], row["ratio"]) for row in found["benchmarks"]] == [("one", 1, 2.0), ("one", 2, 2.0)]
    measured = json.loads((tmp_path / "here.json").read_text())["benchmarks"][0]["time_ns"]["point"]
    assert found["benchmarks"][0]["time_ns"][0]["point"] == pytest.approx(measured)


def test_a_job_is_one_side_as_well_as_a_file(typed, saved, modules):
    private = json.loads(typed("run", "--private", *BRIEF, modules(MODULE), "--format=json").stdout)["run_id"]
    of_daemon = json.loads(typed("run", *BRIEF, modules(MODULE), "--format=json").stdout)["run_id"]

    found = json.loads(typed("show", private[:8], "there.json", "--format=json").stdout)
    assert [result["run_id"] for result in found["results"]] == [private, "0" * 32]
    found = json.loads(typed("show", of_daemon, private[:8], "--format=json").stdout)
    assert found["comparable"] in (True, False) and len(found["benchmarks"]) == 3


def test_no_line_is_wider_than_the_terminal(on_a_terminal, saved):
    seen = on_a_terminal(44, "show", "--no-color", *saved)
    lines = [line for line in seen if line[:1] != "#"]  # the head has the module's whole path
    assert "- other conditions: " in "\n".join(seen) and max(map(len, lines)) <= 44, seen


@pytest.mark.parametrize("words, code, said", [
    (["here.json", "here.json"], USAGE, "are the same run"),
    (["here.json", "nosuch.json"], USAGE, "Cannot read nosuch.json"),
    (["here.json", "text.txt"], USAGE, "text.txt is not JSON"),
    (["here.json", "other.json"], USAGE, "other.json does not hold the result of one run"),
    (["here.json", "compared.json"], USAGE, "compared.json is a comparison"),
    (["here.json", "empty.json"], USAGE, "no benchmark in common"),
    (["here.json", "xyz"], USAGE, "'xyz' is neither a file nor a job id"),
    (["--private", "here.json", "beef"], USAGE, "No private run has an id that begins with beef"),
    (["here.json", "there.json", "here.json"], USAGE, "'show' takes one job"),
    (["--format=mark", "here.json", "there.json"], USAGE, "a view of two results has no format 'mark'; its formats are table, details, json"),
    (["--fail-on=unfit", "here.json", "there.json"], USAGE, "--fail-on is for one result, not for two side by side"),
    (["--scale=one", "here.json", "there.json"], USAGE, "--scale is for one result, not for two side by side"),
])
def test_what_is_no_pair_of_results_is_refused(typed, saved, tmp_path, words, code, said):
    (tmp_path / "text.txt").write_text("words")
    (tmp_path / "other.json").write_text("[1, 2]")
    (tmp_path / "compared.json").write_text('{"benchmarks": [], "verdict": "fit", "comparisons": [{}]}')
    (tmp_path / "empty.json").write_text('{"benchmarks": [{"area": null, "time_ns": 7}, 3], "verdict": "fit"}')
    assert said in typed("show", *words, expect=code).stderr

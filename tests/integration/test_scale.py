# SPDX-License-Identifier: GPL-3.0-or-later
"""Times as multiples of a reference, which is measured whatever the filters choose. Times that decide are the simulated clock's."""

import json
import re

import pytest

from support.benchctl import Benchctl
from support.client import Failed
from support.tree import PASS

TOUCHES = "scale reference"

MODULE = PASS + """
BENCH(one, .area = "a", .reference = 1) { bench_loop(b) simulated_pass(1000); }
BENCH(three, .area = "a") { bench_loop(b) simulated_pass(3000); }
BENCH(sized, .area = "b", .args = BENCH_ARGS(n, 2, 20)) { bench_loop(b) simulated_pass(1000 * bench_arg(b, 0)); }
BENCH(secret, .area = "b", .hidden = 1) { bench_loop(b) simulated_pass(500); }
"""
BRIEF = ["--processes=3", "--samples=3", "--warmup=1"]


@pytest.fixture(scope="module")
def module(modules):
    return modules(MODULE)


@pytest.fixture
def benchctl(build, simulated_daemon):
    return Benchctl(build, f"--socket={simulated_daemon.socket}", timeout=600)


def figures(table):
    """The first figure of each row, by the words before it."""
    return {" ".join(name.split()): float(figure) for name, figure in re.findall(r"^  ([\w= ]+?)  +(\d+\.\d+) ", table, re.M)}


@pytest.mark.parametrize("scale, filter, rows", [
    ("--scale", "three", {"one": 1, "three": 3}),
    ("--scale=one", "three", {"one": 1, "three": 3}),
    ("--scale=a/three", "a/*", {"one": 0.3333, "three": 1}),
    ("--scale=sized/n=2", "b/sized/n=20", {"sized n=2": 1, "sized n=20": 10}),
    ("--scale=b/secret", "one", {"secret": 1, "one": 2}),
    ("--scale=one", "!one", {"one": 1, "three": 3, "sized n=2": 2, "sized n=20": 20}),
])
def test_the_reference_is_measured_and_is_one(benchctl, module, scale, filter, rows):
    done = benchctl("run", *BRIEF, scale, module, "--", filter)
    found = figures(done.stdout)
    assert found.keys() == rows.keys(), done.stdout
    for name, multiple in rows.items():
        assert found[name] == pytest.approx(multiple, rel=0.05), done.stdout
    reference = next(name for name, multiple in rows.items() if multiple == 1).replace(" ", "/")
    assert re.search(rf"^Scaled where {reference} = 1\.0 \(.* = 1\.0 units\)$", done.stdout, re.M)


def test_without_being_asked_a_table_has_times_and_only_what_the_filters_choose(benchctl, module):
    table = benchctl("run", *BRIEF, module, "--", "three").stdout
    rows = re.findall(r"^ +(\w+) +\d", table, re.M)
    assert "Scaled" not in table and "three" in rows and "one" not in rows


@pytest.mark.parametrize("method", ["measureit", "macro", "mark7", "stopwatch"])
def test_older_methods_scale_too(benchctl, module, method):
    table = benchctl("run", f"--method={method}", "--budget=0.01", "--scale=a/one", module, "--", "three").stdout
    found = figures(table)
    assert found["one"] == pytest.approx(1, abs=0.001) and found["three"] == pytest.approx(3, rel=0.05), table


def test_measureit_scales_to_a_reference_that_the_filters_leave_out(benchctl, module):
    table = benchctl("run", "--method=measureit", module, "--", "three").stdout
    assert re.search(r"^  NOTHING ", table, re.M) and figures(table)["three"] == pytest.approx(3, rel=0.05)


def test_json_names_the_reference_and_has_times_as_measured(benchctl, module):
    result = json.loads(benchctl("run", *BRIEF, "--scale=sized/n=2", "--format=json", module, "--", "a/*").stdout)
    assert result["reference"] == "b/sized/n=2"
    assert {row["name"]: row["reference"] for row in result["benchmarks"]} == {"one": False, "three": False, "sized": True}
    assert all(row["time_ns"]["point"] > 900 for row in result["benchmarks"])


def test_an_earlier_run_is_shown_as_it_was_or_by_another_reference(benchctl, module):
    job = json.loads(benchctl("run", *BRIEF, "--scale", "--format=json", module).stdout)["run_id"]
    assert figures(benchctl("show", job).stdout)["three"] == pytest.approx(3, rel=0.05)
    assert figures(benchctl("show", job, "--scale=three").stdout)["one"] == pytest.approx(0.3333, rel=0.05)
    several = benchctl("show", job, "--scale=sized")
    assert "Several benchmarks go by 'sized'" in several.stderr and "Scaled" not in several.stdout
    nobody = benchctl("show", job, "--scale=secret")
    assert "No benchmark 'secret'" in nobody.stderr


@pytest.mark.parametrize("scale, sentence, hint", [
    ("tree", "has no benchmark 'tree' to scale to", "a/three"),
    ("a", "has no benchmark 'a' to scale to", "a/one"),
    ("sized", "Several benchmarks of .* go by 'sized'", "b/sized/n=2, b/sized/n=20"),
    ("sized/n=3", "has no benchmark 'sized/n=3' to scale to", "b/sized"),
])
def test_a_reference_that_is_missing_or_several_is_refused_in_words(benchctl, module, scale, sentence, hint):
    done = benchctl("run", *BRIEF, f"--scale={scale}", module, expect=2)
    assert re.search(sentence, done.stderr) and hint in done.stderr and not done.stdout


def test_a_module_without_a_mark_has_no_reference_of_its_own(benchctl, modules):
    done = benchctl("run", *BRIEF, "--scale", modules("BENCH(x) { bench_loop(b) ; }", name="unmarked"), expect=2)
    assert "marks no benchmark as its reference" in done.stderr and "--scale=BENCHMARK" in done.stderr


def test_a_comparison_takes_no_reference(benchctl, simulated, module):
    assert "--scale is not an option of 'compare'" in benchctl("compare", "--scale=one", module, module, expect=2).stderr
    with pytest.raises(Failed, match="takes no reference"):
        simulated.compare(module, module, reference="one")


def test_the_row_of_the_empty_loop_stands_first_where_it_matters(build, modules):
    module = modules("BENCH(x, .reference = 1) { uint64_t y = 3; bench_loop(b) BENCH_REPEAT10(__asm__ volatile(\"imul %0, %0\" : \"+r\"(y))); }",
                     name="spun")
    for option in ("--scale", "--format=details"):
        table = Benchctl(build, "--private", timeout=600)("run", "--quick", "--min-time=0.4", option, module).stdout
        assert re.search(r"^  EMPTY .*\n\n", table, re.M), table

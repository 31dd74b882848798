# SPDX-License-Identifier: GPL-3.0-or-later
"""--format=details beyond the default table: the module's line on each benchmark, its first call, and an iteration of several operations."""

import pytest
from support.benchctl import BRIEF


TOUCHES = "report-result columns rows client/ctl/model/cell.*"

ABOUT = "copies a line of the cache, which the latency of a store limits"
MODULE = """
BENCH(single, .about = "%s", .args = BENCH_ARGS(n, 1, 2)) { bench_loop(b) bench_clobber(); }
BENCH(tenfold) { bench_ops(b, 10); bench_loop(b) for (int i = 0; i < 10; i++) bench_clobber(); }
""" % ABOUT


@pytest.fixture(scope="module")
def described(modules):
    return modules(MODULE, name="described")


def test_the_result_carries_the_modules_line(benchctl, described):
    rows = benchctl.json("run", *BRIEF, described)["benchmarks"]
    assert [(row["name"], row["about"]) for row in rows] == [("single", ABOUT), ("single", ABOUT), ("tenfold", None)]


def test_the_old_side_of_a_comparison_has_no_line_of_the_new_module(benchctl, described):
    rows = benchctl.json("compare", *BRIEF, described, described, "tenfold", "single")["benchmarks"]
    assert {row["about"] for row in rows if row["side"] == "old"} == {None}
    assert ABOUT in {row["about"] for row in rows if row["side"] == "new"}


def test_the_details_have_it_once_a_benchmark_below_its_last_row(benchctl, described):
    lines = benchctl("run", "--format=details", *BRIEF, described).stdout.splitlines()
    at = lines.index(f"    {ABOUT}")
    assert lines.count(f"    {ABOUT}") == 1 and lines[at - 1].startswith("  single n=2 ")


@pytest.mark.parametrize("method", ["benchd", "measureit", "macro"])
def test_the_details_have_the_first_call_and_the_iteration_by_any_method(benchctl, described, method):
    text = benchctl("run", "--format=details", "--budget=1", f"--method={method}", described).stdout
    titles = next(line for line in text.splitlines() if "first call" in line)
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("  ")}
    cells = {name: row[titles.index("iteration"):titles.index("iteration") + len("iteration")].strip() for name, row in rows.items()}
    assert cells["single"] == "–" and cells["tenfold"] != "–"


def test_a_table_has_them_only_where_they_are_named(benchctl, described):
    assert "first call" not in benchctl("run", *BRIEF, described).stdout
    named = benchctl("run", "--columns=time,first-call,iteration", *BRIEF, described).stdout
    assert "first call" in named and "iteration" in named and ABOUT not in named

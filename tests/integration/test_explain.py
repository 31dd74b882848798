# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl compare --explain: the machine code of both timed loops below the comparison."""

import pytest
from support.benchctl import BRIEF, USAGE, Benchctl

TOUCHES = "explain diff report-explain"


# Before the loop @pad bytes of nothing; within it @step, and a called function that returns @value.
MODULE = """
static __attribute__((noinline)) int helper(int x) {{ __asm__("" : "+r"(x)); return x + {value}; }}
static int before(void) {{ int x; __asm__ volatile(".skip {pad}, 0x90\\n mov $1, %0" : "=r"(x)); return x; }}
BENCH(steps, .area = "a", .args = BENCH_ARGS(n, 1, 2)) {{
        long sum = before();
        bench_loop(b) {{ __asm__ volatile("{step}" : "+r"(sum)); bench_use(sum); }}
}}
BENCH(calls, .area = "a") {{ int sum = before(); bench_loop(b) {{ sum = helper(sum); bench_use(sum); }} }}
"""


@pytest.fixture(scope="module")
def version(modules):
    def version(name, pad=1, step="add $1, %0", value=7, **options):
        return modules(MODULE.format(pad=pad, step=step, value=value), "-g", name=name, **options)

    return version


def pairs(result):
    return {pair["name"]: pair for pair in result["explain"]}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_same_code_elsewhere_is_the_same(benchctl, version, compiler):
    old, new = version("old", compiler=compiler), version("new", pad=64 + 13, compiler=compiler)
    explained = pairs(benchctl.json("compare", "--explain", *BRIEF, old, new))
    assert set(explained) == {"steps", "calls"}  # once, whatever its arguments
    for pair in explained.values():
        assert pair["same"] and pair["rows"] and all(row["mark"] == "same" for row in pair["rows"])
        assert pair["old"]["start"] != pair["new"]["start"]
        assert pair["new"]["line_offset"] == pair["new"]["start"] % 64
    assert [(row["name"], row["same"]) for row in explained["calls"]["called"]] == [("helper", True)]


def test_what_differs_is_marked(benchctl, version):
    old, new = version("old"), version("new", step="add $2, %0; nop")
    explained = pairs(benchctl.json("compare", "--explain", *BRIEF, old, new))
    marks = [row["mark"] for row in explained["steps"]["rows"]]
    assert not explained["steps"]["same"] and set(marks) == {"same", "changed", "new"}
    assert (marks.count("changed"), marks.count("new")) == (1, 1)
    assert explained["calls"]["same"]


def test_a_called_function_that_differs_is_named(benchctl, version):
    shown = benchctl("compare", "--explain", *BRIEF, version("old"), version("new", value=9)).stdout
    assert "Called functions that differ: helper." in shown
    assert "a/calls: the timed loops have the same" in shown


@pytest.mark.parametrize("columns, beside", [(160, True), (80, True), (44, False)])
def test_both_loops_stand_side_by_side_where_there_is_room(on_a_terminal, daemon, version, columns, beside):
    lines = on_a_terminal(columns, "compare", f"--socket={daemon.socket}", "--explain", "--quiet", *BRIEF, version("old"),
                          version("new", step="movabs $0x1122334455667788, %%r10; add %%r10, %0"), "a/steps/n=1", LC_ALL="C.UTF-8")
    assert max(map(len, lines)) <= columns
    changed = [line for line in lines if "movabs" in line]
    assert len(changed) == 1 and changed[0].startswith("> ") == (not beside)


def test_without_utf8_it_is_ascii(benchctl, version):
    shown = benchctl("compare", "--explain", *BRIEF, version("old"), version("new", step="add $2, %0"), LC_ALL="C").stdout
    assert shown.isascii() and " | " in shown


def test_two_benchmarks_of_one_module_are_explained(benchctl, version):
    module = version("old")
    result = benchctl.json("compare", "--explain", *BRIEF, f"{module}#a/calls", f"{module}#a/calls")
    assert result["explain"][0]["same"]
    other = benchctl.json("compare", "--explain", "--quick", f"{version('new', value=9)}#a/calls", f"{module}#a/calls")
    assert [(row["name"], row["same"]) for row in other["explain"][0]["called"]] == [("helper", False)]


def test_an_earlier_jobs_module_is_explained(build, kept, version):
    with kept(launch=["--no-probes"]) as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        job = benchctl.json("run", *BRIEF, version("old"))["run_id"]
        result = benchctl.json("compare", "--explain", *BRIEF, f"@{job}", version("new", step="add $2, %0"))
        assert {name: pair["same"] for name, pair in pairs(result).items()} == {"steps": False, "calls": True}


def test_without_it_nothing_is_explained(benchctl, version):
    assert "explain" not in benchctl.json("compare", *BRIEF, version("old"), version("new", value=9))


def test_it_cannot_be_had_of_a_detached_comparison(benchctl, version):
    refused = benchctl("compare", "--explain", "--detach", version("old"), version("old"), expect=USAGE).stderr
    assert "--explain cannot be combined with --detach" in refused

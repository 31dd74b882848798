# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of tests/bench, shortened: their tables have their rows, and numbers in them. What the numbers are is nobody's
promise on a busy machine; the commands themselves print it."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from support.paths import BUILD, SOURCE
from support.processes import NO_NAMESPACES, may_have_namespaces

TOUCHES = "tests/bench/*"

BENCH = SOURCE / "tests" / "bench"
CHAINS = ["add", "multiply", "popcnt", "crc32", "rotate"]

sys.path.insert(0, str(BENCH))

from lib import harness, neighbours, places, ranks, readings, relation, share, spread, table, truth  # noqa: E402


def run(command, *options, code=0):
    done = subprocess.run(["/usr/bin/python3", BENCH / command, *map(str, options)], capture_output=True, text=True,
                          env={**os.environ, "BENCHD_BUILD": str(BUILD)})
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def cells(text, first):
    """The cells of the row that begins with @first."""
    line = next(line for line in text.splitlines() if re.match(rf"{re.escape(first)}  ", line))
    return re.split(r" {2,}", line.strip())


def number(cell):
    return float(re.sub(r"[ %,a-z]", "", cell))


google = pytest.mark.skipif(not (BUILD / "tests/bench/chains-google").exists(), reason="libbenchmark-dev is not installed")
stress = pytest.mark.skipif(not shutil.which("stress-ng"), reason="stress-ng is not installed")


# ---- exec-beside-hyperfine

@pytest.mark.skipif(not shutil.which("hyperfine"), reason="hyperfine is not installed")
def test_exec_stands_beside_hyperfine_in_each_condition(tmp_path):
    text = run("exec-beside-hyperfine", "--invocations=2", "--runs=3", "--only=sort", f"--json={tmp_path / 'figures'}")
    rows = [line for line in text.splitlines() if line.startswith("sort of 10^5 lines")]
    assert len(rows) == 3 and all(" ms " in row for row in rows)
    figures = json.loads((tmp_path / "figures").read_text())
    assert [len(row[who]) for row in figures for who in ("benchd", "hyperfine", "median")] == 9 * [2]
    assert all(1e6 < time < 1e10 for row in figures for time in row["benchd"] + row["hyperfine"])


# ---- bisect

def test_a_search_in_a_real_repository_has_its_row():
    text = run("bisect", "--searches=1", "--commits=4", "--change=60", "--seed=2", "--option=--budget=0.5", code=0)
    assert cells(text, "search 1")[1] == "yes" and number(cells(text, "search 1")[3].lstrip("+")) == pytest.approx(60, abs=10)
    assert "named: 100.0 % (1 of 1;" in text


# ---- turns

def test_turns_has_the_longest_of_each_large_request():
    text = run("turns", "--jobs=2000")
    kinds = {"request", "preparing", "choosing", "planning", "listing", "inspection"}
    for request in ("list 1024 benchmarks", "plan 100,000 processes", "compare 1024 with as many"):
        assert cells(text, request)[1] in kinds
        assert number(cells(text, request)[2]) > 0
    assert len(text.splitlines()) == 13


# ---- cell

def test_cell_has_a_ratio_for_each_body():
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    text = run("cell", "--quick", "--rounds=2")
    for body in ("add", "getppid", "stat_passwd", "open_libc"):
        cell, without, middle, least, greatest = map(number, cells(text, body)[1:6])
        assert cell > 0 and without > 0 and 0 < least <= middle <= greatest
    assert "--rounds takes 2 or more" in run("cell", "--rounds=1", code=1)


# ---- as-program

@pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
def test_as_program_has_a_body_in_each_of_its_processes():
    text = run("as-program", "--quick", "--rounds=2", "--processes=2", "--batches=20",
               *[f"--kernel={body}" for body in ("malloc_threshold", "plugin", "own_strdup", "denormals", "frame", "write_fsync")])
    for body in ("malloc_threshold", "plugin", "own_strdup", "denormals", "frame", "write_fsync"):
        row = cells(text, body)
        assert all(number(cell) > 0 for cell in (row[1], row[3], row[5], *row[7:11]))
        assert row[11] in ("yes", "linked", "no")
    assert "there are malloc_free, " in run("as-program", "--kernel=nothing", code=1)
    assert "--rounds takes 2 or more" in run("as-program", "--rounds=1", code=1)


# ---- memory-neighbour

@pytest.mark.skipif(os.geteuid() != 0 or len(os.sched_getaffinity(0)) < 2, reason="takes root and two processors")
def test_memory_neighbour_has_a_row_for_each_body_and_what_its_probe_costs():
    text = run("memory-neighbour", "--rounds=4", "--batches=100")
    seen, narrowed, walks = text.split("\n\n")[1:]
    for body in ("chase_64m", "chase_16m", "copy_64m", "fill_32m"):
        for cell in (cells(seen, body)[2], *cells(narrowed, body)[2:5]):
            assert cell == table.NONE or number(cell) > 0  # a core that is shared all the while leaves no samples
    for walk in ("walk_28k", "walk_256k", "walk_1m"):
        alone, middle, least, greatest = map(number, cells(walks, walk)[1:])
        assert alone > 0 and 0 < least <= middle <= greatest
    assert "--rounds takes 4 or more" in run("memory-neighbour", "--rounds=3", code=1)


# ---- fleet

@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("sshd", path="/usr/sbin"), reason="takes root and openssh-server")
def test_fleet_has_the_price_of_ssh_and_of_many_machines():
    text = run("fleet", "--runs=1", "--questions=2", "--kills=0", "--machines=4")
    assert number(cells(text, "quick run, here")[2]) > 0 and number(cells(text, "status, over an open bridge")[2]) > 0
    assert cells(text, "4 machines: measured")[2] == "4"
    assert number(re.search(r"the client's memory .* ([\d.]+) MiB  ", text)[1]) > 0


# ---- history

def test_history_has_a_row_for_each_command():
    text = run("history", "--jobs=200", "--runs=1")
    assert all(number(cells(text, command)[1]) > 0 for command in ("history --limit=1000", "history minimal/*", "show"))


# ---- page

def test_page_has_the_size_of_a_page():
    text = run("page", "--benchmarks=7", "--processes=3", "--samples=20", "--runs=1")
    assert 0 < float(cells(text, "size")[2].removesuffix(" MB")) < 3


# ---- accuracy

@pytest.fixture(scope="module")
def accuracy():
    return run("accuracy", "--quick", "--runs=1", "--seconds=0.2", "--processes=8")


def test_accuracy_has_a_row_for_each_chain(accuracy):
    for name in CHAINS:
        assert number(cells(accuracy, name)[5]) > 0


@google
def test_google_benchmark_stands_beside_each_chain(accuracy):
    for name in CHAINS:
        assert number(cells(accuracy, name)[7]) > 0


@pytest.mark.parametrize("row", ["chains in cycles, worst of 1 runs", "a 1 µs body with a 1 µs pause", "prepared inputs",
                                 "a walk of 256 KiB, cold / warm",
                                 "canary against /proc/interrupts, user code", "holes over 2 ms in granted windows",
                                 "time inside batches / wall time of a sampling phase",
                                 "one process, spawn to reaped, beyond its sampling"])
def test_accuracy_has_a_row_for_each_target(accuracy, row):
    target, figure, met = cells(accuracy, row)[1:]
    assert target and figure
    assert met in ("yes", "no", table.NONE)


def test_accuracy_leaves_the_limit_of_real_time_alone(accuracy):
    assert cells(accuracy, "sched_rt_runtime_us")[3] == "yes"


def test_a_processor_that_no_table_knows_is_measured_only(tmp_path):
    (tmp_path / "cpuinfo").write_text("vendor_id\t: Nobody\ncpu family\t: 6\nmodel\t\t: 1\n")
    text = run("accuracy", "--quick", "--runs=1", "--seconds=0.05", "--processes=8", f"--cpuinfo={tmp_path / 'cpuinfo'}")
    assert "no published latencies of this processor" in text
    assert cells(text, "multiply")[1] == table.NONE
    assert cells(text, "chains in cycles, worst of 1 runs")[2:] == ["measured only", table.NONE]


def test_a_processor_of_a_published_table_is_found():
    zen5 = truth.find("AuthenticAMD", 26, 2)
    assert zen5.name == "Zen 5" and zen5.cycles["multiply"] == 3 and zen5.cycles["popcnt"] == 1
    assert truth.find("GenuineIntel", 6, 0x8F).cycles["popcnt"] == 3
    assert truth.parse("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nmodel name : x\n") == ("GenuineIntel", 6, 85)


def test_no_processor_has_two_truths():
    seen = [(vendor, family, model) for vendor, family, models, *rest in truth.ROWS for model in models]
    assert len(seen) == len(set(seen))
    assert all(set(row[4]) == set(truth.CHAINS) for row in truth.ROWS)


# ---- load

@pytest.mark.skipif(os.geteuid() != 0, reason="only root connects as several users")
def test_load_has_a_row_for_each_attack_and_figure():
    text = run("load", "--seconds=0.3", "--runs=3")
    for attack in ["none", "the first calibration", "1000 idle clients", "half frames with descriptors", "list with 64 globs", "fork bomb"]:
        row = cells(text, attack)
        assert row[5] in ("yes", "no") or "no control group" in row[-1]
    for figure in ["switches of all processes at rest", "submit → result, empty, one process"]:
        assert cells(text, figure)[3] in ("yes", "no")


# ---- beside

@pytest.mark.skipif(os.geteuid() != 0, reason="only root connects as several users")
def test_beside_has_a_row_for_each_load():
    text = run("beside", "--seconds=0.3", "--scale=0.001")
    for load in ["none", "10 GiB in one file", "6 GiB behind the end of a module", "26 files of 64 MiB, refused"]:
        row = cells(text, load)
        assert row[5] in ("yes", "no")
        assert number(row[7]) <= number(row[9])


# ---- repeatability

def test_repeatability_has_a_row_for_each_chain():
    text = run("repeatability", "--quick", "--runs=2")
    for name in CHAINS:
        row = cells(text, name)
        assert row[2] in ("yes", "no", table.NONE)
        assert number(row[3]) >= 0


@stress
def test_repeatability_under_load_is_a_second_table():
    text = run("repeatability", "--quick", "--runs=2", "--load")
    assert text.count("standard deviation / mean of 2 runs") == 2


# ---- truth

@pytest.fixture(scope="module")
def truths(tmp_path_factory):
    """The tables of two quick runs, and the figures of each."""
    figures = tmp_path_factory.mktemp("truth") / "figures"
    return run("truth", "--quick", "--runs=2", f"--json={figures}"), json.loads(figures.read_text())


@pytest.mark.parametrize("row", ["truth/chain_20", "truth/paused_1000", "truth/once_300", "truth/walk/bytes=28672", "truth/append/every=1000",
                                 "truth/wait/us=1500", "padded/length"])
def test_truth_has_each_row_once_by_itself_and_once_over_all_runs(truths, row):
    one, all_runs = [re.split(r" {2,}", line) for line in truths[0].splitlines() if line.startswith(f"{row} ")]
    assert number(one[3]) > 0 and one[4] in ("cycles", "ns") and one[8] in readings.VERDICTS
    assert number(all_runs[1]) > 0 and all(re.fullmatch(r"[0-2] of [0-2]", cell) for cell in all_runs[4:8])


def test_truth_keeps_the_figures_of_every_run_and_their_errors_follow(truths):
    assert len(truths[1]["runs"]) == 2
    for one in [one for taken in truths[1]["runs"] for one in taken.values() if one["truth"]]:
        assert one["off"] == pytest.approx(one["point"] / one["truth"] - 1)
        assert one["right"] or abs(one["off"]) > readings.NEAR
    assert all(taken["truth/wait/us=1000"]["truth"] == 1e6 for taken in truths[1]["runs"])


def test_truth_beside_a_spinner_says_where_it_spins():
    text = run("truth", "--quick", "--runs=1", "--spinner", "chains")
    assert re.search(r"^# beside a spinner on CPU \d", text, re.M)
    assert "truth/chain_20 " in text and "truth/walk" not in text
    assert "no rows of kind nothing" in run("truth", "nothing", code=2)


# ---- repeat

def test_repeat_counts_runs_pairs_verdicts_and_findings_of_a_modules_rows():
    text = run("repeat", "bias", "--quick", "--runs=3", "--", "*/plain", "*/paused")
    for name in ["bias/plain", "bias/paused"]:
        others, pairs, *verdicts = cells(text, name)[4:9]
        assert re.fullmatch(r"[0-3] of [0-3]", others) and re.fullmatch(r"[0-6] of [0-6]", pairs)
        assert sum(map(int, verdicts)) == 3
    assert "bias/walk" not in text
    assert cells(text, "modes-between")[2] == "at most 5 %"
    assert "takes a MODULE or --suites" in run("repeat", code=2)


@pytest.mark.skipif(not (BUILD / "suites/suites.so").exists(), reason="the suites are not built")
def test_repeat_runs_an_area_of_the_suites_once():
    text = run("repeat", "--suites", "calls", "--quick")
    assert cells(text, "calls/call_empty")[2] == table.NONE
    assert len(re.findall(r"^calls/", text, re.M)) >= 5


# ---- stopwatch

def test_stopwatch_marks_the_highest_and_the_lowest_of_each_kind(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- stopwatch -->\nwhat stood there\n<!-- stopwatch -->\nafter\n")
    text = run("stopwatch", "--runs=3", "--count=1000000", "--warmup=1", "--plain", f"--readme={readme}")
    n_kinds = 0
    for kind in ["unprepared", "prepared", "prepared, in batches"]:
        alone, lowest, highest = cells(text, kind)[1:4]
        assert re.fullmatch(r"[0-3] of 3", alone)
        assert alone[0] == "0" or 0 < number(lowest) <= number(highest)
        n_kinds += int(alone[0]) >= 2
        assert f"| {kind}, as it is | {alone} | " in readme.read_text()
    assert n_kinds >= 1, "the plain program has no probes"
    assert len(re.findall(r"^\d\. .*<-- highest$", text, re.M)) == n_kinds
    assert len(re.findall(r"^\d\. .*<-- lowest$", text, re.M)) == n_kinds
    assert "what stood there" not in readme.read_text()
    assert readme.read_text().startswith("before\n") and readme.read_text().endswith("\nafter\n")


# ---- links

def test_builds_of_another_link_order_are_compared_with_many_links_and_with_one():
    table = run("links", "--quick", "--pairs=1", "--seed=1")
    for name in "interpret", "sort", "mix":
        assert [cells[1] for cells in (line.split() for line in table.splitlines()) if cells[:1] == [name]] == ["many", "one"]
    assert "of 3;" in cells(table, "another link for each pair: faster or slower")[2]
    assert "--pairs takes 1 or more" in run("links", "--pairs=0", code=1)


# ---- comparisons

AA = ["add", "walk_16k", "memcpy", "strlen", "qsort", "malloc", "shared_ptr", "unordered_map"]


@pytest.fixture(scope="module")
def comparisons():
    return run("comparisons", "--quick", "--comparisons=9", "--usual=1", "--padded=7", "--power=1")


def test_each_kernel_is_compared_with_itself_equally_often(comparisons):
    for name in AA:
        excludes, middle, widest, runs, others = cells(comparisons, name)[1:]
        assert re.fullmatch(r"[0-2] of 2", excludes)
        assert 0 < number(middle[1:]) <= number(widest[1:])
        assert re.fullmatch(r"[01] of 1", runs)
        assert re.fullmatch(r"[01] of 1", others) or others == table.NONE


@pytest.mark.parametrize("row", ["a module with itself: intervals that exclude 1",
                                 "builds that differ in nops: faster or slower", "1 % longer, default margin: slower",
                                 "one comparison of one benchmark, longest"])
def test_comparisons_has_a_row_for_each_target(comparisons, row):
    target, figure, met = cells(comparisons, row)[1:]
    assert target and figure and met in ("yes", "no")


def test_builds_that_differ_in_nops_are_compared_both_ways_equally_often(comparisons):
    for name in ["count_words", "length", "search", "greatest_divisor", "checksum", "steps"]:
        differs, excludes, middle, *linked = cells(comparisons, name)[1:]
        assert all(re.fullmatch(r"[0-2] of 2", cell) for cell in [differs, excludes, *linked[:2]])
        assert number(middle[1:]) > 0 and number(linked[2][1:]) > 0
    assert "of 12;" in cells(comparisons, "the same, --no-aslr: faster or slower")[2]


def test_the_usual_way_stands_beside_with_its_share(comparisons):
    assert "of 8;" in cells(comparisons, "the same, run twice, U over medians of processes")[2]


# ---- peers

def test_peers_has_a_row_for_each_kernel_asked_for(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- peers -->\nwhat stood there\n<!-- peers -->\nafter\n")
    text = run("peers", "--quick", "--runs=2", "--kernel=empty", "--kernel=qsort", "--kernel=unordered_map", f"--readme={readme}")
    for name in ["empty", "qsort", "unordered_map"]:
        assert number(cells(text, name)[3]) > 0
    assert not re.search(r"^memcpy ", text, re.M)
    assert re.search(r"^One run of all: benchd \d", text, re.M)
    assert "| qsort | " in readme.read_text() and "what stood there" not in readme.read_text()
    assert readme.read_text().startswith("before\n") and readme.read_text().endswith("\nafter\n")


@google
def test_peers_says_for_each_kernel_what_benchd_loses_in():
    row = cells(run("peers", "--quick", "--runs=2", "--kernel=add"), "add")
    assert number(row[5]) > 0 and number(row[7]) > 0
    assert row[8] == "nothing" or "apart" in row[8] or "more" in row[8]


# ---- neighbour

@pytest.fixture(scope="module")
def neighbour(tmp_path_factory):
    """The tables, the figures of every run, and a README with the tables."""
    directory = tmp_path_factory.mktemp("neighbour")
    readme = directory / "README.md"
    readme.write_text("before\n<!-- neighbour -->\nwhat stood there\n<!-- neighbour -->\nafter\n")
    text = run("neighbour", "--quick", "--runs=2", f"--readme={readme}", f"--json={directory / 'figures'}")
    return text, json.loads((directory / "figures").read_text()), readme.read_text()


def markdown_rows(text, first):
    """The cells of each row that begins with @first, in the order of the tables."""
    return [[cell.strip() for cell in line.split("|")[2:-1]] for line in text.splitlines() if line.startswith(f"| {first} |")]


def test_neighbour_has_its_rows_for_each_kernel(neighbour):
    for name in neighbours.KERNELS:
        apart, evicted = markdown_rows(neighbour[0], name)[0], markdown_rows(neighbour[0], name)[-1]
        assert number(apart[0]) >= 0 and number(apart[2]) >= 0
        assert re.search(r" \([0-2]\)$", apart[1])
        assert apart[6] in ("yes", "no")
        assert number(evicted[0]) > 0 and number(evicted[1]) > 0


@google
def test_neighbour_has_google_benchmark_beside_each_kernel(neighbour):
    assert all(number(markdown_rows(neighbour[0], name)[0][3]) >= 0 for name in neighbours.KERNELS)


def test_neighbour_has_a_ratio_for_each_round_and_side(neighbour):
    for row in [markdown_rows(neighbour[0], f"{i + 1}")[0] for i in range(2)]:
        for ratio, holds in [row[0:2], row[2:4]]:
            assert re.fullmatch(r"\d\.\d+ \(\d\.\d+ … \d+\.\d+\)", ratio) and holds in ("yes", "no")
    assert re.fullmatch(r"[0-2] of 2", markdown_rows(neighbour[0], "holds 1/3")[0][1])


def test_neighbour_has_a_row_for_each_of_its_other_targets(neighbour):
    for side in ["with probes", "without"]:
        pairs, fit = markdown_rows(neighbour[0], side)
        assert "of 24;" in pairs[0] and 0 <= int(fit[2]) <= int(fit[1]) <= int(fit[0]) <= 24
    for name in CHAINS:
        assert any("within 0.05 %" in row for row in markdown_rows(neighbour[0], name))
    for row in ["seven benchmarks", "ten benchmarks", "seven benchmarks, --quick"]:
        assert number(markdown_rows(neighbour[0], row)[0][0]) > 0


def test_neighbour_keeps_the_figures_of_every_run(neighbour):
    rounds = neighbour[1]["rounds"]
    assert len(rounds) == 2
    for taken in rounds:
        assert all(taken[side]["kernels"][name]["ns"] > 0 for side in neighbours.SIDES for name in neighbours.KERNELS)
        assert all(kernel["shared"] is None for kernel in taken["without"]["kernels"].values()), "probes that were switched off told"


def test_neighbour_writes_its_tables_into_a_readme(neighbour):
    assert all(f"\n{i}. " in neighbour[2] for i in range(1, 9)) and "| qsort | " in neighbour[2]
    assert neighbour[2].startswith("before\n") and neighbour[2].endswith("\nafter\n") and "what stood there" not in neighbour[2]


def test_what_cannot_be_run_is_refused_in_words():
    assert "--runs takes 2 or more" in run("neighbour", "--runs=1", code=1)
    assert "has no two lines" in run("neighbour", f"--readme={BENCH / 'meson.build'}", code=1)
    assert "--runs takes 2 or more" in run("repeatability", "--runs=1", code=1)
    assert "--count 100 or more" in run("stopwatch", "--count=1", code=1)
    assert "--padded 0 or more" in run("comparisons", "--padded=-1", code=1)
    assert "--runs takes 2 or more" in run("peers", "--runs=1", code=1)
    assert "has no two lines" in run("peers", f"--readme={BENCH / 'meson.build'}", code=1)
    assert "has no two lines" in run("stopwatch", f"--readme={BENCH / 'meson.build'}", code=1)


# ---- suites

@pytest.mark.skipif(not (BUILD / "suites/suites.so").exists(), reason="the suites are not built")
def test_suites_has_a_row_for_each_relation_and_ends_with_what_they_say():
    done = subprocess.run(["/usr/bin/python3", BENCH / "suites", "--quick", "calls"], capture_output=True, text=True,
                          env={**os.environ, "BENCHD_BUILD": str(BUILD)})
    rows = [re.split(r" {2,}", line) for line in done.stdout.splitlines() if line.startswith("calls  ")]
    assert len(rows) >= 5 and all(row[3] in ("yes", "no") for row in rows), done.stderr
    assert done.returncode == int("no" in [row[3] for row in rows])


def test_suites_refuses_an_area_without_relations():
    assert "no relations of an area nowhere" in run("suites", "nowhere", code=2)


def test_a_relation_holds_within_its_bounds_and_cannot_be_told_without_its_rows():
    known = {"a/x": 1.0, "a/five": 5.2, "a/chase/bytes=1": 4.0, "a/chase/bytes=2": 3.9, "a/chase/bytes=4": 9.0}
    judged = [one.judge(known)[1] for one in [
        relation.Ratio("", "a/five", "a/x", 5, 0.05), relation.Ratio("", "a/five", "a/x", 5, 0.03),
        relation.AtMost("", "a/x", "a/five"), relation.AtMost("", "a/five", "a/x"),
        relation.Between("", "a/x", 0.9, 1.1), relation.Between("", "a/five", 0.9, 1.1),
        relation.Rising("", "a/chase/", 0.05), relation.Rising("", "a/chase/", 0.01)]]
    assert judged == [True, False] * 4
    caches = known | {"cache/1": 2, "cache/2": 4}
    assert relation.Step("", "a/chase/", 1, 2).judge(caches)[1] and not relation.Step("", "a/chase/", 1, 3).judge(caches)[1]
    assert relation.Step("", "a/chase/", 2).judge(caches) == relation.Step("", "a/chase/", 3).judge(caches) == (table.NONE, None)
    assert relation.Ratio("", "a/y", "a/x", 1).judge(known) == (table.NONE, None)
    assert relation.Rising("", "a/y").judge(known) == (table.NONE, None)


def test_a_row_without_a_figure_is_left_out_and_cycles_come_before_nanoseconds():
    def row(name, cycles, ns, **args):
        return {"area": "a", "name": name, "args": args, "cycles": {"point": cycles}, "time_ns": {"point": ns}}

    assert relation.figures({"benchmarks": [row("x", 3.0, 1.0, n=8), row("y", None, 1.0), row("z", None, None)]}) == {
        "a/x/n=8": 3.0, "a/y": 1.0}


# ---- the figures in the tables

def test_a_point_is_held_against_every_other_runs_interval_and_never_its_own():
    runs = [dict(ns=10, low=9, high=11), dict(ns=12, low=9.5, high=14), dict(ns=20, low=None, high=None)]
    assert neighbours.outside([runs]) == (3, 4)  # 12 and 20 are outside of the first, 20 of the second
    assert neighbours.outside([runs[:1]]) == (0, 0)


def test_a_quiet_level_is_of_runs_that_were_mostly_quiet():
    assert neighbours.quiet_level([dict(ns=8, quiet=0.5), dict(ns=10, quiet=0.6), dict(ns=11, quiet=0.9), dict(ns=5, quiet=None)]) == 10
    assert neighbours.quiet_level([dict(ns=8, quiet=0.1)]) is None


def test_results_that_said_fit_are_counted_where_there_is_a_level():
    runs = [dict(a=dict(ns=101, fit=True), b=dict(ns=5, fit=True)), dict(a=dict(ns=103, fit=True), b=dict(ns=5, fit=True)),
            dict(a=dict(ns=200, fit=False), b=dict(ns=5, fit=True))]
    assert neighbours.said_fit(runs, dict(a=100, b=None), 0.02) == (2, 1, 3)


def benchmark(point=10.0, low=9.0, high=11.0, **more):
    time = {"point": point, "low": low, "high": high, "while_shared": None}
    return {"area": "a", "name": "x", "args": {}, "threads": 1, "time_ns": time, "cycles": None, "failed": None, "findings": [],
            "disturbed": {"unfit": False, "probes": "on", "quiet": 1.0}, **more}


def test_a_verdict_is_of_the_row_and_a_core_without_probes_cannot_tell():
    assert readings.reading(benchmark()).verdict == "fit"
    assert readings.reading(benchmark(disturbed={"unfit": True, "probes": "none"})).verdict == "not reliable"
    assert readings.reading(benchmark(disturbed={"unfit": False, "probes": "none"})).verdict == "cannot tell"


def test_a_reading_is_none_where_there_is_no_headline_and_a_row_that_failed_is_left_out():
    assert readings.reading(benchmark(), "cycles") is None and readings.reading(benchmark(point=None)) is None
    assert readings.by_row({"benchmarks": [benchmark(args={"n": 8}), benchmark(failed={"code": "skipped"})]}).keys() == {"a/x/n=8"}


def test_an_interval_holds_on_its_own_side_and_with_the_interval_of_the_truth():
    one = readings.reading(benchmark(10.0, 9.0, 13.0))
    assert one.holds(9.0) and not one.holds(8.9) and one.holds(13.0) and not one.holds(13.1)
    assert one.holds(8.6, of_value=1.0) and not one.holds(8.5, of_value=1.0)
    assert one.holds(8.6, widened=1.5) and not one.holds(8.4, widened=1.5)
    assert not readings.reading(benchmark(10.0, None, None)).holds(10.0)


def test_a_run_is_held_against_the_other_runs_and_never_against_itself():
    found = [readings.reading(benchmark(point, point - 1, point + 1)) for point in (10.0, 10.5, 11.2)]
    assert readings.hold_the_others(found) == (3, 3)  # 10.85, 10.6 and 10.25 lie within 1
    assert readings.hold_each_other(found) == (6, 6)  # 1.2 lies within the square root of 2
    found[2] = readings.reading(benchmark(11.5, 10.5, 12.5))
    assert readings.hold_the_others(found) == (2, 3) and readings.hold_each_other(found) == (4, 6)
    assert readings.hold_the_others(found[:1]) == readings.hold_each_other(found[:1]) == (0, 0)


def test_each_place_counts_once_and_none_may_be_missing():
    def processes(*pairs):
        return [{"image_offset": place, "median_ns": ns} for place, ns in pairs]

    even = processes(*[(place, ns) for place, ns in [(0, 1.0), (16, 2.0), (32, 2.0), (48, 4.0)] for _ in range(3)], (48, 4.0), (0, None))
    point, half = places.mean(places.of_processes(even, "median_ns"))
    assert (point, half) == (pytest.approx(2.0), 0.0)
    assert places.mean(places.of_processes(even[3:], "median_ns")) == (None, None)
    assert places.mean(places.of_processes(even[2:], "median_ns")) == (None, None), "one process tells no spread"


def test_the_cpus_of_a_list_are_those_of_its_ranges():
    assert harness.cpus_of("0,2-4\n") == {0, 2, 3, 4} and harness.cpus_of("7") == {7}


def test_a_deviation_of_logs_is_the_same_for_inverses():
    assert spread.deviation_of_logs([1, 2, 4]) == pytest.approx(spread.deviation_of_logs([1, 0.5, 0.25]))
    assert spread.deviation_of_logs([3.0]) is None


def test_a_deviation_is_that_of_a_sample_over_its_mean():
    assert spread.deviation([9, 10, 11]) == pytest.approx(0.1)
    assert spread.deviation([1]) is None
    assert spread.deviation([1, None, 1]) is None


def test_the_worst_is_what_is_furthest_from_the_truth():
    assert spread.worst([2.9, 3.05, None], 3) == 2.9
    assert spread.worst([None], 3) is None
    assert spread.worst([2.9], None) is None


def test_a_number_keeps_its_significant_digits():
    assert table.number(0.000123456) == "0.000123"
    assert table.number(2.99712, digits=5) == "2.9971"
    assert table.number(4001.5) == "4,002"
    assert table.number(0) == "0.000"
    assert table.number(float("nan")) == table.NONE


def test_a_spread_takes_two_values():
    assert spread.width([2.0, 2.5, None]) == 0.25
    assert spread.width([2.0, None]) is None


def test_a_share_has_the_interval_of_wilson():
    assert share.interval(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert share.interval(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert share.interval(20, 20) == pytest.approx((0.8389, 1), abs=1e-4)


def test_the_most_that_chance_explains_is_the_quantile_of_the_binomial_distribution():
    assert [share.most(n, 0.05) for n in [1, 8, 50, 200]] == [0, 2, 5, 15]
    assert share.most(10, 1) == 10


def test_a_rank_test_gives_what_scipy_does():
    """scipy.stats.mannwhitneyu(..., method="asymptotic") of scipy 1.10; the first is the example of its manual."""
    assert ranks.p_value([19, 22, 16, 29, 24], [20, 11, 17, 12]) == pytest.approx(0.11134688653)
    assert ranks.p_value([1, 1, 2, 3, 5, 5], [2, 3, 3, 6, 7, 8, 8]) == pytest.approx(0.08301743296)
    assert ranks.p_value([1, 1], [1, 1, 1]) == 1


# ---- agreement


def row(name, point, half, **more):
    quantity = {"point": point, "low": point - half, "high": point + half}
    return {"area": "a", "name": name, "args": {}, "threads": 1, "time_ns": quantity, "cycles": None, "findings": [], **more}


def result(*rows, key="k"):
    return json.dumps({"comparability_key": key, "started_at": "2026-01-01T00:00:00Z", "benchmarks": rows})


def test_agreement_names_the_rows_whose_intervals_lie_apart(tmp_path):
    earlier, later = tmp_path / "earlier.json", tmp_path / "later.json"
    drift = [{"kind": "drift"}]
    earlier.write_text(result(row("overlaps", 10, 2), row("near", 10, 0.01), row("apart", 10, 0.1), row("gone", 1, 1)))
    later.write_text(result(row("overlaps", 12, 1), row("near", 10.05, 0.01), row("apart", 11, 0.1, findings=drift)))
    lines = run("agreement", earlier, later).splitlines()
    assert [line.split() for line in lines[1:-3]] == [["time_ns", "a/apart", "1.100", "drift"]]
    assert "time_ns: 2 of 3 agree, 66.7 %" in lines and "cycles: none that both have" in lines


def test_agreement_refuses_results_that_were_measured_otherwise(tmp_path):
    (tmp_path / "one.json").write_text(result(row("x", 1, 1)))
    (tmp_path / "other.json").write_text(result(row("x", 1, 1), key="other"))
    assert "comparability keys differ" in run("agreement", tmp_path / "one.json", tmp_path / "other.json", code=1)

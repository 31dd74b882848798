# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in benchmarks as a user comes to them: with nothing named, by area, by name."""

import json
import re
import shutil

import pytest

from support.benchctl import USAGE, Benchctl

TOUCHES = "built-in suites/*"

TIMEOUT_S = 300
BRIEF = ["--processes=3", "--samples=3", "--min-time=0.001", "--warmup=1", "--budget=0.05"]


@pytest.fixture
def benchctl(build, tmp_path, daemon):
    return Benchctl(build, cwd=tmp_path, timeout=TIMEOUT_S, BENCHD_SOCKET=daemon.socket, XDG_STATE_HOME=tmp_path / "state")


@pytest.fixture
def listed(benchctl):
    def names(*words):
        found = json.loads(benchctl("list", "--format=json", *words).stdout)["benchmarks"]
        return [f"{row['area']}/{row['name']}" for row in found]
    return names


def test_with_nothing_named_all_are_listed_and_each_area_is_known(benchctl, listed):
    names = listed()
    areas = list(dict.fromkeys(name.split("/")[0] for name in names))

    assert len(areas) >= 2 and names == listed("suites")
    said = benchctl("list", "nosucharea", expect=USAGE).stderr
    assert sorted(re.search(r"Areas: (.*)\.\n", said)[1].split(", ")) == sorted(areas), "the sources and the module have other areas"


def test_areas_and_filters_choose(listed):
    everything = listed()

    assert listed("strings", "calls") == [name for name in everything if name.split("/")[0] in ("strings", "calls")]
    assert listed("strings", "--", "strlen") == listed("strings/strlen") == listed("--", "strlen") == ["strings/strlen"]
    assert listed("strings", "--", "strings/strlen") == listed("strings", "calls", "--", "*/strlen") == ["strings/strlen"]
    assert "strings/strlen" not in listed("strings", "calls", "--", "!strlen")


def test_areas_are_one_run_of_one_module(benchctl):
    done = benchctl("run", "strings/strlen", "calls", *BRIEF)
    head = [line for line in done.stdout.splitlines() if line.startswith("# ") and not line.startswith("# all rows: ")]

    assert head[1].startswith("# suites: 3 processes") and len(head) == 2  # beside what a busy machine says of all rows
    assert done.stdout.count("\ncalls\n") == done.stdout.count("\nstrings\n") == 1
    entries = json.loads(benchctl("history", "--format=json", "--module=suites").stdout or "{}").get("entries")
    assert entries is None or [entry["module_name"] for entry in entries] == ["suites"]


def test_areas_and_modules_stand_side_by_side(benchctl, modules, tmp_path):
    shutil.copy(modules("BENCH(mine) { bench_loop(b) bench_clobber(); }"), tmp_path / "mine.so")
    results = json.loads(benchctl("run", "strings/strlen", "./mine.so", "calls/call_empty", *BRIEF, "--format=json").stdout)

    assert [result["module"]["name"] for result in results] == ["suites", "./mine.so"]
    assert [{row["name"] for row in result["benchmarks"]} for result in results] == [{"call_empty", "strlen"}, {"mine"}]


def test_a_file_goes_before_an_area_of_its_name(benchctl, modules, tmp_path):
    shutil.copy(modules("BENCH(mine) { bench_loop(b) bench_clobber(); }"), tmp_path / "calls")

    assert "mine" in benchctl("list", "calls").stdout


def test_a_hidden_area_runs_when_it_is_named(benchctl, modules, tmp_path, build):
    """In a tree of its own, whose built-in module has a hidden area and a hidden benchmark."""
    for name in ["client/ctl/benchctl", "daemon/runner/benchd-runner"]:
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / name, tmp_path / "tree" / name)
    (tmp_path / "tree/suites").mkdir()
    shutil.copy(modules("""
BENCH_AREA(aside, .hidden = 1);
BENCH(seen, .area = "open") { bench_loop(b) bench_clobber(); }
BENCH(unseen, .area = "open", .hidden = 1) { bench_loop(b) bench_clobber(); }
BENCH(one, .area = "aside") { bench_loop(b) bench_clobber(); }
"""), tmp_path / "tree/suites/suites.so")

    def rows(*words):
        done = Benchctl(tmp_path / "tree", **benchctl.options)("run", *BRIEF, "--format=json", *words)
        return [row["name"] for row in json.loads(done.stdout)["benchmarks"]]

    assert rows() == rows("open") == ["seen"]
    assert rows("aside") == rows("--", "one") == ["one"]
    assert rows("open", "aside") == ["seen", "one"]
    assert rows("open", "--", "unseen") == rows("--", "open/unseen") == ["unseen"]


def test_a_build_without_them_says_how_to_get_them(benchctl, build, tmp_path):
    program = tmp_path / "away/benchctl"
    program.parent.mkdir()
    shutil.copy(build / "client/ctl/benchctl", program)

    for words in ["run"], ["list"], ["run", "strings"]:
        said = Benchctl(program.parent, program=program.name, **benchctl.options)(*words, expect=USAGE).stderr
        assert "suites.so is neither beside benchctl nor in /" in said and "-Dsuites=enabled" in said


def test_one_of_them_runs_in_this_process(benchctl):
    assert re.search(r"^calls/call_empty +[\d.]+ ns an iteration", benchctl("run", "--here", "calls/call_empty").stdout, re.M)

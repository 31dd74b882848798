# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of whole commands says which they were, and nothing about the module that has them run."""

import json
import re

import pytest

from support.benchctl import BENCHMARK, Benchctl
from support.daemon import Daemon
from support.paths import BUILD, open_directory

TOUCHES = "exec warning record request result job-measuring"

FEW = ["--processes=4", "--samples=3"]
OF_THE_THREAD = ["interrupted", "preempted", "migrated", "faulted", "stolen"]


def test_a_result_has_the_commands_and_no_word_of_the_modules_code(benchctl):
    result = benchctl.json("exec", "sleep 0.002", "sleep 0.02", *FEW)
    kinds = {finding["kind"] for of in ("benchmarks", "comparisons") for row in result[of] for finding in row["findings"]}

    assert result["commands"] == ["sleep 0.002", "sleep 0.02"]
    assert (result["old_module"]["name"], result["module"]["name"]) == ("sleep 0.002", "sleep 0.02")
    assert not kinds & {"waits", "code-placement", "placement-differs", "detector-off", "long-work", "other-threads"}
    assert not any("could not be inspected" in warning for warning in result["warnings"])


def test_the_thread_that_waits_for_a_command_marks_nothing(benchctl):
    row, = benchctl.json("exec", "sleep 0.002", *FEW)["benchmarks"]

    assert [row["disturbed"][mark] for mark in OF_THE_THREAD] == [0] * 5
    assert row["places"] == [], "no place of the module's code"
    assert row["cycles"]["point"] is None


def test_a_history_tells_commands_apart(benchctl):
    long = "true " + 300 * "a"
    names = [benchctl.json("exec", script, *FEW)["module"]["name"] for script in ("true", long, long + "a", long)]

    assert names[0] == "true" and names[1] == names[3] and len(set(names)) == 3


def test_a_run_of_a_module_has_no_commands(benchctl):
    assert benchctl.json("run", BUILD / "examples" / "minimal.so", "--quick", "--processes=3")["commands"] == []


def test_the_peak_of_memory_is_that_of_all_that_a_command_started(benchctl):
    script = 'x=$(head -c 50000000 /dev/zero | tr "\\0" a); echo ${#x}'
    result = benchctl.json("exec", script, *FEW)
    counted = any(control["name"] == "memory limit" and control["outcome"] == "applied" for control in result["environment"]["controls"])

    assert (result["benchmarks"][0]["memory_peak_bytes"] or 0) > 5e7 * counted
    assert counted or result["benchmarks"][0]["memory_peak_bytes"] is None


@pytest.mark.parametrize("journal, words", [("journal", False), ("none/journal", True)])
def test_a_result_says_that_no_group_holds_the_commands(build, journal, words):
    """Without a place for the journal there are no control groups."""
    with open_directory() as directory, Daemon(build, directory, launch=["--no-probes", f"--journal={directory}/{journal}"]) as daemon:
        result = Benchctl(build, f"--socket={daemon.socket}").json("exec", "true", *FEW)
        grouped = any(control["name"] == "run group" and control["outcome"] == "applied" for control in result["environment"]["controls"])

        assert any(warning.startswith("no control group holds the commands") for warning in result["warnings"]) == (words or not grouped)


@pytest.mark.parametrize("control, script, words", [
    ("process limit", "for i in $(seq 30); do sleep 0.3 & done; wait", "It had reached the limit of 21 processes and threads of a run; command_tasks_max= of benchd.conf sets it."),
    ("memory limit", 'x=$(head -c 100000000 /dev/zero | tr "\\0" a); echo ${#x}', "reached the limit of memory of a run, 64 MiB. memory_max= of benchd.conf sets it."),
])
def test_a_row_names_the_bound_that_its_command_met(build, control, script, words):
    """Its trial is the user's own, without a bound."""
    with open_directory() as directory, Daemon(build, directory, launch=["--no-probes"], config="[run]\nmemory_max=64M\ncommand_tasks_max=20\n") as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        bounds = {of["name"]: of["outcome"] for of in benchctl.json("exec", "true", *FEW)["environment"]["controls"]}
        if bounds[control] != "applied":
            pytest.skip(f"no {control} here")
        assert words in benchctl("exec", script, "--processes=1", "--samples=1", "--format=details", expect=BENCHMARK).stdout


@pytest.mark.parametrize("script, words", [("exit 3", "exit code 3"), ("echo oh >&2; kill -9 $$", "killed by signal 9 (SIGKILL): oh")])
def test_a_row_that_fails_has_the_commands_failure_alone(benchctl, tmp_path, script, words):
    """Its trial succeeds, so the failure is in a run of the job; of two commands the reference is named."""
    later = f"test ! -e {tmp_path}/begun && touch {tmp_path}/begun || {{ {script}; }}"

    for sides, told in ([later], words), (["true", later], words), ([later, "true"], f"the reference: {words}"):
        (tmp_path / "begun").unlink(missing_ok=True)
        saved = tmp_path / "result.json"
        benchctl("exec", *sides, *FEW, "-o", saved, expect=BENCHMARK)
        failed, = {row["failed"]["message"] for row in json.loads(saved.read_text())["benchmarks"] if row["failed"]}
        assert failed == told
        for form in "table", "markdown", "html":
            shown = benchctl("show", saved, f"--format={form}", expect=BENCHMARK).stdout
            assert told in shown and "bench_fail" not in shown


def test_a_program_is_titled_by_all_its_words(benchctl):
    row, = benchctl.json("exec", *FEW, "--", "sh", "-c", "exit 0", "it's")["benchmarks"]

    assert row["title"] == "sh -c 'exit 0' 'it'\\''s'" and row["name"] == "sh_-c_exit_0_it_s"


def test_what_a_command_left_behind_is_told_beside_it(benchctl, tmp_path):
    left = "left behind and killed: sleep"

    for n, sides in enumerate((["sleep 100 & sleep 0.01"], ["sleep 0.01", "sleep 100 & sleep 0.02"], ["sleep 100 & sleep 0.01", "sleep 0.02"])):
        saved = tmp_path / f"{n}.json"
        benchctl("exec", *sides, *FEW, "-o", saved)
        for form in "table", "markdown", "html":
            assert left in benchctl("show", saved, f"--format={form}").stdout, (sides, form)


def test_pictures_call_commands_by_their_titles(benchctl, tmp_path):
    saved = tmp_path / "two.json"
    benchctl("exec", "sleep 0.01", "sleep 0.02", *FEW, "-o", saved)
    page = re.sub("<(script|style).*?</\\1>", "", benchctl("show", saved, "--format=html").stdout, flags=re.DOTALL)
    plot = benchctl("show", saved, "--plot").stdout
    script = benchctl("show", saved, "--format=gnuplot").stdout

    assert "<h4>sleep 0.01</h4>" in page and "<h4>sleep 0.02</h4>" in page and "command / reference" in page
    assert re.search('class="circle old"></i>sleep 0.01, ', page) and re.search('class="disc new"></i>sleep 0.02, ', page)
    assert "new / old" not in page and "exec/" not in re.sub("<[^>]*>", "", page)
    assert "\n× reference " in plot and "\nsleep 0.01 (reference)  " in plot and "\nsleep 0.02  " in plot and "(new)" not in plot
    assert '"sleep 0.02"' in script and "xlabel '× reference (dashed" in script


def test_a_page_and_the_head_of_a_table_say_nothing_of_the_module(benchctl, tmp_path):
    saved = tmp_path / "result.json"
    benchctl("exec", "sleep 0.002", "sleep 0.003", *FEW, "-o", saved)
    page, table = (benchctl("show", saved, f"--format={form}").stdout for form in ("html", "details"))
    machine = page[page.index('<section class="machine">'):]

    assert "<dt>commands</dt><dd>sleep 0.002, sleep 0.003</dd>" in machine and "module" not in machine and "SHA-256" not in machine
    assert not re.search(r"\b(gcc|clang) \d", table.splitlines()[0] + machine)


def test_a_baseline_is_called_one(benchctl, tmp_path):
    saved, base = tmp_path / "result.json", tmp_path / "base.json"
    benchctl("exec", "sleep 0.002", *FEW, f"--save-baseline={base}", "-o", saved)  # one run, whose conditions are its own
    shown = benchctl("show", saved, f"--baseline={base}", "--plot", "--format=details").stdout

    assert "sleep 0.002 (baseline)" in shown and "the baseline" in shown and "reference" not in shown
    pair = benchctl("exec", "sleep 0.002", "sleep 0.003", *FEW, "--plot").stdout
    assert "sleep 0.002 (reference)" in pair and "baseline" not in pair

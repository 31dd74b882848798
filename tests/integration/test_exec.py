# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole commands: run in the world of their user, on the CPUs of a lease, and compared in turns."""

import os

import pytest

TOUCHES = "exec adopted adopting adoption verb-exec exec-wire exec-plan exec-stage exec-command trial exec-effort"

FEW = ["--processes=3", "--samples=2"]


def test_a_command_runs_where_its_user_is_on_the_lent_cpu(benchctl, tmp_path):
    script = 'echo "$PWD $MARK" >> ran; grep Cpus_allowed_list /proc/self/status >> ran'
    result = benchctl.json("exec", script, *FEW, cwd=tmp_path, MARK="mark")
    lines = (tmp_path / "ran").read_text().splitlines()[2:]  # the trial comes first, on any CPU

    assert len(lines) == 2 * 3 * 2 and set(lines[::2]) == {f"{tmp_path} mark"}
    assert {line.split()[1] for line in lines[1::2]} <= {str(cpu) for cpu in result["environment"]["cpus"]}
    row = result["benchmarks"][0]
    assert row["title"] == script and row["manual_time"] and row["counters"]["max_rss_bytes"] > 1e5


def test_each_run_has_counts_of_its_own(benchctl, tmp_path):
    row = benchctl.json("exec", "printf x >> ran; cat ran >&2", *FEW, cwd=tmp_path)["benchmarks"][0]
    counts = [process["samples"]["counters"] for process in row["processes"]]
    written = [value for each in counts for value in each["written_bytes"]]
    runs = (tmp_path / "ran").stat().st_size

    assert len(written) == 3 * 2 == row["samples"] and len(set(written)) == len(written)
    assert set(written) <= set(range(2, runs + 2)) and max(written) == runs + 1, "a byte more each run"
    assert row["counters"]["written_bytes"] == pytest.approx(sum(written) / len(written))
    assert all(len(values) == 2 for each in counts for values in each.values())


def test_several_commands_are_each_compared_with_the_first(benchctl):
    result = benchctl.json("exec", "sleep 0.002", "sleep 0.2", "sleep 0.3", *FEW)
    rows = {row["name"]: row["ratio"]["point"] for row in result["comparisons"]}

    assert set(rows) == {"sleep_0.2", "sleep_0.3"} and min(rows.values()) > 2


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU")
def test_commands_have_as_many_cpus_as_are_asked_for_also_in_turns(benchctl, tmp_path):
    busy = "for i in 1 2; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' & done; wait"
    asks = "grep Cpus_allowed_list /proc/self/status >> ran; sleep 0.002"
    result = benchctl.json("exec", "--cpus=2", "--warmup=0", busy, asks, *FEW, cwd=tmp_path)

    assert [row["cpus"] for row in result["benchmarks"]] == [2, 2] and result["comparisons"][0]["ratio"]["point"] > 0
    cpus = {line.split()[1] for line in (tmp_path / "ran").read_text().splitlines()}
    assert len(cpus) == 1 and len(cpus.pop().replace("-", ",").split(",")) == 2


def test_people_read_the_commands_as_they_were_typed(benchctl, tmp_path):
    result = tmp_path / "result.json"
    result.write_text(benchctl("exec", "sleep 0.002", "sleep 0.02", *FEW, "--format=json").stdout)
    shown = {name: benchctl("show", result, f"--format={name}").stdout for name in ("table", "details", "markdown", "csv", "html")}

    assert "# reference: sleep 0.002\n" in shown["table"] and "against sleep 0.002" in shown["markdown"]
    assert all("sleep 0.02" in text for text in shown.values())
    assert [name for name, text in shown.items() if "sleep_0" in text] == ["csv"], "the key of filters and of the history"


def test_a_history_has_the_command_as_it_was_typed(benchctl):
    """The socket of a run is no condition of it, by which no two runs would be alike."""
    result = benchctl.json("exec", "sleep 0.003; true", *FEW)
    told = benchctl("history", "exec/*").stdout
    assert "sleep 0.003; true" in told and "sleep_0.003" not in told
    assert "see" not in {control["name"] for control in result["environment"]["controls"]}


def test_a_program_without_a_shell_gets_its_words_as_they_are(benchctl, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    benchctl("exec", *FEW, "--", "touch", "--", "a b", "-c;d", cwd=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["-c;d", "a b"]


def test_a_command_that_fails_ends_the_run_with_its_exit_code_in_words(benchctl):
    for script, words in (("exit 7", "exit code 7"), ("kill -9 $$", "SIGKILL"), ("kill -STOP $$", "stopped itself")):
        done = benchctl("exec", script, *FEW, expect=3)
        assert words in done.stdout + done.stderr
    assert "no program" in benchctl("exec", "--", "no-such-program", expect=2).stderr

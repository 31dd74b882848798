# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of exec: hyperfine's names and letters do what hyperfine does, and a mistake is answered in words."""

import json
import os
import re
import subprocess

import pytest

from support.benchctl import BENCHMARK, DAEMON, USAGE, Benchctl
from support.paths import BUILD
from support.processes import may_mount

TOUCHES = "exec-asked exec-effort exec-parameters exec-plan exec-program exec-words trial verb-exec command-options settings settings-check"


def lines(path):
    return path.read_text().splitlines()


def test_hooks_surround_the_runs_in_order_and_know_their_numbers(benchctl, tmp_path):
    def say(name):
        return f"echo {name}$HYPERFINE_ITERATION >> log"

    words = [word for option, name in (("-s", "setup"), ("-p", "prepare "), ("-C", "conclude "), ("-c", "cleanup")) for word in (option, say(name))]
    benchctl("exec", "-w", "2", "-r", "3", *words, say("run ") + "; sleep 0.01", cwd=tmp_path, HYPERFINE_ITERATION="9")
    runs = [f"{name} {number}" for number in ("warmup-0", "warmup-1", 0, 1, 2) for name in ("prepare", "run", "conclude")]
    assert lines(tmp_path / "log") == ["setup", *runs, "cleanup"]


def test_a_hook_is_given_once_for_all_commands_or_once_for_each(benchctl, tmp_path):
    benchctl("exec", "-r", "1", "-s", "echo all >> log", "-c", "echo first >> log", "-c", "echo second >> log", "true", "true ", cwd=tmp_path)
    assert lines(tmp_path / "log") == ["all", "all", "first", "second"]
    assert "given 2 times, for 3 commands" in benchctl("exec", "-p", "a", "-p", "b", "true", "true", "true", expect=USAGE).stderr


def test_what_was_set_up_is_cleaned_up_also_where_the_trial_fails(benchctl, tmp_path):
    done = benchctl("exec", "-s", "touch there", "-c", "rm there; touch cleaned", "echo out; echo err >&2; exit 3", expect=BENCHMARK, cwd=tmp_path)
    assert "failed: exit code 3." in done.stderr and "| out" in done.stderr and "| err" in done.stderr
    assert (tmp_path / "cleaned").exists() and not (tmp_path / "there").exists()


@pytest.mark.parametrize("words, codes", [(["-i"], (1, 255)), (["--ignore-failure=3,4"], (3, 4)), (["--ignore-failure=all-non-zero"], (9,))])
def test_exit_codes_that_are_no_failure(benchctl, words, codes):
    for code in codes:
        benchctl("exec", *words, "-r", "1", f"exit {code}")
    assert "SIGKILL" in benchctl("exec", *words, "-r", "1", "kill -9 $$", expect=BENCHMARK).stderr
    if "3" in words[0]:
        assert "exit code 5" in benchctl("exec", *words, "-r", "1", "exit 5", expect=BENCHMARK).stderr


def test_parameters_make_a_command_of_each_combination(benchctl, tmp_path):
    words = ["-P", "n", "1", "2", "-D", "0.5", "-L", "c", "x,y", "-n", "{c}-{n}"]
    result = benchctl.json("exec", "-r", "2", *words, "-p", "echo prepare {n}{c} >> log", "echo {n} {c} >> log", cwd=tmp_path)
    assert [row["name"] for row in result["comparisons"]] == ["x-1.5", "x-2.0", "y-1", "y-1.5", "y-2.0"]
    assert [(of["command"], of["name"], of["value"]) for of in result["parameters"]][:4] == [(0, "n", "1"), (0, "c", "x"), (1, "n", "1.5"), (1, "c", "x")]
    tried = lines(tmp_path / "log")[:12]
    assert tried == [line for c in "xy" for n in ("1", "1.5", "2.0") for line in (f"prepare {n}{c}", f"{n} {c}")]


@pytest.mark.parametrize("runs", [1, 7, 40])
def test_as_many_runs_as_asked_for(benchctl, tmp_path, runs):
    benchctl("exec", "-r", runs, "echo >> ran", cwd=tmp_path)
    assert len(lines(tmp_path / "ran")) == 1 + runs


def test_at_least_as_many_runs_as_asked_for_end_by_the_precision(benchctl):
    result = benchctl.json("exec", "-m", "60", "--precision=90%", "--budget=600", "-N", "sleep 0.005")
    row, = result["benchmarks"]
    assert 60 <= row["samples"] < 600 and result["plan"]["precision"] == 0.9


def test_a_comparison_ends_at_a_look_unless_a_number_is_given(benchctl):
    ends = benchctl.json("exec", "-N", "true", "sleep 0.03")
    looks = [look["processes"] for look in ends["plan"]["looks"]]
    assert looks[0] == 8 and ends["plan"]["processes"] in looks and ends["comparisons"][0]["confidence"] > 0.95
    fixed = benchctl.json("exec", "-N", "-r", "3", "true", "sleep 0.03")
    assert fixed["plan"]["looks"] == [] and fixed["comparisons"][0]["end"] is None and fixed["plan"]["processes"] == 3


def test_without_a_warm_up_nothing_is_tried(benchctl, tmp_path):
    benchctl("exec", "-w", "0", "-m", "11", "echo >> ran", cwd=tmp_path)
    assert len(lines(tmp_path / "ran")) == 11


def test_input_and_output_are_files(benchctl, tmp_path):
    (tmp_path / "in").write_text("words\n")
    benchctl("exec", "-r", "3", "--input=in", "--output=out", "cat; cat", cwd=tmp_path)
    assert (tmp_path / "out").read_text() == "words\n"
    shown = benchctl("exec", "-r", "2", "--show-output", "-o", "result.json", "echo $((20 + 22))", cwd=tmp_path).stdout
    assert shown == "42\n" * 3 and (tmp_path / "result.json").stat().st_size > 1000


def test_each_command_has_an_output_of_its_own(benchctl, tmp_path):
    done = benchctl("exec", "-r", "2", "--output=null", "echo first", "--output=./second", "echo second", "--output=inherit", "echo third", cwd=tmp_path)
    assert lines(tmp_path / "second") == ["second"]
    assert done.stdout.count("third\n") >= 3 and "first\n" not in done.stdout.split("#")[0]
    refused = benchctl("exec", "--output=null", "--output=./x", "true", "true", "true", expect=USAGE)
    assert "--output is given 2 times, for 3 commands" in refused.stderr


def test_a_shell_is_chosen_or_none(benchctl, tmp_path):
    benchctl("exec", "-r", "1", "-S", "bash --norc", "[[ $BASH_VERSION ]]")
    benchctl("exec", "-r", "1", "-N", "touch 'a b' $HOME", cwd=tmp_path)
    assert (tmp_path / "$HOME").exists() and (tmp_path / "a b").exists()


def test_hyperfines_json_has_the_parameters_but_of_the_reference(benchctl):
    words = ["-r", "2", "-L", "n", "1,2", "sleep 0.0{n}", "--format=hyperfine"]
    for reference, parameters in (([], [{"n": "1"}, {"n": "2"}]), (["--reference", "true"], [None, {"n": "1"}, {"n": "2"}])):
        results = json.loads(benchctl("exec", *reference, *words).stdout)["results"]
        assert [result.get("parameters") for result in results] == parameters


def test_the_reference_is_the_first(benchctl):
    result = benchctl.json("exec", "-r", "3", "--reference", "sleep 0.4", "sleep 0.001", "sleep 0.01")
    assert [row["name"] for row in result["comparisons"]] == ["sleep_0.001", "sleep_0.01"]
    assert all(row["ratio"]["point"] < 0.9 for row in result["comparisons"])


def test_words_of_hyperfine_for_units_order_and_style(benchctl):
    done = benchctl("exec", "-r", "2", "-u", "second", "--sort", "command", "--style", "none", "sleep 0.01")
    assert re.search(r" 0\.\d+ s", done.stdout)


def test_the_result_is_exported_beside_the_table(benchctl, tmp_path):
    done = benchctl("exec", "-r", "3", "--export-json", "x.json", "--export-csv", "x.csv", "--export-markdown", "x.md", "sleep 0.01", cwd=tmp_path)
    result = json.loads((tmp_path / "x.json").read_text())["results"]
    assert "sleep 0.01" in done.stdout and [(row["command"], len(row["times"])) for row in result] == [("sleep 0.01", 3)]
    assert "sleep_0.01" in (tmp_path / "x.csv").read_text() and "sleep 0.01" in (tmp_path / "x.md").read_text()


WRITES = ["-o", "--raw", "--save-baseline", "--export-json", "--export-csv", "--export-markdown"]


@pytest.mark.parametrize("option", WRITES)
def test_a_file_that_cannot_be_written_costs_no_run(benchctl, tmp_path, option):
    refused = benchctl("exec", "-r", "1", option, "/no-such/x", "touch ran", expect=USAGE, cwd=tmp_path)
    assert refused.stderr.startswith("benchctl: Cannot write ") and "/no-such/x: No such file or directory." in refused.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not may_mount(), reason="a small file system is mounted")
@pytest.mark.parametrize("words", [["exec", "-r", "1", "touch ran"], ["run", "--quick", BUILD / "examples" / "minimal.so"]])
def test_a_full_file_system_costs_no_run(build, tmp_path, words):
    (tmp_path / "full").mkdir()
    fill = 'mount -t tmpfs -o size=4k none full && head -c 4096 /dev/zero > full/all && exec "$@"'
    for option in [option for option in WRITES if words[0] == "exec" or "export" not in option]:
        refused = subprocess.run(["unshare", "--mount", "sh", "-ec", fill, "sh", build / "client/ctl/benchctl", *words, "--private", f"{option}=full/x" if option != "-o" else "-ofull/x"],
                                 cwd=tmp_path, capture_output=True, text=True)
        assert refused.returncode == USAGE and "full/x: No space left on device." in refused.stderr and not refused.stdout
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(os.path.exists("/run/benchd/benchd.sock"), reason="this machine has a daemon")
def test_without_a_daemon_a_private_one_measures_unless_one_is_named(build):
    done = Benchctl(build)("exec", "-r", "2", "sleep 0.01")
    assert "No daemon runs: a private one measures" in done.stderr and "sleep 0.01" in done.stdout
    assert "Cannot reach the daemon" in Benchctl(build)("exec", "--socket=/no-such", "true", expect=DAEMON).stderr


@pytest.mark.parametrize("words, mentions", [
    ([], "No command was given."),
    (["--"], "No command was given."),
    (["--export-asciidoc=x", "true"], "There is --export-markdown"),
    (["--min-benchmarking-time", "3", "true"], "--min-runs and --precision say"),
    ([" "], "A command is empty."),
    (["-p", " ", "true"], "script of --prepare is empty"),
    (["-N", "echo 'a"], "The quote ' is not closed"),
    (["-N", "cd /"], "There is no program 'cd'."),
    (["-S", "nosh", "true"], "There is no shell 'nosh'."),
    (["-N", "-S", "bash", "true"], "-N is --shell=none"),
    (["-L", "x", "1,2", "true"], "No command uses the parameter 'x'"),
    (["-P", "x", "1", "2", "-D", "0", "{x}"], "must be over 0"),
    (["-P", "x", "2", "1", "{x}"], "counts upwards"),
    (["-P", "x", "1", "33", "{x}", "{x}"], "66 commands were given, of at most 64."),
    (["-D", "2", "true"], "which is not given"),
    (["-r", "0", "true"], "from 1 to 20000, not '0'"),
    (["-r", "5", "-m", "3", "true"], "cannot be combined with --min-runs"),
    (["-m", "5", "-M", "3", "true"], "--min-runs is over --max-runs."),
    (["-w", "x", "true"], "--warmup takes a whole number"),
    (["-n", "a", "-n", "a", "true", "true"], "Two commands have the name 'a'."),
    (["-n", "a", "-n", "b", "true"], "given 2 times, for 1 command"),
    (["-n", "x" * 192, "true"], "A name has 1 to 191 bytes"),
    (["--reference-name", "a", "true"], "--reference, which is not given"),
    (["--ignore-failure=0", "true"], "from 1 to 255"),
    (["--input", "/no-such-file", "true"], "Cannot read the input /no-such-file: No such file"),
    (["--input", "/", "true"], "it is a directory"),
    (["--output", "x.json", "true"], "The result goes to -o x.json"),
    (["--show-output", "--output=pipe", "true"], "--show-output is --output=inherit"),
    (["--style", "loud", "true"], "--style takes auto"),
    (["--cold=x", "true"], "--cold takes files or all"),
    (["--cpus=x", "true"], "--cpus takes a number of CPUs or a list"),
    (["--precision=0", "true"], "--precision takes a number"),
    (["--method=mark2", "true"], "--method is not an option of 'exec'"),
    (["--host=there", "true"], "--host is not an option of 'exec'"),
])
def test_a_mistake_is_answered_in_words(benchctl, words, mentions):
    done = benchctl("exec", *words, expect=USAGE)
    assert mentions in done.stderr and done.stdout == ""


def test_options_about_code_and_samples_are_refused(benchctl):
    shown = benchctl("exec", "--help").stdout

    for option in "--keep-samples", "--threads=2", "--method=mark2", "--memory", "--iterations=3", "--no-aslr", "--with=x.so", "--host=x", "--detach":
        name = option.partition("=")[0]
        assert f"{name} is not an option of 'exec'" in benchctl("exec", option, "true", expect=USAGE).stderr
        assert not re.search(rf"^  {name}\\b", shown, re.MULTILINE)
    for told in "--processes=K", "--samples=N", "--timeout=SECONDS":
        assert shown.count(told) == 1
    assert "benchmark (default" not in shown

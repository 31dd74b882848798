# SPDX-License-Identifier: GPL-3.0-or-later
"""show FILE.json of a run on several machines: what it prints, its exit status, and the options that do not fit it."""

import copy
import json
import subprocess

import pytest

from support import drawn, schemas
from support.benchctl import BENCHMARK, CANCELLED, DAEMON, DONE, MACHINE, USAGE, Benchctl
from support.modules import EMPTY
from support.paths import SOURCE

TOUCHES = "client/ctl/ask/fleet/fleet* client/ctl/model/fleet* report-fleet* show*"


SLOWER, UNFIT, LIMIT = 1, 6, 8
GOLDEN = SOURCE / "tests/golden"
RUN, COMPARISON, THESE = map(drawn.golden, ("fleet", "fleet-comparison", "fleet-these"))


@pytest.fixture
def show(build, tmp_path):
    """Shows a document that is written to a file first."""
    def run(document, *words, expect=DONE):
        path = tmp_path / "fleet.json"
        path.write_text(json.dumps(document))
        return Benchctl(build, cwd=tmp_path, TZ="CET-1", LC_ALL="C.UTF-8")("show", path, *words, expect=expect)
    return run


def of_states(*states, failed=False):
    """A document of machines in these states."""
    document = copy.deepcopy(RUN)
    machines = document["fleet"]["machines"][:len(states)]
    for machine, state in zip(machines, states):
        machine["state"] = state
    document["fleet"]["machines"] = machines
    document["verdict"] = "fit" if set(states) == {"done"} else "partial"
    document["benchmarks"] = [row for row in document["benchmarks"] if failed or not row["failed"]]
    return document


def test_a_saved_document_is_shown_as_the_run_showed_it(show, tmp_path):
    assert show(COMPARISON).stdout == (GOLDEN / "fleet-comparison.txt").read_text(), "100 columns without a terminal"
    assert json.loads(show(COMPARISON, "--format=json").stdout) == COMPARISON
    show(COMPARISON, "-o", "fleet.md")
    assert (tmp_path / "fleet.md").read_text() == (GOLDEN / "fleet-comparison.markdown.txt").read_text()


def test_several_modules_are_shown_one_after_the_other(show):
    shown = show([COMPARISON, COMPARISON]).stdout

    assert shown.count("OK: 3 machines") == 2
    assert len(json.loads(show([COMPARISON, COMPARISON], "--format=json").stdout)) == 2
    one_machine = COMPARISON["fleet"]["machines"][0]["result"]
    assert "does not hold the result of a run" in show([COMPARISON, one_machine], expect=USAGE).stderr


@pytest.mark.parametrize("several_modules", [False, True], ids=["one-module", "two-modules"])
def test_a_baseline_of_several_machines_is_refused_with_the_way_to_that_of_one(build, show, modules, tmp_path, several_modules):
    """As a run would be, before anything is measured: no daemon is asked."""
    (tmp_path / "many.json").write_text(json.dumps([RUN, RUN] if several_modules else RUN))
    done = Benchctl(build, f"--socket={tmp_path}/none", cwd=tmp_path)("run", "--baseline=many.json", modules(EMPTY), expect=USAGE)
    assert "many.json holds the results of several machines, not of one." in done.stderr
    subprocess.run(["sh", "-c", done.stderr.split("Take out that of one machine: ")[1]], check=True, cwd=tmp_path)
    one = json.loads((tmp_path / "one.json").read_text())
    assert one == ([RUN["fleet"]["machines"][0]["result"]] * 2 if several_modules else RUN["fleet"]["machines"][0]["result"])
    show(one, "--baseline=one.json")


@pytest.mark.parametrize("states, failed, status", [
    (["done", "done"], False, DONE),
    (["done", "lost"], False, DAEMON),
    (["done", "refused"], False, DAEMON),
    (["done", "partial"], False, CANCELLED),
    (["done", "partial", "lost"], False, DAEMON),
    (["done", "done"], True, BENCHMARK),
    (["done", "lost"], True, DAEMON),
])
def test_the_exit_status_tells_the_machines_that_are_missing(show, states, failed, status):
    show(of_states(*states, failed=failed), expect=status)


def test_conditions_hold_for_the_numbers_over_the_machines(show):
    show(COMPARISON, "--fail-on=slower", expect=SLOWER)
    show(THESE, "--fail-on=slower", expect=BENCHMARK)
    assert "strings/memchr n=67108864 takes longer" in show(of_states("done"), "--fail-on=time>1ms", expect=LIMIT).stderr
    document = of_states("done")
    document["benchmarks"] = [row for row in document["benchmarks"] if row["over"]]
    show(document, "--fail-on=time>10ms")
    show(dict(COMPARISON, verdict="unfit"), "--fail-on=unfit", expect=UNFIT)


def test_a_condition_does_not_hold_where_there_is_no_number(show):
    document = of_states("done")  # one of its classes has a machine too few
    assert "cannot judge a row that has no number" in show(document, "--fail-on=time>10ms", expect=MACHINE).stderr
    show(document)


def test_the_brief_form_is_by_its_schema(show):
    brief = schemas.validator("fleet-result", "brief")
    for document, status in (RUN, DAEMON), (COMPARISON, DONE):
        shown = json.loads(show(document, "--brief", expect=status).stdout)
        brief.validate(shown)
        assert [row["over"] for row in shown["benchmarks"]] == [row["over"] for row in document["benchmarks"]]
        assert shown["fleet"]["machines"][-1]["name"] == document["fleet"]["machines"][-1]["name"]


def test_columns_of_several_machines_are_unknown_to_one(build):
    for words in ["run", "--columns=spread"], ["compare", "--columns=range", "a.so", "b.so"], ["wait", "--columns=machines", "0123"]:
        assert "unknown column" in Benchctl(build)(*words, expect=USAGE).stderr


def test_columns_rows_and_times_are_chosen_as_for_one_machine(show):
    titles = [line for line in show(COMPARISON, "--columns=verdict,spread,range,quiet").stdout.splitlines() if "verdict" in line][0]
    assert titles.split() == ["verdict", "spread", "lowest", "…", "highest"]
    sorted_ = show(COMPARISON, "--sort=ratio").stdout
    assert sorted_.index("find_last") < sorted_.index("heapsort") < sorted_.index("quicksort")
    one_class = of_states("done")
    one_class["benchmarks"] = [row for row in one_class["benchmarks"] if row["machine_class"] == RUN["fleet"]["classes"][0]["machine_class"]]
    scaled = show(one_class, "--scale=memchr/n=16", "--format=details").stdout.split("\n")
    row = next(i for i, line in enumerate(scaled) if line.lstrip().startswith("strings/memchr n=16 "))
    alder = RUN["benchmarks"][0]["machines"][0]["point"] / RUN["benchmarks"][0]["time_ns"]["point"]
    assert (scaled[row].split()[2], scaled[row + 1].split()[:2]) == ("1.000", ["alder", f"{alder:.4f}"])
    assert show(RUN, "--sort=time", expect=DAEMON).stdout.count("AMD EPYC 9654 96-Core Processor: ") == 1, "classes stay together"


def test_a_run_without_a_number_says_so_in_words(show):
    document = of_states("lost", "refused")
    document["fleet"].update(asked=2, measured=0, classes=[])
    lines = show({**document, "benchmarks": [], "verdict": "failed"}, expect=DAEMON).stdout.splitlines()
    assert "on none of 2 machines" in lines[0] + lines[1] and lines[-1].startswith("Failed: 0 of 2 machines, 0 benchmarks.")

    one_class = [row for row in RUN["benchmarks"] if not row["over"] and not row["failed"]]
    lines = show({**of_states("done"), "benchmarks": one_class}).stdout.splitlines()
    assert sum(line.endswith("on 1 machine (not pooled)") for line in lines) == 4
    assert not any("interval" in line for line in lines), "no title of a number where there is none"


@pytest.mark.parametrize("words, told", [
    (["--format=go"], "Cannot print a result of several machines as go; its formats are table, details, json, csv, markdown and html."),
    (["--raw=x.npz"], "--raw is for the result of one machine"),
    (["--plot"], "--plot is for the result of one machine"),
    (["--save-baseline=x.json"], "A baseline is the result of one machine"),
])
def test_an_option_for_one_machine_is_refused_in_words(show, tmp_path, words, told):
    assert told in show(RUN, *words, expect=USAGE).stderr
    assert not (tmp_path / "x.json").exists() and not (tmp_path / "x.npz").exists()

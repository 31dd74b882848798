# SPDX-License-Identifier: GPL-3.0-or-later
"""run and compare on several machines over ssh, each of which is a host of the loopback's sshd with a daemon of its own."""

import json
import os
import re
import signal
import subprocess

import pytest

from support.benchctl import BENCHMARK, BRIEF, DAEMON, TIMEOUT_S, Benchctl
from support.far import SLOW, await_processes
from support.modules import EMPTY

TWO = EMPTY + "\nBENCH(other) { bench_loop(b) bench_clobber(); }"
DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]+ [A-Z]+"
PICKY = """
#include <string.h>
#include <sys/utsname.h>
BENCH(picky)
{
        struct utsname name;

        if (uname(&name) == 0 && strcmp(name.nodename, "lab2") == 0)
                bench_fail(b, "not on lab2");
        bench_loop(b) bench_clobber();
}
"""


def test_several_hosts_make_one_result_over_machines(over, machines, modules):
    document = over("lab1,lab2,lab3").json("run", modules(TWO), *BRIEF)
    fleet = document["fleet"]
    assert (fleet["asked"], fleet["measured"]) == (3, 3)
    assert [(machine["name"], machine["state"]) for machine in fleet["machines"]] == [("lab1", "done"), ("lab2", "done"), ("lab3", "done")]
    assert [one["machines"] for one in fleet["classes"]] == [["lab1", "lab2", "lab3"]]
    assert [machine["machine_name"] for machine in fleet["machines"]] == ["lab1", "lab2", "lab3"]
    assert len({machine["id"] for machine in fleet["machines"]}) == 3
    assert [row["name"] for row in document["benchmarks"]] == ["empty", "other"]
    for row in document["benchmarks"]:
        assert row["over"] == "machines"
        assert row["time_ns"]["low"] <= row["time_ns"]["point"] <= row["time_ns"]["high"]
        assert [(machine["name"], machine["processes"]) for machine in row["machines"]] == [("lab1", 3), ("lab2", 3), ("lab3", 3)]


def test_two_names_of_one_machine_are_told(over, machine, modules):
    document = over("lab1,root@lab1").json("run", modules(EMPTY), *BRIEF)
    assert [warning["text"].split(":")[0] for warning in document["warnings"] if warning["kind"] == "same-machine"] == [
        "lab1 and root@lab1 have one machine id, as one machine under several names has"]


def test_the_table_of_several_hosts_names_each(over, machines, modules):
    done = over("lab1,lab2,lab3")("run", modules(EMPTY), *BRIEF)
    assert re.search(r"^# 3 machines of class [0-9a-f]{16}: lab1, lab2 and lab3$", done.stdout, re.M)
    assert re.search(r"^\w+/empty +[\d.]+ [pn]s .* 3 ", done.stdout, re.M)
    assert re.search(r"^(OK|[1-3] of 3 machines not reliable|Cannot tell).*: 3 machines, 1 benchmark\b.*[.]$", done.stdout, re.M)
    assert done.stderr == ""


@pytest.mark.parametrize("options", [[], ["--private"]], ids=["daemons", "private"])
def test_a_run_begins_its_table_as_show_does_from_its_file(build, over, machines, modules, options, tmp_path):
    """With the platform of a class, and no name of one machine before it."""
    there, file = over("lab1,lab2,lab3", *options), tmp_path / "result.json"
    there("run", modules(EMPTY), *BRIEF, "-o", file)
    printed, shown = there("run", modules(EMPTY), *BRIEF).stdout, Benchctl(build)("show", file).stdout

    def head(table):
        return [re.sub(DATE, "", line) for line in table.split("\n\n")[0].splitlines()]

    assert head(printed) == head(shown)
    assert not re.match("# (lab1|vm), ", printed)


def test_old_and_new_are_compared_on_each_of_several_hosts(over, machines, modules):
    document = over("lab1,lab2,lab3").json("compare", modules(EMPTY, name="old"), modules(EMPTY + "\n", name="new"), *BRIEF)
    [row] = document["comparisons"]
    assert row["over"] == "machines"
    assert [machine["name"] for machine in row["machines"]] == ["lab1", "lab2", "lab3"]
    assert row["ratio"]["low"] <= row["ratio"]["point"] <= row["ratio"]["high"]


def test_hosts_may_stand_in_a_file(over, machines, modules, tmp_path):
    (tmp_path / "hosts").write_text("# the rack\nlab1\n\nlab2 # the other\n")
    document = over(f"@{tmp_path}/hosts").json("run", modules(EMPTY), *BRIEF)
    assert [machine["name"] for machine in document["fleet"]["machines"]] == ["lab1", "lab2"]
    assert [row["over"] for row in document["benchmarks"]] == ["these machines"]


@pytest.mark.parametrize("least, over_what", [([], None), (["--min-machines=2"], "these machines")], ids=["default", "two-are-enough"])
def test_a_host_that_cannot_be_reached_is_named_and_left_out(over, machines, modules, least, over_what):
    document = over("lab1,nowhere.invalid,lab3").json("run", modules(EMPTY), *BRIEF, *least, expect=DAEMON)
    states = {machine["name"]: machine["state"] for machine in document["fleet"]["machines"]}
    assert states == {"lab1": "done", "nowhere.invalid": "refused", "lab3": "done"}
    assert document["verdict"] == "partial"
    [row] = document["benchmarks"]
    assert row["over"] == over_what
    assert (row["time_ns"]["point"] is None) == (over_what is None)
    assert [machine["name"] for machine in row["machines"]] == ["lab1", "lab3"]


def test_a_host_that_freezes_is_lost_by_ssh_s_own_clock_and_the_others_complete(over, sshd, machines, modules):
    patience = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2"]
    command = over("lab1,lab2,lab3", shared=False, ssh=patience).command("run", "--format=json", modules(SLOW), "--processes=4", "--samples=3", "--warmup=1")
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    await_processes(machines, 1, lambda: run.poll() is None)
    session, _ = sshd.find_bridge("lab2")
    os.kill(session, signal.SIGSTOP)
    document = json.loads(run.communicate(timeout=TIMEOUT_S)[0])
    os.kill(session, signal.SIGKILL)
    assert run.returncode == DAEMON
    assert [machine["state"] for machine in document["fleet"]["machines"]] == ["done", "lost", "done"]
    assert [machine["processes"] for machine in document["benchmarks"][0]["machines"]] == [4, 4]


def test_a_benchmark_that_fails_on_one_host_fails_its_row_and_no_other(over, machines, modules):
    document = over("lab1,lab2,lab3").json("run", modules(PICKY + EMPTY), *BRIEF, expect=BENCHMARK)
    assert document["verdict"] == "partial"
    rows = {row["name"]: row for row in document["benchmarks"]}
    assert rows["picky"]["failed"]["machine"] == "lab2" and "not on lab2" in rows["picky"]["failed"]["message"]
    assert rows["picky"]["time_ns"]["point"] is None
    assert rows["empty"]["failed"] is None and rows["empty"]["over"] == "machines"

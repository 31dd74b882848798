# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl within an allocation of Slurm, whose nodes are all this machine, each with a daemon of its own."""

import json
import os
import re
import signal
import subprocess

import pytest

from support.benchctl import BRIEF, CANCELLED, DAEMON, DONE, MACHINE, TIMEOUT_S, USAGE, Benchctl
from support.far import MODULE_MAX, SLOW, await_processes, padded
from support.modules import EMPTY
from support.paths import let_others_enter
from support.sshd import GAMES_UID


class Allocated(Benchctl):
    """A benchctl that has an allocation of its own for each call."""

    def __init__(self, slurm, *allocation, where=("--host=slurm",), **user):
        super().__init__(slurm.far.directory, *where)
        self.slurm = slurm
        self.allocation = allocation
        self.user = user

    def command(self, *words):
        return [*self.slurm.salloc(*self.allocation), *super().command(*words)]

    def begin(self, *words):
        """In a session of its own, since salloc signals its process group."""
        return subprocess.Popen(self.command(*words), start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.slurm.environment, **self.user)

    def __call__(self, *words, expect=DONE):
        return end(self.begin(*words), expect)


def end(process, expect):
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == expect, f"exit code {process.returncode}: {stdout}{stderr}"
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.fixture
def allocated(slurm, nodes):
    return lambda *allocation, **options: Allocated(slurm, *allocation, **options)


def states(document):
    return {machine["name"]: machine["state"] for machine in document["fleet"]["machines"]}


# ---- one node

def test_one_node_is_a_machine_that_srun_reaches(build, allocated, nodes, modules):
    there = allocated("--nodes=1", "--nodelist=n2", where=["--host=n2", "--rsh=srun -u -Q -N1 -n1 --overlap -w"])
    result = there.json("run", modules(EMPTY), *BRIEF)
    assert Benchctl(build, f"--socket={nodes['n2'].socket}").json("show", result["run_id"]) == result


# ---- several

def test_a_run_is_on_all_nodes_of_the_allocation(allocated, modules):
    document = allocated("--nodes=3").json("run", modules(EMPTY), *BRIEF)
    assert states(document) == {"n1": "done", "n2": "done", "n3": "done"}
    [row] = document["benchmarks"]
    assert row["over"] == "machines"
    assert [machine["processes"] for machine in row["machines"]] == [3, 3, 3]


def test_old_and_new_are_compared_on_each_node(allocated, modules):
    document = allocated("--nodes=3").json("compare", modules(EMPTY, name="old"), modules(EMPTY + "\n", name="new"), *BRIEF)
    [row] = document["comparisons"]
    assert [machine["name"] for machine in row["machines"]] == ["n1", "n2", "n3"] and row["over"] == "machines"


@pytest.mark.parametrize("nodes_of_class, constraint, names", [(2, "type_a", ["n1", "n2"]), (1, "type_b", ["n3"])])
def test_a_constraint_chooses_the_class_of_machines(allocated, modules, nodes_of_class, constraint, names):
    document = allocated(f"--nodes={nodes_of_class}", f"--constraint={constraint}").json("run", modules(EMPTY), *BRIEF)
    assert list(states(document)) == names
    assert [row["over"] for row in document["benchmarks"]] == ["these machines"]


def test_a_module_of_64_mib_goes_to_each_node(allocated, modules, tmp_path):
    document = allocated("--nodes=3").json("run", padded(modules(EMPTY), tmp_path / "largest.so", MODULE_MAX), *BRIEF)
    assert states(document) == {"n1": "done", "n2": "done", "n3": "done"}


def test_an_allocation_of_fewer_machines_than_the_least_is_refused(allocated, modules):
    done = allocated("--nodes=3")("run", modules(EMPTY), *BRIEF, "--min-machines=4", expect=USAGE)
    assert "--min-machines=4 needs as many machines, and --host names 3." in done.stderr


def test_a_user_measures_as_root_does(allocated, modules):
    module = modules(EMPTY)
    let_others_enter(module)
    theirs = allocated("--nodes=3", user=GAMES_UID, group=60, extra_groups=[]).json("run", module, *BRIEF)
    roots = allocated("--nodes=3").json("run", module, *BRIEF)
    for document in theirs, roots:
        assert set(states(document).values()) == {"done"}

    def conditions(document):
        return [(machine["result"]["environment"]["scheduler"], machine["result"]["environment"]["isolation"]) for machine in document["fleet"]["machines"]]

    assert conditions(theirs) == conditions(roots)


def test_a_benchctl_outside_of_an_allocation_says_how_to_get_one(build, modules):
    environment = dict.fromkeys(name for name in os.environ if name.startswith("SLURM"))
    done = Benchctl(build, "--host=slurm")("run", modules(EMPTY), expect=USAGE, **environment)
    assert "SLURM_JOB_NODELIST" in done.stderr and "salloc" in done.stderr


def test_the_class_that_status_prints_is_a_feature_to_choose_by(slurm, allocated, modules):
    printed = slurm.run("srun", "--nodelist=n2", "benchctl", "status").stdout
    machine_class = re.search(r"^machine class +([0-9a-f]{16})$", printed, re.M)[1]
    set_feature = ["scontrol", "update", "NodeName=n2"]
    slurm.run(*set_feature, f"AvailableFeatures={machine_class}", f"ActiveFeatures={machine_class}", check=True)
    document = allocated("--nodes=1", f"--constraint={machine_class}").json("run", modules(EMPTY), *BRIEF)
    slurm.run(*set_feature, "AvailableFeatures=type_a", "ActiveFeatures=type_a", check=True)
    assert states(document) == {"n2": "done"}
    assert [one["machine_class"] for one in document["fleet"]["classes"]] == [machine_class]


def test_the_command_to_try_for_a_node_that_is_none_asks_a_node_of_that_name(slurm, nodes, modules):
    """It stands alone: typed in a shell without an allocation too."""
    run = Benchctl(slurm.far.directory, "--host=slurm").command("run", modules(EMPTY), *BRIEF)
    refused = slurm.run(*slurm.salloc("--nodes=1", "--nodelist=n1"), "env", "SLURM_JOB_NODELIST=n1,n77", *run).stderr
    [command] = re.findall("or try: (.*)", refused)
    assert "Invalid" in slurm.run("sh", "-c", command).stderr
    tried = slurm.run("sh", "-c", command.replace("n77", "n2"), check=True).stdout
    assert re.search("^machine +n2", tried, re.M), tried


def test_the_command_of_a_hint_asks_the_node_that_gave_it(slurm, allocated, modules):
    said = allocated("--nodes=2", "--nodelist=n1,n2")("run", "--cpus=77", modules(EMPTY), *BRIEF, expect=MACHINE).stderr
    commands = re.findall("^ +'(benchctl status --host=.*)' ", said, re.M)
    named = [re.search("^machine +(.*)$", slurm.run("sh", "-c", command, check=True).stdout, re.M)[1] for command in commands]
    assert sorted(named) == ["n1", "n2"]


# ---- losses

@pytest.mark.parametrize("how", ["dies", "freezes"])
def test_a_node_that_is_lost_is_named_and_the_others_complete(slurm, allocated, nodes, modules, how):
    run = allocated("--nodes=3").begin("run", "--format=json", modules(SLOW), "--processes=4", "--samples=3", "--min-time=0.01", "--warmup=1")
    await_processes(nodes.values(), 1, lambda: run.poll() is None)
    if how == "dies":
        slurm.kill_node("n2")
    else:
        slurm.freeze_node("n2")
    try:
        document = json.loads(end(run, DAEMON).stdout)
    finally:
        slurm.kill_node("n2")
        slurm.revive_node("n2")
    assert states(document) == {"n1": "done", "n2": "lost", "n3": "done"}
    assert document["verdict"] == "partial" and document["fleet"]["machines"][1]["error"]["message"]
    [row] = document["benchmarks"]
    assert [(machine["name"], machine["processes"]) for machine in row["machines"]] == [("n1", 4), ("n3", 4)]
    assert row["over"] is None and row["time_ns"]["point"] is None, "the lost one was of their class"
    assert len({machine["machine_class"] for machine in document["fleet"]["machines"]}) == 1


LONG = ["--format=json", "--processes=1000", "--samples=2", "--warmup=1"]


def is_what_was_complete(document):
    assert set(states(document).values()) == {"partial"} and document["verdict"] == "partial"
    for machine in document["fleet"]["machines"]:
        [row] = machine["result"]["benchmarks"]
        assert 3 <= len(row["processes"]) < 1000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["terminal", "job"])
def test_a_signal_to_benchctl_and_its_srun_alike_loses_nothing(allocated, nodes, modules, number):
    """As Ctrl-C on a terminal and a build server send it."""
    run = allocated("--nodes=3", "--kill-command").begin("run", *LONG, modules(EMPTY))
    await_processes(nodes.values(), 3, lambda: run.poll() is None)
    os.killpg(run.pid, number)
    is_what_was_complete(json.loads(end(run, CANCELLED).stdout))


def test_scancel_of_an_allocation_prints_what_is_complete(slurm, allocated, nodes, modules):
    run = allocated("--nodes=3", "--kill-command").begin("run", *LONG, modules(EMPTY))
    await_processes(nodes.values(), 3, lambda: run.poll() is None)
    slurm.run("scancel", slurm.run("squeue", "--noheader", "--format=%A").stdout.strip(), check=True)
    is_what_was_complete(json.loads(end(run, CANCELLED).stdout))


def test_scancel_of_a_script_prints_what_is_complete(slurm, nodes, modules, tmp_path):
    script = f"#!/bin/sh\nexec benchctl run --host=slurm --output={tmp_path}/result.json {' '.join(LONG)} {modules(EMPTY)}\n"
    job = subprocess.run(["sbatch", "--nodes=3", "--no-kill", "--parsable", f"--output={tmp_path}/output"], input=script, capture_output=True, text=True,
                         env=slurm.environment, check=True).stdout.strip()

    def goes_on():
        return slurm.run("squeue", "--noheader", "--jobs", job).stdout

    await_processes(nodes.values(), 3, goes_on)
    slurm.run("scancel", job, check=True)
    while goes_on():
        pass
    is_what_was_complete(json.loads((tmp_path / "result.json").read_text()))

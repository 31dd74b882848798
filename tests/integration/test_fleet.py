# SPDX-License-Identifier: GPL-3.0-or-later
"""A run on several machines over a pipe: each host is a private daemon of this machine, by a command in place of ssh."""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest

import benchd_pb2 as pb
from support.benchctl import BRIEF, CANCELLED, DAEMON, MACHINE, TIMEOUT_S, USAGE, Benchctl
from support.client import varint
from support.modules import EMPTY
from support.processes import descendants, read_proc

TOUCHES = "client/ctl/ask/fleet/* client/ctl/model/fleet/* report-fleet* machines"


@pytest.fixture
def over(build, tmp_path):
    """A benchctl of hosts. The host "dead" cannot be reached, and "talks" greets who comes."""
    script = tmp_path / "rsh"
    script.write_text('#!/bin/sh\nhost=$1\nshift\ncase $host in\ndead) exit 255 ;;\ntalks) echo Welcome; exit ;;\nesac\n'
                      f'export FAR=$host PATH={shlex.quote(str(build / "client/ctl"))}:$PATH\nexec sh -c "$*"\n')
    script.chmod(0o755)
    return lambda hosts: Benchctl(build, f"--host={hosts}", f"--rsh={shlex.quote(str(script))}", "--private")


def bridge_of(benchctl, host):
    """The process number of the bridge at @host."""
    [found] = [pid for pid in descendants(benchctl) if read_proc(pid, "cmdline").startswith(b"benchctl\0bridge\0")
               and f"FAR={host}".encode() in read_proc(pid, "environ").split(b"\0")]
    return found


def states(document):
    return {machine["name"]: machine["state"] for machine in document["fleet"]["machines"]}


def test_each_machine_has_its_result_and_all_of_them_a_number(over, modules, tmp_path):
    (tmp_path / "hosts").write_text("b # second in the alphabet\n\na\nc\n")
    document = over(f"@{tmp_path}/hosts").json("run", modules(EMPTY), *BRIEF)
    assert states(document) == {"b": "done", "a": "done", "c": "done"}
    assert (document["fleet"]["asked"], document["fleet"]["measured"]) == (3, 3)
    [row] = document["benchmarks"]
    assert [machine["name"] for machine in row["machines"]] == ["b", "a", "c"] and row["over"] == "machines"
    assert row["time_ns"]["low"] <= row["time_ns"]["point"] <= row["time_ns"]["high"]
    for machine in document["fleet"]["machines"]:
        assert [row["name"] for row in machine["result"]["benchmarks"]] == ["empty"]


def test_a_comparison_has_both_sides_on_each_machine(over, modules):
    document = over("a,b").json("compare", modules(EMPTY, name="old"), modules(EMPTY + "\n", name="new"), *BRIEF)
    [row] = document["comparisons"]
    assert [machine["name"] for machine in row["machines"]] == ["a", "b"] and row["over"] == "these machines"
    assert [len(machine["result"]["comparisons"]) for machine in document["fleet"]["machines"]] == [1, 1]


def test_machines_that_cannot_be_reached_are_named_and_left_out(over, modules):
    done = over("a,dead,talks")("run", modules(EMPTY), *BRIEF, "--format=json", expect=DAEMON)
    document = json.loads(done.stdout)
    assert states(document) == {"a": "done", "dead": "refused", "talks": "refused"}
    assert document["verdict"] == "partial" and document["benchmarks"][0]["over"] is None
    assert "at dead:" in done.stderr and 'at talks: its shell printed "Welcome"' in done.stderr


def test_a_machine_that_is_lost_meanwhile_takes_no_other_with_it(over, modules, tmp_path):
    file = tmp_path / "result.json"
    run = over("a,b,c").on_terminal("run", modules(EMPTY), "--processes=60", "--samples=2", "--warmup=1", "--min-machines=2",
                                            "-o", file)
    run.await_text("3 measuring")
    os.kill(bridge_of(run.process.pid, "b"), signal.SIGKILL)
    run.end(DAEMON)
    document = json.loads(file.read_text())
    assert states(document) == {"a": "done", "b": "lost", "c": "done"}
    assert document["verdict"] == "partial"
    [row] = document["benchmarks"]
    assert [machine["name"] for machine in row["machines"]] == ["a", "c"] and row["over"] is not None


def test_ctrl_c_ends_all_of_them_with_what_is_complete(over, modules, tmp_path):
    file = tmp_path / "result.json"
    run = over("a,b").on_terminal("run", modules(EMPTY), "--processes=1000", "--samples=2", "--warmup=1", "-o", file)
    run.await_text("2 measuring .* process ([3-9]|[0-9]{2,}) of [0-9]+")
    os.kill(run.process.pid, signal.SIGINT)
    run.end(CANCELLED)
    document = json.loads(file.read_text())
    assert states(document) == {"a": "partial", "b": "partial"}
    assert document["verdict"] == "partial"
    numbers = {}  # the live line tells of one machine, so no process of the other may be complete
    for machine in document["fleet"]["machines"]:
        assert machine["result"]["verdict"] == "partial"
        numbers |= {machine["name"]: row["time_ns"]["point"] for row in machine["result"]["benchmarks"] if row["time_ns"]}
    [row] = document["benchmarks"]
    assert numbers and {machine["name"]: machine["point"] for machine in row["machines"]} == numbers


def test_none_is_reached(over, modules):
    done = over("dead,talks")("run", modules(EMPTY), *BRIEF, expect=DAEMON)
    assert done.stderr.count("Cannot reach the daemon at") == 2


def test_a_machine_that_is_named_twice_is_refused(over, modules):
    assert "a is named twice" in over("a,b,a")("run", modules(EMPTY), *BRIEF, expect=USAGE).stderr


def test_all_machines_are_hung_up_on_before_the_end_of_one_is_awaited(build, modules, tmp_path):
    """The command of each host ends once it knows that the bridge of the other has ended too."""
    script = tmp_path / "rsh"
    script.write_text(f'#!/bin/sh\nhost=$1\nshift\nPATH={shlex.quote(str(build / "client/ctl"))}:$PATH sh -c "$*"\ncd {shlex.quote(str(tmp_path))}\n'
                      'touch ended-$host\nuntil [ -e ended-a ] && [ -e ended-b ]; do sleep 0.05; done\ntouch both-$host\n')
    script.chmod(0o755)
    Benchctl(build, "--host=a,b", f"--rsh={shlex.quote(str(script))}", "--private")("run", modules(EMPTY), *BRIEF)
    assert (tmp_path / "both-a").exists() and (tmp_path / "both-b").exists()


def test_more_machines_than_a_shell_allows_open_files(build, modules, tmp_path):
    (tmp_path / "hosts").write_text("".join(f"host{i}\n" for i in range(40)))
    command = Benchctl(build, f"--host=@{tmp_path}/hosts", "--rsh=false").command("run", modules(EMPTY), *BRIEF)
    soft, hard = (subprocess.run(["sh", "-c", f'{limit}; exec "$@"', "sh", *command], capture_output=True, text=True, timeout=TIMEOUT_S)
                  for limit in ("ulimit -Sn 32", "ulimit -n 32"))
    assert (soft.returncode, soft.stderr.count("'false' exited before")) == (DAEMON, 40), soft.stderr
    assert (hard.returncode, hard.stdout) == (MACHINE, "") and "40 machines take 104 open files, and 32 are allowed." in hard.stderr


STATUS, RUN = 2, 3  # the ids of the requests behind the greeting


def pretended(path, *replies, then="while os.read(0, 65536): pass"):
    """A far side that greets, and answers the first request with @replies."""
    greeting = pb.Reply(id=1, last=True, hello=pb.HelloReply(protocol_version=0, module_max_bytes=1 << 20))
    hello, *answers = (varint(len(data)) + data for data in (reply.SerializeToString() for reply in (greeting, *replies)))
    path.write_text("import os, sys\n"
                    "def take(n):\n"
                    "    data = b''\n"
                    "    while len(data) < n:\n"
                    "        data += os.read(0, n - len(data)) or sys.exit()\n"
                    "    return data\n"
                    f"os.write(1, b'benchd-bridge 1\\n' + {hello!r})\n"
                    "n = take(2)[1]\n"  # no files, and the length of the greeting
                    "take(n + 1)\n"
                    f"os.write(1, {b''.join(answers)!r})\n"
                    f"{then}\n")
    return f"{sys.executable} {path}"


def beside(build, over, tmp_path, rsh, hosts="a,b,c"):
    """benchctl with these hosts, and the pretended host "odd"."""
    script = tmp_path / "beside"
    script.write_text(f'#!/bin/sh\n[ "$1" != odd ] || exec {rsh}\nexec {shlex.quote(str(tmp_path / "rsh"))} "$@"\n')
    script.chmod(0o755)
    return Benchctl(build, f"--host={hosts},odd", f"--rsh={shlex.quote(str(script))}", "--private")


def test_a_machine_that_is_silent_when_all_are_cancelled_takes_no_result_with_it(build, over, modules, tmp_path):
    file = tmp_path / "result.json"
    run = beside(build, over, tmp_path, pretended(tmp_path / "far.py")).on_terminal("run", modules(EMPTY), *BRIEF, "-o", file)
    run.await_text("3 of 4 machines done")
    os.kill(run.process.pid, signal.SIGTERM)
    run.await_text("odd: It did not answer when the run was cancelled.")
    run.end(CANCELLED)
    assert states(json.loads(file.read_text())) == {"a": "done", "b": "done", "c": "done", "odd": "lost"}


def test_a_failure_counts_though_its_machine_is_lost_before_its_result(build, over, modules, tmp_path):
    failed = pb.BenchmarkResult(area="module", name="empty", threads=1, failed=pb.Failure(code="timeout", message="It hung."))
    rsh = pretended(tmp_path / "far.py", pb.Reply(id=RUN, benchmark=failed), then="")
    module = modules('BENCH(empty, .area = "module") { bench_loop(b) bench_clobber(); }')
    document = beside(build, over, tmp_path, rsh).json("run", module, *BRIEF, expect=DAEMON)
    assert states(document) == {"a": "done", "b": "done", "c": "done", "odd": "lost"}
    [row] = document["benchmarks"]
    assert (row["failed"]["code"], row["failed"]["machine"], row["over"]) == ("timeout", "odd", None)


@pytest.mark.parametrize("told, over_what", [("0" * 16, "these machines"), (None, None)], ids=["another-class", "unknown"])
def test_a_machine_that_is_lost_takes_the_number_of_classes_that_may_be_its_own(build, over, modules, tmp_path, told, over_what):
    status = pb.Status(environment=pb.Environment(machine=pb.Machine(id="1" * 32, **({"class": told} if told else {}))))
    rsh = pretended(tmp_path / "far.py", pb.Reply(id=STATUS, last=True, status=status), then="")
    document = beside(build, over, tmp_path, rsh, hosts="a,b").json("run", modules(EMPTY), *BRIEF, expect=DAEMON)
    odd = document["fleet"]["machines"][2]
    assert (odd["state"], odd["id"], odd["machine_class"]) == ("lost", "1" * 32, told)
    assert [row["over"] for row in document["benchmarks"]] == [over_what]


def test_a_cancelled_machine_is_no_whole_one_though_a_benchmark_failed(over, modules, tmp_path):
    module = modules(EMPTY + 'BENCH(fails) { bench_fail(b, "on purpose"); bench_loop(b) bench_clobber(); }\n', name="module")
    file = tmp_path / "result.json"
    run = over("a,b,c").on_terminal("run", module, "--processes=1000", "--samples=2", "--warmup=1", "-o", file)
    run.await_text("3 measuring .* process ([3-9]|[0-9]{2,}) of")
    os.kill(run.process.pid, signal.SIGINT)
    run.end(CANCELLED)
    document = json.loads(file.read_text())
    assert set(states(document).values()) == {"partial"}
    assert [row["over"] for row in document["benchmarks"] if row["name"] == "empty"] == [None]


def test_a_daemon_that_ends_a_run_without_a_result_is_named(build, modules, tmp_path):
    """A far side that answers a run as if it were detached."""
    rsh = pretended(tmp_path / "far.py", pb.Reply(id=RUN, last=True, accepted=pb.Accepted(run_id="0" * 32)))
    done = Benchctl(build, "--host=a,b", f"--rsh={rsh}")("run", modules(EMPTY), *BRIEF, "--format=json", expect=DAEMON)
    assert done.stderr.count("The daemon ended the run without a result.") == 2 and "null" not in done.stderr
    assert done.stdout == ""  # no machine has a result


def test_benchmarks_of_one_side_alone_are_named(over, modules):
    old = modules(EMPTY + 'BENCH(gone, .area = "a") { bench_loop(b) bench_clobber(); }\n')
    table = over("a,b")("compare", old, modules(EMPTY), *BRIEF).stdout
    assert "only in the old module: a/gone" in table

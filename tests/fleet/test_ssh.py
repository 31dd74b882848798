# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl on other machines over ssh, through an sshd on the loopback. Each host of its configuration has a daemon of its own."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import termios

import pytest

from support import far, processes, schemas
from support.benchctl import BRIEF, CANCELLED, DAEMON, FOREVER, MACHINE, TIMEOUT_S, USAGE, Benchctl, OnTerminal
from support.client import MEASURED_WORDS
from support.machine import Machine
from support.modules import EMPTY, SPINS
from support.paths import BUILD
from support.sshd import GAMES_UID

TWO = EMPTY + "\nBENCH(other) { bench_loop(b) bench_clobber(); }"
SHARED, SHARED_NAMES = [False, True], ["connection-of-its-own", "shared-connection"]
GOVERNOR = "sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
RUNNING = "process [0-9]+ of"


@pytest.fixture(scope="session")
def schema():
    return schemas.validator("run-result")


def told(done, *words):
    """Nothing is on stdout; stderr has these words, and a sentence of benchctl's own."""
    assert done.stdout == ""
    assert re.search("^benchctl: .*[.]$", done.stderr, re.M)
    for word in words:
        assert word in done.stderr, done.stderr


# ---- one machine: each command

@pytest.mark.parametrize("shared", SHARED, ids=SHARED_NAMES)
def test_a_run_is_the_far_machine_s_and_looks_as_one_here(over, direct, modules, schema, shared):
    there = over("lab1", shared=shared)
    done = there("run", modules(EMPTY), *BRIEF)
    result = there.json("run", modules(EMPTY), *BRIEF, "--seed=7")

    assert re.search(r"^  empty +[\d.]+ [pnµm]?s ", done.stdout, re.M)
    assert re.search(r"^(OK: 1 benchmark|1 of 1 row not reliable|Cannot tell: 1 of 1 row unwatched).* Job [0-9a-f]{8}\.$", done.stdout, re.M)
    assert done.stderr == ""
    schema.validate(result)
    assert result["seed"] == 7
    assert direct.json("show", result["run_id"]) == result


def test_a_python_program_runs_there_too(sshd, direct, modules, tmp_path, monkeypatch):
    """ssh has the tests' configuration; all else is as a user has it."""
    monkeypatch.syspath_prepend(BUILD / "python")
    benchd = pytest.importorskip("benchd", reason="the build has no Python package (-Dpython)")
    (tmp_path / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} {shlex.join(sshd.rsh()[1:])} "$@"\n')
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with benchd.connect(host="lab1") as client:
        run = client.run(modules(EMPTY), quick=True)
    assert direct.json("show", run.run_id)["benchmarks"][0]["name"] == "empty"
    with pytest.raises(benchd.NoDaemonError, match="ended before benchctl there answered"):
        benchd.connect(host="nonesuch.invalid")


def test_a_comparison_is_of_two_files_that_are_here(over, direct, modules, schema):
    result = over("lab1").json("compare", modules(EMPTY, name="old"), modules(EMPTY + "\n", name="new"), *BRIEF)
    schema.validate(result)
    assert [row["name"] for row in result["comparisons"]] == ["empty"]
    assert direct.json("show", result["run_id"]) == result


def test_list_status_history_and_show_say_what_they_say_there(over, direct, modules):
    module = modules(TWO)
    job = direct.json("run", module, *BRIEF)["run_id"]
    for words in [("list", module), ("history",), ("show", "--format=csv", job)]:
        assert over("lab1")(*words).stdout == direct(*words).stdout
    there, here = over("lab1")("show", job).stdout.split("\n"), direct("show", job).stdout.split("\n")
    assert there[0].startswith("# lab1, ") and there[1:] == here[1:]
    here, there = direct.json("status"), over("lab1").json("status")
    assert here.keys() == there.keys() and here["daemon"] == there["daemon"]
    assert here["environment"]["kernel"] == there["environment"]["kernel"]


def test_source_and_disasm_print_what_they_print_there(over, direct, modules):
    module = modules(TWO, "-g")
    for verb in "source", "disasm":
        printed = over("lab1")(verb, module, "other").stdout
        assert printed == direct(verb, module, "other").stdout and "bench_clobber" in printed


def test_a_job_is_pinned_and_unpinned_there(over, direct, modules):
    job = direct.json("run", modules(EMPTY), *BRIEF)["run_id"]
    for verb, pinned in [("pin", True), ("unpin", False)]:
        over("lab1")(verb, job)
        assert [entry["pinned"] for entry in direct.json("history")["entries"]] == [pinned]


def test_a_detached_run_is_waited_for_and_cancelled_over_other_connections(over, direct, modules):
    job = over("lab1")("run", "--detach", modules(EMPTY), *BRIEF).stdout.strip()
    assert over("lab1").json("wait", job)["run_id"] == job
    job = over("lab1")("run", "--detach", modules(SPINS), *FOREVER).stdout.strip()
    over("lab1")("cancel", job)
    direct("wait", job, expect=CANCELLED)
    assert [entry["state"] for entry in direct.json("history")["entries"]] == ["cancelled", "done"]


def test_a_governor_is_set_and_put_back_there(sshd, build, over, tmp_path):
    machine = Machine(tmp_path / "machine", "intel-pstate.txt")
    before = machine.everything()
    with sshd.far.machine("lab1", launch=[f"--root={machine.directory}", f"--journal={machine.directory}/journal"]) as daemon:
        said = over("lab1")("set-governor", "performance").stdout
        assert machine.read(GOVERNOR) == "performance" and "applied" in said
        again = Benchctl(build, f"--socket={daemon.socket}")("set-governor", "performance").stdout
        assert "already so" in again
        over("lab1")("set-governor", "--restore")
        after = {path: value for path, value in machine.everything().items() if path in before}
        assert after == before


def test_the_host_may_stand_in_the_environment(build, sshd, direct, modules):
    here = Benchctl(build, f"--rsh={' '.join(sshd.rsh(shared=True))}")
    result = here.json("run", modules(EMPTY), *BRIEF, BENCHCTL_HOST="lab1")
    assert direct.json("show", result["run_id"]) == result


def test_a_daemon_of_one_s_own_is_started_there_and_ends_with_its_run(over, sshd, modules, schema):
    result = over("lab1", "--private").json("run", modules(EMPTY), *BRIEF)
    schema.validate(result)
    assert result["verdict"] in MEASURED_WORDS
    programs = [os.path.realpath(f"/proc/{pid}/exe") for pid in sshd.sessions()]
    assert not [program for program in programs if "benchd" in pathlib.Path(program).name]


def test_libraries_and_input_files_travel_with_a_module(over, direct, modules, tmp_path):
    (tmp_path / "own.c").write_text("int own(void); int own(void) { return 42; }")
    library = tmp_path / "libbenchctl-far.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libbenchctl-far.so", tmp_path / "own.c", "-o", library], check=True)
    module = modules('int own(void);\nBENCH(owned) { bench_counter(b, "value", own()); bench_loop(b) bench_use(own()); }', str(library), name="far")
    result = over("lab1").json("run", module, *BRIEF, f"--with={library}")
    assert result["benchmarks"][0]["counters"] == {"value": 42}


def test_a_module_of_64_mib_goes_through_and_one_more_byte_is_refused_as_here(over, direct, machine, modules, tmp_path):
    largest = far.padded(modules(EMPTY), tmp_path / "largest.so", far.MODULE_MAX)
    assert [row["name"] for row in over("lab1").json("run", largest, *BRIEF)["benchmarks"]] == ["empty"]
    larger = far.padded(modules(EMPTY), tmp_path / "larger.so", far.MODULE_MAX + 1)
    here = direct("run", larger, *BRIEF, expect=USAGE)
    there = over("lab1")("run", larger, *BRIEF, expect=USAGE)
    assert there.stderr == here.stderr and "larger than the daemon accepts" in there.stderr


def commands_of_hints(program, said):
    """In the words that a shell takes."""
    return [f"{program} {words}" for words in re.findall("^ +'benchctl ([a-z]+ --host=.*)' ", said, re.M)]


def run_in_shell(command):
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, check=True)


@pytest.mark.parametrize("verb", ["show", "wait", "cancel", "pin"])
def test_the_command_of_a_hint_asks_the_machine_that_gave_it(build, over, direct, modules, verb):
    direct("run", modules(EMPTY), *BRIEF)
    [command] = commands_of_hints(build / "client/ctl/benchctl", over("lab1")(verb, "ffff", expect=USAGE).stderr)
    assert run_in_shell(command).stdout == direct("history").stdout


def test_the_hints_of_several_machines_ask_each(build, over, machines, modules):
    said = over("lab1,lab2")("run", "--cpus=77", modules(EMPTY), *BRIEF, expect=MACHINE).stderr
    named = [re.search("^machine +(.*)$", run_in_shell(command).stdout, re.M)[1] for command in commands_of_hints(build / "client/ctl/benchctl", said)]
    assert sorted(named) == ["lab1", "lab2"]


# ---- who it is there

def test_it_is_whoever_logs_in_there(over, direct, modules):
    roots = over("lab1").json("run", modules(EMPTY), *BRIEF)["run_id"]
    theirs = over("games@lab1").json("run", modules(EMPTY), *BRIEF)["run_id"]
    assert [entry["run_id"] for entry in over("games@lab1").json("history")["entries"]] == [theirs]
    over("games@lab1")("show", roots, expect=USAGE)
    everybody = {entry["run_id"]: entry["uid"] for entry in direct.json("history", "--all-users")["entries"]}
    assert everybody == {roots: 0, theirs: GAMES_UID}


def test_an_account_with_a_forced_command_measures_and_does_nothing_else(over, sshd, machine, modules):
    result = over("measures@lab1").json("run", modules(EMPTY), *BRIEF)
    assert [entry["run_id"] for entry in over("measures@lab1").json("history")["entries"]] == [result["run_id"]]
    assert "may not set the governor" in over("measures@lab1")("set-governor", "performance", expect=DAEMON).stderr

    shell = sshd.ssh("lab1", "echo", "escaped", user="measures")
    assert shell.stdout == "benchd-bridge 1\n"
    forward = sshd.ssh("lab1", "-W", f"127.0.0.1:{sshd.port}", user="measures")
    assert forward.returncode != 0 and forward.stdout == ""


# ---- what goes wrong before it begins

def test_a_shell_that_talks_is_named_with_its_words(over, machine):
    told(over("talks@lab1")("status", expect=DAEMON), "Welcome to this machine")


def test_a_host_without_benchctl_is_named(over, machine):
    told(over("lacks@lab1")("status", expect=DAEMON), "Cannot reach the daemon at lacks@lab1", "benchctl: not found")


def test_a_host_that_there_is_not_is_named(over):
    told(over("nowhere.invalid")("status", expect=DAEMON), "Cannot reach the daemon at nowhere.invalid", "Could not resolve hostname")


def test_the_command_to_try_asks_that_host_and_shows_the_cause(build, over, machine):
    refused = over("lacks@lab1")("status", expect=DAEMON).stderr
    [command] = re.findall("or try: (.*)", refused)
    tried = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    assert tried.returncode != 0 and "benchctl: not found" in tried.stderr

    assert "machine class" in run_in_shell(command.replace("lacks@", "")).stdout
    assert "or try: ssh nowhere.invalid benchctl status\n" in Benchctl(build, "--host=nowhere.invalid")("status", expect=DAEMON).stderr


def test_a_host_on_which_nobody_listens_is_named(over, sshd):
    [port] = far.free_ports(1)
    told(over("lab1", shared=False, ssh=["-p", str(port)])("status", expect=DAEMON), "Cannot reach the daemon at lab1", "Connection refused")


def test_a_host_without_a_daemon_is_told_in_the_words_of_that_host(over, sshd):
    told(over("lab1")("status", expect=DAEMON), f"Cannot reach the daemon at {sshd.far.socket('lab1')}")


# ---- what goes wrong on the way

def test_ctrl_c_cancels_there_and_prints_what_is_complete(over, direct, modules):
    run = over("lab1").on_terminal("run", modules(EMPTY), "--processes=1000", "--samples=2", "--warmup=1")
    run.await_text("process ([3-9]|[0-9]{2,}) of [0-9]+")
    run.process.send_signal(signal.SIGINT)
    table = run.end(CANCELLED)
    assert b"Cancelling" in run.seen
    assert re.search(r"^  empty +\d", table, re.M) and re.search(r"^Partial.*: 1 benchmark\b.* Job ", table, re.M)
    assert [entry["state"] for entry in direct.json("history")["entries"]] == ["cancelled"]


@pytest.mark.parametrize("shared", SHARED, ids=SHARED_NAMES)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["terminal", "job"])
def test_a_signal_to_benchctl_and_its_ssh_alike_loses_nothing(over, machine, modules, number, shared):
    """As a terminal, systemctl stop or a build server sends it; ssh has it first."""
    run = over("lab1", shared=shared).on_terminal("run", modules(EMPTY), "--processes=1000", "--samples=2", "--warmup=1")
    run.await_text("process ([3-9]|[0-9]{2,}) of [0-9]+")
    for pid in [*processes.descendants(run.process.pid), run.process.pid]:
        os.kill(pid, number)
    table = run.end(CANCELLED)
    assert re.search(r"^  empty +\d", table, re.M) and re.search(r"^Partial.*: 1 benchmark\b.* Job ", table, re.M)


def await_cancelled(direct):
    """The only job of the far machine ends as cancelled, since its client is gone."""
    [job] = direct.json("history")["entries"]
    direct("wait", job["run_id"], expect=CANCELLED)
    assert [entry["state"] for entry in direct.json("history")["entries"]] == ["cancelled"]


@pytest.mark.parametrize("victim", ["sshd", "benchctl"])
def test_a_far_side_that_is_killed_is_lost_and_its_job_cancelled(over, sshd, direct, modules, victim):
    run = over("lab1", shared=False).on_terminal("run", modules(SPINS), *FOREVER)
    run.await_text(RUNNING)
    session, bridge = sshd.find_bridge("lab1")
    os.kill({"sshd": session, "benchctl": bridge}[victim], signal.SIGKILL)
    run.end(DAEMON)
    assert re.search(r"[Ll]ost", run.seen.decode()), run.seen
    await_cancelled(direct)


def test_a_far_side_that_is_frozen_is_lost_by_ssh_s_own_clock(over, sshd, direct, modules):
    patience = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2"]
    run = over("lab1", shared=False, ssh=patience).on_terminal("run", modules(SPINS), *FOREVER)
    run.await_text(RUNNING)
    session, _ = sshd.find_bridge("lab1")
    os.kill(session, signal.SIGSTOP)
    run.end(DAEMON)
    assert re.search(r"[Ll]ost", run.seen.decode()), run.seen
    os.kill(session, signal.SIGKILL)
    await_cancelled(direct)


def test_a_far_side_that_is_frozen_is_lost_over_a_connection_that_was_opened_to_watch_for_it(over, sshd, direct, modules):
    """The options of the ssh that opened it hold, and those of benchctl's own do not."""
    path = ["-o", f"ControlPath={sshd.directory}/watched"]
    patience = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=10"]  # it has to live until then on a busy machine
    subprocess.run([*sshd.rsh(shared=True, options=[*path, *patience]), "-MNf", "lab1"], stdin=subprocess.DEVNULL, check=True, timeout=TIMEOUT_S)
    run = over("lab1", shared=True, ssh=path).on_terminal("run", modules(SPINS), *FOREVER)
    run.await_text(RUNNING)
    session, _ = sshd.find_bridge("lab1")
    os.kill(session, signal.SIGSTOP)
    run.end(DAEMON)
    assert re.search(r"[Ll]ost", run.seen.decode()), run.seen
    os.kill(session, signal.SIGKILL)
    await_cancelled(direct)


def test_commands_of_one_machine_refuse_several(over):
    told(over("lab1,lab2")("status", expect=USAGE), "--host=lab1,lab2 names several machines, and 'status' takes one.")


def test_ctrl_c_at_the_question_for_a_password_leaves_the_terminal_as_it_was(build, tmp_path):
    """ssh-keygen asks as ssh does: its terminal echoes nothing meanwhile, and signals to a whole job do not reach it."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("openssh-client is not installed")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-N", "secret", "-f", key], check=True)
    command = Benchctl(build, "--host=far", f"--rsh=sh -c 'exec ssh-keygen -y -f {key}'").command("status")
    run = OnTerminal(["sh", "-c", 'exec setsid --ctty "$@" <&2', "sh", *command])
    run.await_text("passphrase")
    os.write(run.terminal, b"\x03")
    while run.more():
        pass
    echoes = termios.tcgetattr(run.terminal)[3] & termios.ECHO
    run.end(CANCELLED)
    assert echoes

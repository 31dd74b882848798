# SPDX-License-Identifier: GPL-3.0-or-later
"""--host and the bridge at its end, over a pipe: a command that drops the host and has a shell execute the rest, as sshd does."""

import contextlib
import fcntl
import os
import pty
import re
import shlex
import signal
import subprocess
import threading
import time

import pytest

import benchd_pb2 as pb
from support.benchctl import ANY, BRIEF, CANCELLED, DAEMON, DONE, FOREVER, USAGE, Benchctl, OnTerminal
from support.bridge import Bridge, wire
from support.client import varint
from support.daemon import Daemon
from support.machine import Machine
from support.modules import EMPTY, SPINS
from support.paths import open_directory
from support.processes import descendants, read_proc

TOUCHES = "client/lib/bridge* proto/bridge* client/ctl/ask/fleet/transport.* verb-bridge"

TWO = EMPTY + "\nBENCH(other) { bench_loop(b) bench_clobber(); }"
FILE_MAX = 64 << 20
RUNNING = "process [0-9]+ of"
GOVERNOR = "sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
TIMEOUT_S = 300


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def rsh(build, tmp_path):
    """The words of a command in place of ssh."""
    script = tmp_path / "rsh"
    script.write_text(f'#!/bin/sh\nshift\nPATH={shlex.quote(str(build / "client/ctl"))}:$PATH exec sh -c "$*"\n')
    script.chmod(0o755)
    return f"--rsh={shlex.quote(str(script))}"


@pytest.fixture
def direct(build, daemon):
    return Benchctl(build, f"--socket={daemon.socket}")


@pytest.fixture
def over(build, daemon, rsh):
    return Benchctl(build, "--host=far", rsh, f"--socket={daemon.socket}")


@pytest.fixture
def bridge(build, daemon):
    with Bridge(build, f"--socket={daemon.socket}") as bridge:
        yield bridge


def await_end_of_jobs(direct):
    """Every job ended, as it does where its client is gone."""
    for entry in direct.json("history")["entries"]:
        subprocess.run(direct.command("wait", "-q", entry["run_id"]), stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
    return [entry["state"] for entry in direct.json("history")["entries"]]


# ---- each command

def test_each_command_is_answered_as_here(over, direct, modules):
    module = modules(TWO)
    result = over.json("run", module, *BRIEF, "--seed=3")
    assert result["seed"] == 3 and [row["name"] for row in result["benchmarks"]] == ["empty", "other"]
    compared = over.json("compare", module, f"@{result['run_id']}", *BRIEF)
    assert [row["name"] for row in compared["comparisons"]] == ["empty", "other"]
    for words in [("list", module), ("list", "--format=json", module), ("history",), ("history", "empty"), ("disasm", module, "empty"),
                  ("source", module, "empty"), ("disasm", f"@{result['run_id']}", "empty"), ("show", "--format=json", result["run_id"]),
                  ("pin", result["run_id"]), ("unpin", result["run_id"])]:
        assert over(*words).stdout == direct(*words).stdout, words
    for words in ("show", compared["run_id"]), ("wait", result["run_id"]):  # but for the name of the machine
        (head, *rest), (head_here, *rest_here) = over(*words).stdout.split("\n"), direct(*words).stdout.split("\n")
        assert head.startswith(f"# {result['environment']['machine']['name']}, ") and not head_here.startswith(head[:8])
        assert rest == rest_here
    here, there = direct.json("status"), over.json("status")
    assert here.keys() == there.keys() and here["daemon"] == there["daemon"]
    for words in [("show", "ffff"), ("run", module, "--", "nosuch"), ("wait", "ffff")]:
        assert over(*words, expect=USAGE).stderr.splitlines()[0] == direct(*words, expect=USAGE).stderr.splitlines()[0]


def test_a_detached_run_outlives_its_bridge(over, direct, modules):
    job = over("run", "--detach", modules(SPINS), *FOREVER).stdout.strip()
    assert direct.json("history")["entries"][0]["state"] in ("queued", "running")
    over("cancel", job)
    over("wait", job, expect=CANCELLED)
    assert await_end_of_jobs(direct) == ["cancelled"]


def test_a_governor_is_set_and_put_back_there(build, rsh, state, tmp_path):
    machine = Machine(tmp_path / "machine", "intel-pstate.txt")
    with Daemon(build, state.parent, state=state, launch=["--no-probes", f"--root={machine.directory}", f"--journal={machine.directory}/journal"]) as daemon:
        over = Benchctl(build, "--host=far", rsh, f"--socket={daemon.socket}")
        before = machine.read(GOVERNOR)
        assert "applied" in over("set-governor", "performance").stdout
        assert machine.read(GOVERNOR) == "performance" != before
        over("set-governor", "--restore")
        assert machine.read(GOVERNOR) == before


def test_the_host_may_stand_in_the_environment(build, daemon, rsh, direct):
    here = Benchctl(build, f"--socket={daemon.socket}")
    assert direct("status", BENCHCTL_HOST="").returncode == DONE
    assert "'nonesuch'" in here("status", "--rsh=nonesuch", BENCHCTL_HOST="far", expect=DAEMON).stderr
    assert here.json("status", rsh, BENCHCTL_HOST="far")["daemon"] == direct.json("status")["daemon"]
    assert Benchctl(build)("help", BENCHCTL_HOST="far").returncode == DONE


def test_a_path_with_blanks_and_quotes_reaches_the_far_side(build, rsh, tmp_path):
    directory = tmp_path / "it's a $(path)"
    directory.mkdir()
    with Daemon(build, directory, launch=["--no-probes"]) as daemon:
        assert Benchctl(build, "--host=far", rsh, f"--socket={daemon.socket}").json("status")["daemon"]


def test_libraries_and_inputs_travel_with_a_module(over, modules, tmp_path):
    (tmp_path / "own.c").write_text("int own(void); int own(void) { return 42; }")
    library = tmp_path / "libbridge-own.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libbridge-own.so", tmp_path / "own.c", "-o", library], check=True)
    module = modules('int own(void);\nBENCH(owned) { bench_counter(b, "value", own()); bench_loop(b) bench_use(own()); }', str(library), name="far")
    (tmp_path / "input").write_bytes(b"x" * 100000)
    result = over.json("run", module, *BRIEF, f"--with={library}", f"--input={tmp_path}/input")
    assert result["benchmarks"][0]["counters"] == {"value": 42}
    assert [file["name"] for file in result["inputs"]] == ["input"]


def test_a_file_of_64_mib_goes_through_and_a_byte_more_is_refused_here(over, direct, modules, tmp_path):
    module = tmp_path / "large.so"
    module.write_bytes(modules(EMPTY).read_bytes())
    os.truncate(module, FILE_MAX)
    assert over("list", module).stdout == direct("list", module).stdout
    os.truncate(module, FILE_MAX + 1)
    assert over("list", module, expect=USAGE).stderr == direct("list", module, expect=USAGE).stderr
    (tmp_path / "empty").write_bytes(b"")
    words = ["run", modules(EMPTY), f"--input={tmp_path / 'empty'}"]
    assert over(*words, expect=USAGE).stderr == direct(*words, expect=USAGE).stderr


def test_a_private_daemon_there_ends_with_its_command(build, rsh, modules, tmp_path):
    over = Benchctl(build, "--host=far", "--private", rsh)
    mark = f"BRIDGE_TEST={tmp_path}"
    name, value = mark.split("=")
    result = over.json("run", modules(EMPTY), *BRIEF, **{name: value})
    assert [row["name"] for row in result["benchmarks"]] == ["empty"]
    assert over.json("status", **{name: value})["calibrating"] is False
    deadline = time.monotonic() + TIMEOUT_S  # benchctl leaves a far side that takes more than two seconds to end to itself
    while any(mark.encode() in read_proc(pid, "environ") for pid in os.listdir("/proc") if pid.isdigit()):
        assert time.monotonic() < deadline, "something outlives the command"


# ---- a bridge, by its bytes

def test_many_requests_leave_nothing_open(bridge, modules):
    module = modules(EMPTY).read_bytes()
    bridge.greet()
    bridge.send(status=pb.StatusRequest())
    bridge.last_reply()
    before = bridge.files()
    for _ in range(20):
        bridge.send(module, list=pb.ListRequest(module_name="m.so"))
        assert bridge.last_reply().HasField("listing")
    bridge.send(status=pb.StatusRequest())
    bridge.last_reply()
    assert bridge.files() == before
    assert bridge.hang_up() == (DONE, "")


def test_bytes_may_come_one_by_one_and_several_frames_at_once(bridge, modules):
    bridge.greet()
    message = pb.Request(id=7, list=pb.ListRequest(module_name="m.so")).SerializeToString()
    status = pb.Request(id=8, status=pb.StatusRequest()).SerializeToString()
    module = modules(EMPTY).read_bytes()
    data = wire(module) + varint(len(message)) + message
    for i in [*range(30), *range(len(data) - 30, len(data))]:
        if i == len(data) - 30:
            bridge.write(data[30:i])
        bridge.write(data[i:i + 1])
    assert bridge.last_reply().HasField("listing")
    bridge.write((wire() + varint(len(status)) + status) * 20)
    assert [bridge.last_reply().id for _ in range(20)] == [8] * 20


SIZES = {
    "33 files": (varint(33), "more files with a request than the 32"),
    "2^28 files": (b"\xff\xff\xff\x7f", "more files with a request than the 32"),
    "an empty file": (varint(2) + varint(1) + varint(0), "a file of no bytes"),
    "64 MiB and a byte": (varint(1) + varint(FILE_MAX + 1), "more than 64 MiB"),
    "2^28 bytes": (varint(1) + b"\xff\xff\xff\x7f", "more than 64 MiB"),
    "an endless number": (b"\xff" * 20, "bytes that are no request"),
    "an endless size": (varint(1) + b"\xff" * 20, "bytes that are no request"),
    "a frame beyond 64 KiB": (varint(0) + varint((64 << 10) + 1), "bytes that are no request"),
    "a line of text": (b"GET / HTTP/1.1\r\n\r\n", "more files with a request than the 32"),
}


@pytest.mark.parametrize("greeted", [True, False], ids=["after-hello", "at-once"])
@pytest.mark.parametrize("what", SIZES)
def test_a_number_beyond_its_limit_ends_the_bridge_in_words(build, daemon, what, greeted):
    data, words = SIZES[what]
    with Bridge(build, f"--socket={daemon.socket}") as bridge:
        if greeted:
            bridge.greet()
        bridge.write(data)
        code, said = bridge.end()
    assert code == DAEMON and words in said
    assert re.fullmatch(r"benchctl: The client sends .*[.]\n", said)


def test_announced_bytes_take_no_memory(bridge):
    bridge.greet()
    before = bridge.memory_bytes()
    bridge.write(varint(32) + varint(FILE_MAX) * 32 + bytes(1 << 20))  # and all but what a pipe holds is read now
    assert bridge.memory_bytes() - before < 4 << 20
    assert len([name for name in bridge.files().values() if "memfd:" in name]) == 1
    assert bridge.hang_up() == (DONE, "")


@pytest.mark.parametrize("cut", ["in its sizes", "in a file", "in its length", "in the frame"])
def test_half_a_frame_is_dropped_at_the_end(build, daemon, direct, modules, cut):
    module = modules(EMPTY).read_bytes()
    message = pb.Request(id=9, run=pb.RunRequest(module_name="m.so")).SerializeToString()
    files = wire(module)
    data = files + varint(len(message)) + message
    n = {"in its sizes": 2, "in a file": 1000, "in its length": len(files), "in the frame": len(data) - 1}[cut]
    with Bridge(build, f"--socket={daemon.socket}") as bridge:
        bridge.greet()
        bridge.write(data[:n])
        assert bridge.hang_up() == (DONE, "")
    assert direct.json("history")["entries"] == []
    assert direct.json("status")["running"] == 0


def test_a_client_whose_ear_is_closed_has_hung_up(bridge):
    bridge.greet()
    bridge.process.stdout.close()
    bridge.send(status=pb.StatusRequest())
    assert bridge.process.wait(timeout=TIMEOUT_S) == DONE
    assert bridge.process.stderr.read() == b""


def test_signals_to_the_whole_job_do_not_end_it(bridge):
    bridge.greet()
    for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        bridge.process.send_signal(number)
        bridge.send(status=pb.StatusRequest())
        assert bridge.last_reply().HasField("status")
    assert bridge.hang_up() == (DONE, "")


def test_a_daemon_that_ends_ends_the_bridge(build, state):
    with Daemon(build, state.parent, state=state, launch=["--no-probes"]) as daemon, Bridge(build, f"--socket={daemon.socket}") as bridge:
        bridge.greet()
        daemon.process.stdin.close()
        assert bridge.end() == (DONE, "")


def test_a_client_that_does_not_read_holds_up_nobody_else(bridge, direct):
    """Replies fill the pipe, the bridge, its socket and then the daemon's room for unread replies, which ends the connection."""
    bridge.greet()
    message = pb.Request(id=7, status=pb.StatusRequest()).SerializeToString()
    frame = wire() + varint(len(message)) + message
    os.set_blocking(bridge.process.stdin.fileno(), False)
    stuck = 0
    while stuck < 20:
        try:
            os.write(bridge.process.stdin.fileno(), frame * 50)
            stuck = 0
        except BlockingIOError:
            direct("status")  # the round trip is the waiting
            stuck += 1
    os.set_blocking(bridge.process.stdin.fileno(), True)
    bridge.process.stdin.close()
    code, said = bridge.end()
    assert (code, said) == (DONE, "")


def test_both_directions_at_once_through_small_pipes(build, daemon, modules):
    """A large module goes up while replies come down that are read byte by byte."""
    module = modules(EMPTY).read_bytes() + bytes(2 << 20)
    n_requests = 5
    with Bridge(build, f"--socket={daemon.socket}") as bridge:
        for file in [bridge.process.stdin, bridge.process.stdout]:
            fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, 4096)
        bridge.greet()
        data = b""
        for i in range(n_requests):
            for id, request, files in [(10 + i, {"list": pb.ListRequest(module_name="m.so")}, [module]), (100 + i, {"status": pb.StatusRequest()}, [])]:
                message = pb.Request(id=id, **request).SerializeToString()
                data += wire(*files) + varint(len(message)) + message
        writer = threading.Thread(target=bridge.write, args=(data,))
        writer.start()
        ids = {bridge.last_reply().id for _ in range(2 * n_requests)}
        writer.join()
        assert ids == {start + i for start in (10, 100) for i in range(n_requests)}
        assert bridge.hang_up() == (DONE, "")


def test_a_terminal_and_words_are_refused(build, daemon):
    done = Benchctl(build)("bridge", "word", expect=USAGE)
    assert "takes no arguments" in done.stderr
    terminal, end = pty.openpty()
    done = Benchctl(build)("bridge", f"--socket={daemon.socket}", expect=ANY, stdin=end)
    os.close(terminal)
    os.close(end)
    assert (done.returncode, done.stdout) == (USAGE, "") and "'benchctl --host=HOST' runs it on HOST" in done.stderr


# ---- what goes wrong on the way

@pytest.mark.parametrize("rsh, words", [
    ("/nonesuch-program", ["Cannot run '/nonesuch-program' to reach far: No such file"]),
    ("false", ["Cannot reach the daemon at far: 'false' exited before", "or try: false far benchctl status"]),
    ("sh -c 'echo gone >&2; exit 7'", ["gone\n", "exited before"]),
    ("printf 'Welcome to \\033[2Jfar\\nyou have mail\\n'", ['its shell printed "Welcome to ?[2Jfar" before', "Its .bashrc"]),
    ("printf '\\n\\r\\nHello\\n'", ['printed "Hello" before']),
    ("printf 'benchd-bridge 2\\n'", ["speaks another version", "Install the same version"]),
    ("printf benchd-bri", ['printed "benchd-bri" before']),
    ("printf 'benchd-bridge 1\\n'", ["Cannot reach the daemon at far: "]),
    ("printf 'benchd-bridge 1\\nxxxxxxxxxxx'", ["Cannot reach the daemon at far: "]),
])
def test_a_command_that_is_no_bridge_is_named(build, rsh, words):
    done = Benchctl(build, "--host=far", f"--rsh={rsh}")("status", expect=DAEMON)
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr
    assert "\x1b" not in done.stderr


def test_only_an_ssh_that_is_missing_is_to_be_installed(build, tmp_path):
    missing = Benchctl(build, "--host=far")("status", expect=DAEMON, PATH=str(tmp_path))
    (tmp_path / "ssh").write_text("")
    refused = Benchctl(build, "--host=far")("status", expect=DAEMON, PATH=str(tmp_path))
    assert "No such file" in missing.stderr and "Install the package openssh-client" in missing.stderr
    assert "Permission denied" in refused.stderr and "Install" not in refused.stderr


def test_a_host_without_a_daemon_is_told_in_the_words_of_that_host(build, rsh, tmp_path):
    done = Benchctl(build, "--host=far", rsh, f"--socket={tmp_path}/none")("status", expect=DAEMON)
    assert f"Cannot reach the daemon at {tmp_path}/none" in done.stderr and "or give --private beside --host" in done.stderr


@contextlib.contextmanager
def full(build, limits):
    """A daemon whose only place for a connection is taken, by these limits."""
    with open_directory() as directory:
        config = f"[connections]\n{limits}\nclients_for_root=0\n"
        with Daemon(build, directory, config=config, launch=["--no-probes"]) as daemon, daemon.connect():
            yield daemon


@pytest.mark.parametrize("limits, message, hint", [
    ("clients=4\nclients_per_user=1", "This user has 1 connection open, the limit for one user.",
     "Close one of them first. The limit is clients_per_user= of benchd.conf."),
    ("clients=1\nclients_per_user=4", "The only place for a connection is taken.",
     "Try again when one is closed. The limit is clients= of benchd.conf."),
], ids=["of a user", "of all"])
def test_who_finds_no_place_is_told_the_limit_here_and_there(build, rsh, limits, message, hint):
    with full(build, limits) as daemon:
        here = Benchctl(build, f"--socket={daemon.socket}")("status", expect=DAEMON)
        there = Benchctl(build, "--host=far", rsh, f"--socket={daemon.socket}")("status", expect=DAEMON)
        assert here.stderr == f"benchctl: The daemon at {daemon.socket} accepts no connection: {message}\n          {hint}\n"
        assert there.stderr == f"benchctl: The daemon at far accepts no connection: {message}\n          {hint}\n"


def start_running(over, module):
    run = over.on_terminal("run", module, *FOREVER)
    run.await_text(RUNNING)
    [bridge] = descendants(run.process.pid)[-1:]
    assert b"bridge" in read_proc(bridge, "cmdline").split(b"\0")
    return run, bridge


def test_a_far_side_that_is_killed_is_lost_and_its_job_cancelled(over, direct, modules):
    run, bridge = start_running(over, modules(SPINS))
    os.kill(bridge, signal.SIGKILL)
    assert run.end(DAEMON) == ""
    assert b"Lost" in run.seen and b" at far: journalctl" in run.seen
    assert await_end_of_jobs(direct) == ["cancelled"]


def test_a_frozen_far_side_is_waited_for_until_it_is_killed(over, direct, modules):
    """Who is there to notice that is the transport: ssh has keep-alive messages."""
    run, bridge = start_running(over, modules(SPINS))
    os.kill(bridge, signal.SIGSTOP)
    os.kill(bridge, signal.SIGKILL)
    run.end(DAEMON)
    assert b"Lost" in run.seen
    assert await_end_of_jobs(direct) == ["cancelled"]


@pytest.mark.parametrize("whole", [True, False], ids=["group", "benchctl"])
def test_ctrl_c_cancels_there_and_prints_what_is_complete(over, direct, modules, whole):
    command = over.command("run", modules(EMPTY), "--processes=1000", "--samples=2", "--warmup=1")
    run = OnTerminal(["setsid", *command] if whole else command)
    run.await_text("process ([3-9]|[0-9]{2,}) of [0-9]+")
    if whole:
        os.killpg(run.process.pid, signal.SIGINT)
    else:
        run.process.send_signal(signal.SIGINT)
    table = run.end(CANCELLED)
    assert b"Cancelling" in run.seen
    assert re.search(r"^  empty +\d", table, re.M) and re.search(r"^Partial.*: 1 benchmark\b.* Job ", table, re.M)
    assert await_end_of_jobs(direct) == ["cancelled"]


def test_ctrl_c_ends_the_waiting_for_a_bridge(build):
    run = OnTerminal([*Benchctl(build, "--host=far", "--rsh=sh -c 'echo begun >&2; exec cat >/dev/null'").command("status")])
    run.await_text("begun")
    run.process.send_signal(signal.SIGINT)
    run.end(CANCELLED)


def test_a_result_of_a_private_daemon_there_is_kept_here(build, rsh, modules):
    over = Benchctl(build, "--host=far", "--private", rsh)
    result = over.json("run", modules(EMPTY), *BRIEF)
    assert Benchctl(build).json("show", "--private", result["run_id"]) == result

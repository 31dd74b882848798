# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd commands: each is measured or refused in words, and nothing of it stays behind."""

import os
import pty
import re
import secrets
import select
import signal
import subprocess
import time

import pytest

from support.benchctl import BENCHMARK, CANCELLED, DAEMON, DONE, USAGE, Benchctl, popen_options
from support.daemon import Daemon
from support.paths import open_directory
from support.processes import END_TIMEOUT_S, await_ends, children, is_alive, processes_with, read_proc
from support.users import OTHER_UID, as_root

TOUCHES = "exec exec-wire exec-stage exec-perform exec-command exec-left exec-output exec-overhead exec-environment exec-shared verb-exec adopted adopting"

FEW = ["--warmup=0", "--processes=3", "--samples=2"]  # without a trial, which has tests of its own


@pytest.fixture
def mark():
    """A variable of the environment of all that a test starts; in the end nothing has it."""
    value = secrets.token_hex(8)
    yield {"MARK": value}
    assert_gone(value)


def marked(value):
    return [pid for pid in processes_with(f"MARK={value}".encode()) if is_alive(pid) and pid != os.getpid()]


def assert_gone(value):
    await_ends(marked(value))
    assert marked(value) == []


@pytest.fixture
def ready(tmp_path):
    """A pipe on which a command says that it runs."""
    os.mkfifo(tmp_path / "ready")
    return tmp_path / "ready"


class InTerminal:
    """A benchctl whose controlling terminal is the test's."""

    def __init__(self, command, **options):
        options = popen_options(options)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(options.get("cwd", "."))
            os.execve(command[0], command, options["env"])

        self.seen = b""

    def press(self, key):
        os.write(self.fd, key)

    def more(self):
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # its last process has closed it
            return False
        self.seen += data
        return True

    def end(self):
        """Its exit code and all that it showed."""
        while self.more():
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), self.seen.decode()


# ---- what it leaves behind

@pytest.mark.parametrize("script, name", [
    ("sleep 1000 & true", "sleep"),
    ("setsid sleep 1000 & true", "sleep"),
    ("(setsid sh -c 'sleep 1000; true' &) ; true", "sh"),
    ("trap '' TERM HUP INT; sleep 1000 & true", "sleep"),
], ids=["background", "session", "daemon", "deaf"])
def test_what_it_left_behind_is_killed_and_named(benchctl, mark, script, name):
    row = benchctl.json("exec", script, *FEW, **mark)["benchmarks"][0]
    assert re.match(f"left behind and killed: ({name}|setsid|sh)", row["label"]) and row["time_ns"]["point"] < 1e9  # a process not yet executed has its parent's name


def test_nothing_is_said_of_a_command_that_waits_for_its_own(benchctl, mark):
    row = benchctl.json("exec", "true & sleep 0.001 | cat; wait", *FEW, **mark)["benchmarks"][0]
    assert row["label"] is None


# ---- ends

@pytest.mark.parametrize("script, words", [
    ("exit 7", "exit code 7"),
    ("echo one; echo two >&2; echo three >&2; exit 2", "exit code 2: two | three"),
    ("kill -9 $$", "killed by signal 9 (SIGKILL)"),
    ("kill -SEGV $$", "killed by signal 11 (SIGSEGV)"),
    ("kill -STOP $$", "stopped itself by signal 19 (SIGSTOP), and was killed"),
    ("no-such-program", "exit code 127: sh: 1: no-such-program: not found"),
    ("kill -INT $$", "killed by signal 2 (SIGINT)"),
])
def test_a_failing_command_shows_its_end_and_its_last_lines(benchctl, mark, script, words):
    assert words in benchctl("exec", script, *FEW, "--format=details", expect=BENCHMARK, **mark).stdout


def test_a_missing_program_and_one_of_no_format_are_told_apart(benchctl, tmp_path, mark):
    odd = tmp_path / "odd"
    odd.write_text("neither\n")
    odd.chmod(0o755)
    assert "no program 'no-such-program'" in benchctl("exec", *FEW, "--", "no-such-program", expect=USAGE, **mark).stderr
    assert "Exec format error" in benchctl("exec", *FEW, "--", odd, expect=BENCHMARK, **mark).stdout


@as_root
def test_a_program_of_anothers_rights_is_refused_and_within_a_script_has_none(benchctl, mark):
    with open_directory() as path:
        program = path / "become"
        program.write_bytes(open("/usr/bin/id", "rb").read())
        program.chmod(0o755)
        os.chown(program, OTHER_UID, -1)
        program.chmod(0o4755)
        done = benchctl("exec", *FEW, "--", program, expect=USAGE, **mark)
        assert "setuid" in done.stderr and "as the user who may" in done.stderr
        benchctl("exec", f"test $({program} -u) = {os.geteuid()}", *FEW, **mark)


def test_a_command_that_takes_hours_meets_the_timeout(benchctl, mark):
    began = time.monotonic()
    done = benchctl("exec", "sleep 10000", "--warmup=0", "--processes=1", "--timeout=2", "--format=details", expect=BENCHMARK, **mark)
    assert "did not end within 2 s and was killed" in done.stdout and time.monotonic() - began < 60


# ---- its world

def test_stdin_is_empty_and_built_ins_and_pipelines_are_the_shells(benchctl, mark):
    for script in ("! read line", "cd / && test $PWD = /", "seq 1000 | sort | tail -1 | grep -q 999"):
        benchctl("exec", script, *FEW, **mark)


def test_what_it_prints_is_lost_and_kept_small(benchctl, mark, daemon):
    script = "head -c 300000000 /dev/zero; head -c 300000000 /dev/zero >&2; echo the end >&2; exit 9"
    run = subprocess.Popen(benchctl.command("exec", script, *FEW, "--format=details"), stdout=subprocess.PIPE, **popen_options(mark))
    most = 0
    while run.poll() is None:
        most = max(most, shared_memory_bytes())
        select.select([run.stdout], [], [], 0.005)
    assert "exit code 9" in (text := run.stdout.read().decode()) and "the end" in text
    assert run.returncode == BENCHMARK and most < 250e6


def shared_memory_bytes():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Shmem:"))


def test_it_may_change_its_affinity(benchctl, mark):
    script = "taskset -p ffffffff $$ > /dev/null && sleep 0.001"
    assert benchctl.json("exec", script, *FEW, **mark)["benchmarks"][0]["time_ns"]["point"] > 1e6


def test_a_command_that_wants_a_terminal_has_that_of_its_user(benchctl, mark):
    words = benchctl.command("exec", "test -t 3 3< /dev/tty && echo seen > /dev/tty", *FEW)
    code, seen = InTerminal(words, **mark).end()
    assert code == DONE and seen.count("seen\r\n") >= 6


def test_without_a_terminal_its_own_words_say_so(benchctl, mark):
    done = benchctl("exec", "cat < /dev/tty", *FEW, "--format=details", expect=BENCHMARK, start_new_session=True, **mark)
    assert "/dev/tty" in done.stdout


def test_the_length_of_the_environment_is_drawn_anew_and_runs_are_numbered(benchctl, tmp_path, mark):
    script = 'echo "$HYPERFINE_ITERATION ${#HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET}" >> drawn'
    benchctl("exec", script, *FEW, cwd=tmp_path, **mark)
    rows = [line.split() for line in (tmp_path / "drawn").read_text().splitlines()]

    assert [int(row[0]) for row in rows] == list(range(len(rows)))
    lengths = [int(row[1]) for row in rows]
    assert len(set(lengths)) > len(rows) // 2 and max(lengths) <= 4096


# ---- interrupted

LAST = "test $HYPERFINE_ITERATION -lt 9 || { echo > ready; sleep 1000; }"


@pytest.mark.parametrize("script", [LAST, f"trap '' INT; {LAST}", f"trap 'exit 0' INT; {LAST}"], ids=["dies", "ignores", "succeeds"])
def test_ctrl_c_prints_what_is_complete(benchctl, ready, mark, script):
    run = InTerminal(benchctl.command("exec", script, "--warmup=0", "--processes=200", "--samples=1", "--budget=600", "--no-color"), cwd=ready.parent, **mark)
    assert ready.read_text() == "\n"
    run.press(b"\x03")
    code, seen = run.end()

    assert code == CANCELLED and "Partial" in seen and "bench_fail" not in seen and "exit code" not in seen
    assert re.search(r"^(test|trap) .* \d+(\.\d+)? .s ", seen, re.M)


def test_a_second_ctrl_c_leaves_at_once(benchctl, daemon, ready, mark):
    run = InTerminal(benchctl.command("exec", "trap '' INT; echo > ready; sleep 1000; true", "--warmup=0", "--processes=1", "--timeout=600"), cwd=ready.parent, **mark)
    assert ready.read_text() == "\n"
    daemon.kill(daemon.front_end(), signal.SIGSTOP)
    try:
        run.press(b"\x03")
        while b"press Ctrl-C again" not in run.seen:
            assert run.more()
        while not select.select([pidfd := os.pidfd_open(run.pid)], [], [], 0.1)[0]:  # two within 0.2 s count as one
            os.close(pidfd)
            run.press(b"\x03")
        os.close(pidfd)
        assert run.end()[0] == CANCELLED
        assert_gone(mark["MARK"])
    finally:
        daemon.kill(daemon.front_end(), signal.SIGCONT)


# ---- who runs it dies

SCRIPT = "sh -c 'setsid sh -c \"echo > ready; sleep 1000; true\"; true' & sleep 1000; true"


def endless(benchctl, ready, mark):
    run = subprocess.Popen(benchctl.command("exec", SCRIPT, "--warmup=0", "--processes=1", "--timeout=600", "--format=details"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           **popen_options({"cwd": ready.parent, **mark}))
    assert ready.read_text() == "\n"
    return run


def test_all_of_it_ends_with_benchctl(benchctl, ready, mark):
    with endless(benchctl, ready, mark) as run:
        run.kill()
        assert_gone(mark["MARK"])


def test_all_of_it_ends_with_the_process_that_waits(benchctl, ready, mark):
    with endless(benchctl, ready, mark) as run:
        waits = next(pid for pid in children(run.pid) if read_proc(pid, "comm").strip() == b"benchctl")
        os.kill(waits, signal.SIGKILL)
        out = run.communicate(timeout=END_TIMEOUT_S)[0].decode()
        assert run.returncode == BENCHMARK and "benchctl, which runs the command, has ended" in out


def test_all_of_it_ends_with_the_runner(benchctl, daemon, ready, mark):
    with endless(benchctl, ready, mark) as run:
        for pid in daemon.find("benchd-runner"):
            daemon.kill(pid)
        out = run.communicate(timeout=END_TIMEOUT_S)[0].decode()
        assert run.returncode == BENCHMARK and "was killed from outside" in out


def test_all_of_it_ends_with_the_daemon(build, tmp_path, ready, mark):
    daemon = Daemon(build, tmp_path).__enter__()
    with endless(Benchctl(build, f"--socket={daemon.socket}"), ready, mark) as run:
        daemon.die()
        run.communicate(timeout=END_TIMEOUT_S)
        assert run.returncode == DAEMON
        assert_gone(mark["MARK"])

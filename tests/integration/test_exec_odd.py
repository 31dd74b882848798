# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd commands: each is measured or refused in words, and nothing of it stays behind."""

import contextlib
import contextlib
import os
import pty
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest

from support.benchctl import BENCHMARK, CANCELLED, DAEMON, DONE, MACHINE, USAGE, Benchctl, popen_options
from support.daemon import Daemon
from support.paths import SOURCE, copy_programs, open_directory
from support.processes import END_TIMEOUT_S, await_ends, children, is_alive, processes_with, read_proc
from support.users import OTHER_UID, as_root

TOUCHES = "exec exec-wire exec-stage exec-perform exec-command exec-left exec-output exec-overhead exec-environment exec-shared exec-hook exec-trace exec-cold verb-exec adopted adopting"

FEW = ["--warmup=0", "--runs=6"]  # without a trial, which has tests of its own


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
    row = benchctl.json("exec", "true & sleep 0.02 | cat; wait", *FEW, **mark)["benchmarks"][0]
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
        most = max(most, memory_bytes(mark["MARK"]))
        select.select([run.stdout], [], [], 0.005)
    assert "exit code 9" in (text := run.stdout.read().decode()) and "the end" in text
    assert run.returncode == BENCHMARK and 0 < most < 250e6


def memory_bytes(value):
    """What the processes of a test have: their own pages, and those of the files in memory that they hold open."""
    own, files = 0, {}
    for pid in marked(value):
        own += int((read_proc(pid, "statm").split() or [0, 0])[1]) * os.sysconf("SC_PAGE_SIZE")
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    if os.readlink(path := f"/proc/{pid}/fd/{fd}").startswith(("/memfd:", "/dev/shm/")):
                        files[os.stat(path).st_ino] = os.stat(path).st_blocks * 512
    return own + sum(files.values())


def test_it_may_change_its_affinity(benchctl, mark):
    script = "taskset -p ffffffff $$ > /dev/null && sleep 0.01"
    assert benchctl.json("exec", script, *FEW, **mark)["benchmarks"][0]["time_ns"]["point"] > 5e6


def test_a_command_that_wants_a_terminal_has_that_of_its_user(benchctl, mark):
    words = benchctl.command("exec", "test -t 3 3< /dev/tty && echo seen > /dev/tty", *FEW)
    code, seen = InTerminal(words, **mark).end()
    assert code == DONE and seen.count("seen\r\n") >= 6


def test_the_live_line_names_commands_and_leaves_before_a_message(benchctl, mark):
    _, seen = InTerminal(benchctl.command("exec", "sleep 0.012", *FEW), **mark).end()
    assert "exec: 1 command in 6 processes" in seen and "command 1 of 1: sleep 0.012" in seen and "sleep_0.012" not in seen
    _, seen = InTerminal(benchctl.command("exec", "sleep 0.01", "sleep 0.011", "sleep 0.012", *FEW), **mark).end()
    assert "exec: 2 comparisons in " in seen and "comparison 2 of 2: sleep 0.012" in seen
    _, seen = InTerminal(benchctl.command("exec", "sleep 2", "-r", "4"), **mark).end()
    assert re.search(r"exec: 1 command in 4 processes, about (8|9|1\d) s", seen), "by the time of the trial"
    for words in (["false"], ["-p", "false", "true"]):
        code, seen = InTerminal(benchctl.command("exec", *words), **mark).end()
        assert code == BENCHMARK and "\r\033[Kbenchctl: " in seen


def test_without_a_terminal_its_own_words_say_so(benchctl, mark):
    done = benchctl("exec", "cat < /dev/tty", *FEW, "--format=details", expect=BENCHMARK, start_new_session=True, **mark)
    assert "/dev/tty" in done.stdout


def test_the_length_of_the_environment_is_drawn_anew_and_runs_are_numbered(benchctl, tmp_path, mark):
    script = 'echo "$HYPERFINE_ITERATION ${#HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET}" >> drawn'

    def drawn(*words):
        seed = benchctl.json("exec", script, *FEW, *words, cwd=tmp_path, **mark)["seed"]
        rows = [line.split() for line in (tmp_path / "drawn").read_text().splitlines()]
        (tmp_path / "drawn").unlink()
        assert [int(row[0]) for row in rows] == list(range(len(rows)))
        return seed, [int(row[1]) for row in rows]

    seed, lengths = drawn()
    assert len(set(lengths)) > len(lengths) // 2 and max(lengths) <= 4096
    assert drawn(f"--seed={seed}") == (seed, lengths) != drawn()


# ---- its shell

def test_the_start_of_its_shell_is_taken_off_and_told(benchctl, tmp_path, mark):
    slow = tmp_path / "slow"
    slow.write_text('#!/bin/sh\nsleep 0.3\nexec sh "$@"\n')
    slow.chmod(0o755)
    row = benchctl.json("exec", "--warmup=0", f"--shell={slow}", "--runs=2", "sleep 0.05", **mark)["benchmarks"][0]

    assert row["counters"]["shell_ns"] > 300e6
    assert row["time_ns"]["point"] < 250e6 and row["label"] is None
    assert row["counters"]["start_ns"] < row["counters"]["shell_ns"]


def test_without_a_shell_nothing_is_taken_off(benchctl, mark):
    for words in (["-N", "sleep 0.02"], ["--", "sleep", "0.02"]):
        row = benchctl.json("exec", "--runs=3", *words, **mark)["benchmarks"][0]
        assert "shell_ns" not in row["counters"] and row["counters"]["start_ns"] > 0
        assert row["time_ns"]["point"] > 20e6


def test_a_script_as_short_as_its_shell_says_so(benchctl, mark):
    row = benchctl.json("exec", "--runs=20", ":", **mark)["benchmarks"][0]
    assert "try -N" in row["label"] and "shell_ns" not in row["counters"]
    assert row["time_ns"]["point"] > 1e5, "no shell starts so quickly"

    pair = benchctl.json("exec", "--runs=3", "sleep 0.03", ":", **mark)["benchmarks"]
    assert all("shell_ns" not in row["counters"] for row in pair), "nothing is taken off one side alone"


# ---- hooks

def test_hooks_run_around_each_run_and_what_they_start_survives(benchctl, tmp_path, mark):
    hooks = [f"--{name}=echo {name} $HYPERFINE_ITERATION >> said" for name in ("setup", "conclude", "cleanup")]
    prepare = "--prepare=echo prepare $HYPERFINE_ITERATION >> said; test -e begun || { touch begun; setsid sleep 1000 & echo $! > service; }"
    try:
        benchctl("exec", *hooks, prepare, "--runs=3", "echo run $HYPERFINE_ITERATION >> said; kill -0 $(cat service)", cwd=tmp_path, **mark)
        said = (tmp_path / "said").read_text().splitlines()
        runs = [line.split()[0] for line in said]
        assert runs[0] == "setup" and runs[-1] == "cleanup" and runs.count("setup") == runs.count("cleanup") == 1
        assert runs[1:-1] == ["prepare", "run", "conclude"] * ((len(runs) - 2) // 3) and len(runs) >= 2 + 3 * 3
        numbers = [line.split()[1] for line in said[-10:-1]]
        assert numbers == [str(number) for number in range(3) for _ in range(3)]
        assert is_alive(int((tmp_path / "service").read_text()))
    finally:
        os.kill(int((tmp_path / "service").read_text()), signal.SIGKILL)


def test_a_hook_that_fails_ends_the_run_with_its_last_lines(benchctl, tmp_path, mark):
    for name, words in (("prepare", "--prepare"), ("conclude", "--conclude")):
        script = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; test $n -lt 2 || { echo one; echo two >&2; exit 4; }"
        done = benchctl("exec", f"--{name}={script}", "--runs=9", "--format=details", "true", cwd=tmp_path, expect=BENCHMARK, **mark)
        assert f"the script of {words} failed with exit code 4: one | two" in done.stdout
        (tmp_path / "n").unlink()


# ---- its files

def test_each_run_reads_the_input_from_its_beginning(benchctl, tmp_path, mark):
    (tmp_path / "text").write_text("one\ntwo\n")
    benchctl("exec", "--input=text", "--runs=4", 'test "$(cat | wc -l)" = 2', cwd=tmp_path, **mark)


@pytest.mark.parametrize("output", ["null", "pipe", "file"])
def test_a_command_that_prints_gigabytes_takes_no_memory(benchctl, tmp_path, mark, output):
    place = tmp_path / "printed"
    run = subprocess.Popen(benchctl.command("exec", f"--output={place if output == 'file' else output}", "--runs=1", "head -c 300000000 /dev/zero; echo end"),
                           **popen_options({"cwd": tmp_path, **mark}))
    most = 0
    while run.poll() is None:
        most = max(most, memory_bytes(mark["MARK"]))
        select.select([], [], [], 0.005)
    assert run.returncode == DONE and 0 < most < 250e6
    assert output != "file" or place.stat().st_size == 300_000_004


def test_codes_that_are_no_failure_are_measured(benchctl, mark):
    assert benchctl.json("exec", "--ignore-failure=3,4", "--runs=2", "exit 3", **mark)["benchmarks"][0]["failed"] is None
    assert "exit code 5" in benchctl("exec", "--ignore-failure=3,4", "--runs=2", "exit 5", expect=BENCHMARK, **mark).stderr


# ---- cold

def test_cold_runs_drop_the_files_that_the_command_opens(benchctl, tmp_path, mark):
    (tmp_path / "data").write_bytes(bytes(4_000_000))
    row = benchctl.json("exec", "--cold=files", "--runs=3", "-N", "cat data", cwd=tmp_path, **mark)["benchmarks"][0]
    assert re.match(r"cold: \d+ files dropped", row["label"])
    assert row["counters"]["dropped_bytes"] >= 4_000_000
    warm = benchctl.json("exec", "--runs=3", "-N", "cat data", cwd=tmp_path, **mark)["benchmarks"][0]
    assert warm["label"] is None and "dropped_bytes" not in warm["counters"]


# ---- without root

@contextlib.contextmanager
def benchctl_of_stranger(build, *where):
    """A benchctl of an ordinary user, in a directory of that user's."""
    with open_directory() as path:
        copy_programs(build, path)
        for name in ("client/ctl/benchctl", "exec/exec.so", "exec/exec-reference.so"):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(build / name, path / name)
        (path / "home").mkdir()
        os.chown(path / "home", OTHER_UID, OTHER_UID)
        yield Benchctl(path, *where, cwd=path / "home", HOME=path / "home", XDG_STATE_HOME=path / "home", XDG_RUNTIME_DIR=None,
                       user=OTHER_UID, group=OTHER_UID, extra_groups=[])


@pytest.fixture
def stranger(build):
    """It has a private daemon of that user's."""
    with benchctl_of_stranger(build, "--private") as benchctl:
        yield benchctl


@as_root
def test_a_daemon_of_an_ordinary_user_drops_no_page_cache(stranger):
    refused = stranger("exec", "--cold=all", "--runs=1", "touch ran", expect=MACHINE)
    assert "it does not run as root" in refused.stderr and "--cold=files" in refused.stderr


@as_root
@pytest.mark.parametrize("config, allowed", [("", False), ("[access]\ndrop_caches=*\n", True)])
def test_the_whole_page_cache_is_dropped_where_the_configuration_allows_it(build, tmp_path, config, allowed):
    with open_directory() as directory, Daemon(build, directory, launch=["--no-probes"], config=config) as daemon:
        with benchctl_of_stranger(build, f"--socket={daemon.socket}") as benchctl:
            words = ["exec", "--cold=all", "--runs=2", "-N", "--prepare=cat data", "cat data"]
            (benchctl.options["cwd"] / "data").write_bytes(os.urandom(4_000_000))
            if not allowed:
                refused = benchctl(*words, expect=DAEMON)
                assert "may not have the page cache dropped" in refused.stderr and "drop_caches=" in refused.stderr
                return
            row = benchctl.json(*words)["benchmarks"][0]
            assert row["label"].startswith("cold: the page cache dropped")
            assert row["counters"]["storage_read_bytes"] >= 4_000_000 or is_in_memory(benchctl.options["cwd"])


def is_in_memory(path):
    """Files there have no disk to be read from."""
    return subprocess.run(["stat", "--file-system", "--format=%T", path], capture_output=True, text=True).stdout.strip() in ("tmpfs", "ramfs")


@as_root
def test_an_ordinary_user_runs_odd_commands_without_control_groups(stranger, mark):
    row = stranger.json("exec", "id -u >> ran; setsid sleep 1000 & true", *FEW, **mark)["benchmarks"][0]
    assert row["label"].startswith("left behind and killed: ")
    assert set((stranger.folder / "ran").read_text().split()) == {str(OTHER_UID)}
    assert "exit code 7: why" in stranger("exec", "sleep 1000 & echo why >&2; exit 7", *FEW, "--format=details", expect=BENCHMARK, **mark).stdout
    (stranger.folder / "data").write_bytes(bytes(1_000_000))
    row = stranger.json("exec", "--cold=files", "--runs=2", "-N", "cat data", **mark)["benchmarks"][0]
    assert "not known" in row["label"]  # of the files of others


@as_root
def test_all_of_an_ordinary_users_ends_with_benchctl(stranger, mark):
    os.mkfifo(stranger.folder / "ready")
    os.chown(stranger.folder / "ready", OTHER_UID, OTHER_UID)
    with endless(stranger, stranger.folder / "ready", mark) as run:
        run.kill()
        assert_gone(mark["MARK"])


def test_a_command_runs_where_no_namespace_may_be_made(build, mark):
    where_none = [sys.executable, SOURCE / "tests/support/without_namespaces.py"]
    benchctl = Benchctl(build, "--private")
    shown = benchctl("exec", "sleep 1000 & true", *FEW, "--format=details", before=where_none, **mark).stdout
    assert len(re.findall("left behind and killed: (?:sleep|sh)", shown)) == 1


# ---- interrupted

LAST = "test $HYPERFINE_ITERATION -lt 9 || { echo > ready; sleep 1000; }"


@pytest.mark.parametrize("script", [LAST, f"trap '' INT; {LAST}", f"trap 'exit 0' INT; {LAST}"], ids=["dies", "ignores", "succeeds"])
def test_ctrl_c_prints_what_is_complete(benchctl, ready, mark, script):
    run = InTerminal(benchctl.command("exec", script, "--warmup=0", "--runs=200", "--no-color"), cwd=ready.parent, **mark)
    assert ready.read_text() == "\n"
    run.press(b"\x03")
    code, seen = run.end()

    assert code == CANCELLED and "Partial" in seen and "bench_fail" not in seen and "exit code" not in seen
    assert re.search(r"^(test|trap) .* \d+(\.\d+)? [mµn]?s ", seen, re.M)


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
                           **popen_options({**benchctl.options, "cwd": ready.parent, **mark}))
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

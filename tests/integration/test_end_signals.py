# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole job is told to end, as by scancel, systemctl stop or a closing terminal: each of its processes gets the signal, and what was
measured until then is printed."""

import contextlib
import json
import os
import random
import re
import select
import signal
import tempfile
import time

import pytest

from support.benchctl import CANCELLED, DONE, TIMEOUT_S, Benchctl, OnTerminal
from support.client import MEASURED_WORDS
from support.daemon import Daemon
from support.modules import SPINS
from support.processes import names_below

TOUCHES = "end-signals interrupt"

ADDS = "BENCH(adds) { bench_loop(b) bench_clobber(); }"
LONG = ["--processes=1000", "--samples=2", "--min-time=0.02", "--warmup=1"]


class Run(OnTerminal):
    """A private run in a session of its own, whose stderr is a terminal, in a directory of its own."""

    def __init__(self, build, directory, *words, prefix=()):
        self.directory = directory
        self.stdout = tempfile.TemporaryFile()  # takes any result at once
        super().__init__([*prefix, *Benchctl(build, "--private").command("run", *words)], stdout=self.stdout, start_new_session=True,
                         XDG_RUNTIME_DIR=directory)
        self.pidfds = {}

    def await_processes(self, pattern="process ([3-9]|[0-9]{2,}) of"):
        """Waits until some are complete and another one runs; returns the pids of all there is."""
        self.await_text(pattern)
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            names = names_below(self.process.pid)
            if "benchd-runner" in names.values():
                assert {"benchctl", "benchd-launch", "benchd", "benchd-zygote"} <= set(names.values())
                for pid in names:
                    with contextlib.suppress(ProcessLookupError):
                        self.pidfds[pid] = os.pidfd_open(pid)
                return names
        raise AssertionError("no process runs")

    def signal(self, pids, number):
        for pid in pids:
            if pid in self.pidfds:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self.pidfds[pid], number)

    def end(self, *expect):
        """Waits for the end of all; returns what was printed."""
        while self.more():
            pass
        os.close(self.terminal)
        code = self.process.wait(timeout=TIMEOUT_S)
        with self.stdout as file:
            file.seek(0)
            stdout = file.read()
        assert code in expect, f"exit code {code}: {stdout}{self.seen}"
        for pid, pidfd in self.pidfds.items():
            assert select.select([pidfd], [], [], TIMEOUT_S)[0], f"process {pid} is left"
            os.close(pidfd)
        assert list(self.directory.iterdir()) == [], "a socket or a directory is left"
        return stdout


def benchctl_last(pids, run):
    return sorted(pids, key=lambda pid: pid == run.process.pid)


def benchctl_first(pids, run):
    return sorted(pids, key=lambda pid: pid != run.process.pid)


def check_partial(result):
    assert result["verdict"] == "partial"
    (benchmark,) = result["benchmarks"]
    assert benchmark["failed"] is None
    assert 2 <= len(benchmark["processes"]) < 1000
    assert benchmark["time_ns"]["point"] > 0


@pytest.mark.parametrize("order", [benchctl_last, benchctl_first])
@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGHUP,), (signal.SIGTERM, signal.SIGCONT, signal.SIGHUP, signal.SIGTERM)],
                         ids=["TERM", "INT", "HUP", "several"])
def test_a_signal_to_every_process_of_a_job_prints_what_is_complete(build, modules, tmp_path, numbers, order):
    run = Run(build, tmp_path, modules(ADDS), "--format=json", *LONG)
    pids = run.await_processes()
    for number in numbers:
        run.signal(order(pids, run), number)
    check_partial(json.loads(run.end(CANCELLED)))


def test_a_signal_to_every_process_at_any_moment_leaves_nothing_behind(build, modules, tmp_path):
    seed = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
    print(f"BENCHD_SEED={seed}")
    chance = random.Random(seed)
    for _ in range(8):
        run = Run(build, tmp_path, modules(ADDS), "--format=json", *LONG)
        moment = time.monotonic() + chance.uniform(0, 0.4)
        while select.select([run.terminal], [], [], max(0, moment - time.monotonic()))[0]:
            assert run.more()
        for pid in names_below(run.process.pid):
            with contextlib.suppress(ProcessLookupError):
                run.pidfds[pid] = os.pidfd_open(pid)
        run.signal(list(run.pidfds), signal.SIGTERM)
        stdout = run.end(CANCELLED, -signal.SIGTERM)  # the latter before it handles signals
        assert not stdout or json.loads(stdout)["verdict"] == "partial"
        assert b"before it was ready" not in run.seen and b"Lost the daemon" not in run.seen


def test_a_file_is_written_and_a_table_marked_when_each_process_group_is_told_to_end(build, modules, tmp_path):
    (tmp_path / "run").mkdir()
    run = Run(build, tmp_path / "run", modules(ADDS), f"--output={tmp_path}/result.json", *LONG)
    groups = set()
    for pid in run.await_processes():
        with contextlib.suppress(ProcessLookupError):  # a runner whose process of the run is over
            groups.add(os.getpgid(pid))
    assert len(groups) >= 2 and os.getpgrp() not in groups
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)
    run.end(CANCELLED)
    check_partial(json.loads((tmp_path / "result.json").read_text()))
    assert b"Lost" not in run.seen


def test_a_daemon_whose_client_is_killed_ends_though_it_outlived_a_signal(build, modules, tmp_path):
    run = Run(build, tmp_path, modules(ADDS), *LONG)
    names = run.await_processes()
    halves = [pid for pid, name in names.items() if name in ("benchd-launch", "benchd", "benchd-zygote")]
    seen = len(run.seen)
    run.signal(halves, signal.SIGTERM)
    run.signal(halves, signal.SIGHUP)
    while not re.search(rb"process \d+ of", run.seen[seen + 100:]):  # it measures on
        assert run.more()
    run.signal([run.process.pid], signal.SIGKILL)
    for pidfd in run.pidfds.values():
        assert select.select([pidfd], [], [], TIMEOUT_S)[0], "the daemon outlives its client"
        os.close(pidfd)
    run.process.wait()
    run.stdout.close()
    os.close(run.terminal)
    assert names_below(os.getpid()).keys().isdisjoint(names)


def test_a_runner_that_alone_is_told_to_end_has_crashed(build, modules, tmp_path):
    run = Run(build, tmp_path, modules(SPINS), "--format=json", "--processes=1", "--timeout=600")
    names = run.await_processes("process 1 of 1")
    run.signal([pid for pid, name in names.items() if name == "benchd-runner"], signal.SIGTERM)
    result = json.loads(run.end(3))
    assert result["benchmarks"][0]["failed"]["code"] == "crashed"


def test_the_end_of_the_terminal_is_nothing_under_nohup(build, modules, tmp_path):
    run = Run(build, tmp_path, modules(ADDS), "--format=json", "--processes=200", *LONG[1:], prefix=["sh", "-c", 'trap "" HUP; exec "$@"', "sh"])
    run.await_processes()
    run.signal([run.process.pid], signal.SIGHUP)
    assert json.loads(run.end(DONE))["verdict"] in MEASURED_WORDS


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_daemon_started_by_hand_ends_by_a_signal(build, tmp_path, number):
    daemon = Daemon(build, tmp_path, until_eof=False).__enter__()
    with daemon.connect() as client:
        client.status()
    daemon.kill(daemon.process.pid, number)
    assert daemon.process.wait(timeout=TIMEOUT_S) == 0
    assert not daemon.socket.exists()
    daemon.bury()

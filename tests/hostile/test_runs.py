# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that do not want to end: each is told by its own reason, nothing of it is left then, and the next user's run is right."""

import contextlib
import ctypes
import os
import pathlib
import re
import select
import signal
import subprocess
import time

import benchd_pb2 as pb
import pytest
from support.client import MEASURED, Failed
from support.daemon import END_TIMEOUT_S, Daemon
from support.paths import WITHOUT_NAMESPACES, open_directory
from support.processes import TRACES_NONE, may_mount, may_trace_others, read_proc
from support.steady import SteadyDaemon

TOUCHES = "run-group stray control-group process-fds"

MODULES = pathlib.Path(__file__).parent / "modules"
GOOD = "BENCH(good) { bench_loop(b) bench_clobber(); }"
TIMEOUT_NS = 2 * 10**9
PATIENCE_NS = 60 * 10**9  # for a run that is to succeed, however busy the machine is
NEXT_USER = 2002
ORDINARY_USER = 2003
RUN_USER = 65529  # of root's runs, where no user benchd-run is there

# Two CPUs are one to lend, which is calibrated before anything runs: no other runner is there then.
TWO_CPUS = ["taskset", "--cpu-list", "{},{}".format(min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0)))]
CONFIG = """
[run]
memory_max=256M
tasks_max=40
"""


@pytest.fixture
def bounded(build_for_all):
    with open_directory() as directory:
        with SteadyDaemon(build_for_all, directory, config=CONFIG, wrapper=TWO_CPUS) as daemon:
            yield daemon


@pytest.fixture
def ordinary(build_for_all):
    """The daemon of an ordinary user, who may make no group here."""
    with open_directory() as directory:
        user = {}
        if os.geteuid() == 0:
            os.chown(directory, ORDINARY_USER, ORDINARY_USER)
            user = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": [], "as_uid": ORDINARY_USER}
        with SteadyDaemon(build_for_all, directory, wrapper=TWO_CPUS, **user) as daemon:
            yield daemon


def alive(build):
    """The processes that a runner of this build became, whoever their parent is."""
    if os.geteuid() == 0 and not may_trace_others():
        pytest.skip(TRACES_NONE)
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if pathlib.Path(os.readlink(f"/proc/{entry}/exe")) == build / "daemon/runner/benchd-runner":
                found.append(int(entry))
        except OSError:
            continue
    return found


def await_death(build, client):
    """A cancelled job is told at once, and its processes are killed meanwhile."""
    begun = time.monotonic()
    while alive(build):
        client.status()
        assert time.monotonic() - begun < END_TIMEOUT_S, f"{alive(build)} live on"


def the_end_of(daemon, modules, name, uid=None, **options):
    """Runs one of them, and looks for what is left of it before anything else is asked of the daemon."""
    with daemon.connect(uid=uid) as client:
        run = client.run(modules(MODULES / "runs.c"), filters=[f"runs/{name}"], quick=True, **{"timeout_ns": TIMEOUT_NS, **options})
        assert alive(daemon.build) == []
    return run.benchmarks[f"runs/{name}"]


def assert_the_next_is_right(daemon, modules, uid=NEXT_USER if os.geteuid() == 0 else None):
    with daemon.connect(uid=uid) as client:
        run = client.run(modules(GOOD), quick=True)
        assert run.result.verdict in MEASURED and next(iter(run.benchmarks.values())).time_ns.point > 0
        assert not any("cgroup" in warning for warning in run.result.warnings)


def may_set_a_floor():
    effective = next(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff"))
    return int(effective.split()[1], 16) >> 24 & 1


def controls_of(daemon, modules):
    with daemon.connect() as client:
        return {control.name: control for control in client.run(modules(GOOD), quick=True).result.environment.controls}


def need(daemon, modules, control):
    if controls_of(daemon, modules)[control].outcome != pb.Control.APPLIED:
        pytest.skip(f"no {control} here that a daemon may make")


def test_a_fork_bomb_is_dead_when_its_timeout_is_told(bounded, modules):
    failed = the_end_of(bounded, modules, "bomb").failed

    assert failed.code == "timeout" and "2 s" in failed.message
    if controls_of(bounded, modules)["process limit"].outcome == pb.Control.APPLIED:
        assert "the limit of 41 processes and threads" in failed.message
    assert_the_next_is_right(bounded, modules)


def test_a_fork_bomb_that_is_cancelled_is_dead_as_well(bounded, modules):
    with bounded.connect() as client, bounded.connect() as other:
        request = client.submit(modules(MODULES / "runs.c"), filters=["runs/bomb"], quick=True)
        replies = client.replies(request)
        run_id = next(reply for reply in replies if reply.HasField("accepted")).accepted.run_id
        next(reply for reply in replies if reply.progress.stage == pb.Progress.MEASURING)  # what lists it has several processes too
        while len(alive(bounded.build)) < 2:
            other.status()
        other.cancel_job(run_id)
        run = client.collect(request)
        await_death(bounded.build, other)
    assert run.result.verdict not in MEASURED
    assert_the_next_is_right(bounded, modules)


@pytest.mark.parametrize("name, code", [("daemons", ""), ("daemons_and_spin", "timeout")])
def test_what_leaves_its_session_and_its_parent_ends_with_the_run(bounded, modules, name, code):
    patience = {} if code else {"timeout_ns": PATIENCE_NS}
    assert the_end_of(bounded, modules, name, **patience).failed.code == code
    assert_the_next_is_right(bounded, modules)


def test_a_runner_that_its_child_holds_on_its_way_out_ends_with_its_timeout(bounded, modules):
    assert the_end_of(bounded, modules, "held_at_exit").failed.code == "timeout"
    assert_the_next_is_right(bounded, modules)


MANY = """
import threading, sys
for _ in range(200):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""
WITHOUT_GROUPS = ["unshare", "--mount", "sh", "-ec", 'mount -t tmpfs none /sys/fs/cgroup; exec "$@"', "sh"]


def test_a_run_is_measured_however_many_processes_others_of_its_user_have(build, modules):
    """Where no group counts those of a run, the limit of its user does: which other daemons' runs share."""
    if os.geteuid() != 0:
        pytest.skip("needs root, whose runs all have one user")
    with (subprocess.Popen(["/usr/bin/python3", "-I", "-c", MANY], cwd="/", user=RUN_USER, group=RUN_USER, extra_groups=[], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True) as others,
          open_directory() as directory,
          Daemon(build, directory, launch=["--no-probes"], wrapper=[*(WITHOUT_GROUPS if may_mount() else []), *WITHOUT_NAMESPACES]) as daemon, daemon.connect() as client):
        assert others.stdout.readline() == "ready\n"
        [result] = client.run(modules(GOOD), quick=True).benchmarks.values()
        assert not result.HasField("failed"), result.failed.message
        others.stdin.close()


@pytest.mark.parametrize("name", ["bomb", "daemons_and_spin", "held_at_exit"])
def test_without_a_group_all_that_is_left_is_found_and_killed(ordinary, modules, name):
    uid = ORDINARY_USER if os.geteuid() == 0 else None
    assert the_end_of(ordinary, modules, name, uid).failed.code == "timeout"
    assert_the_next_is_right(ordinary, modules, uid)


@pytest.mark.parametrize("name", ["eats", "children_eat"])
def test_a_run_that_takes_too_much_memory_is_killed_as_a_whole_and_told_so(bounded, modules, name):
    need(bounded, modules, "memory limit")
    failed = the_end_of(bounded, modules, name, timeout_ns=60 * 10**9).failed

    assert failed.code == "memory" and "256 MiB" in failed.message
    assert_the_next_is_right(bounded, modules)


def test_a_module_cannot_keep_the_oom_killer_away_from_itself(bounded, modules):
    if not may_set_a_floor():
        pytest.skip("without CAP_SYS_RESOURCE a score is no floor")
    counters = {c.name: c.value for c in the_end_of(bounded, modules, "offers_itself", timeout_ns=PATIENCE_NS).counters}
    assert counters["score"] in (1000, -1)


@pytest.mark.parametrize("name", ["floods", "dribbles"])
def test_a_flood_of_words_to_the_launcher_is_misuse(bounded, modules, name):
    failed = the_end_of(bounded, modules, name, timeout_ns=60 * 10**9).failed

    assert failed.code == "misuse" and "1000 times a second" in failed.message
    assert_the_next_is_right(bounded, modules)


@contextlib.contextmanager
def deaf_run(daemon, modules):
    """Its client stays connected, since the run would be cancelled without."""
    need(daemon, modules, "run group")
    with daemon.connect() as client, daemon.connect() as other:
        client.submit(modules(MODULES / "runs.c"), filters=["runs/deaf"], quick=True)
        while not daemon.find("deaf"):
            other.status()
        yield


def test_a_runner_that_hears_no_signal_does_not_outlive_a_launcher_that_is_killed(build_for_all, modules):
    with open_directory() as directory:
        daemon = Daemon(build_for_all, directory, wrapper=TWO_CPUS)
        daemon.__enter__()
        with deaf_run(daemon, modules):
            daemon.kill(daemon.process.pid, signal.SIGKILL)
            daemon.bury()
        assert alive(build_for_all) == []


def test_a_run_that_outlives_its_whole_daemon_is_ended_before_the_next_one_answers(build_for_all, modules):
    with open_directory() as directory:
        daemon = Daemon(build_for_all, directory, wrapper=TWO_CPUS)
        daemon.__enter__()
        with deaf_run(daemon, modules):
            zygote, front = daemon.find("benchd-zygote")[0], daemon.front_end()
            listeners = [os.pidfd_open(pid) for pid in [front, *daemon.find("benchd-receive")]]
            for pid, number in [(zygote, signal.SIGSTOP), (daemon.process.pid, signal.SIGKILL), (front, signal.SIGKILL),
                                (zygote, signal.SIGKILL)]:
                daemon.kill(pid, number)
        daemon.process.wait(timeout=END_TIMEOUT_S)
        for pidfd in listeners:  # the next one cannot have the socket before
            assert select.select([pidfd], [], [], END_TIMEOUT_S)[0]
            os.close(pidfd)
        left = alive(build_for_all)  # none by and by where the run was in namespaces of its own, which end with their first process
        with Daemon(build_for_all, directory) as following:
            assert not set(left) & set(alive(build_for_all))
            assert_the_next_is_right(following, modules)
            said = following.errors()
        assert "sys/fs/cgroup/" not in said and not re.search(r"^<\d>", said, re.M)
        for file in [daemon.process.stdin, daemon.process.stdout, daemon.stderr]:
            file.close()
        daemon.forget_orphans()


class Hold:
    """Holds a process on its way out, as the kernel does one that waits for a file server: no signal ends it."""
    SEIZE, DETACH, TRACE_EXIT, WAIT_ALL = 0x4206, 17, 0x40, 0x40000000

    def __init__(self, pid):
        self.pid = pid
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        self.trace(self.SEIZE, self.TRACE_EXIT)

    def trace(self, request, data):
        assert self.libc.ptrace(request, self.pid, None, data) == 0, os.strerror(ctypes.get_errno())

    def release(self):
        os.waitpid(self.pid, self.WAIT_ALL)
        self.trace(self.DETACH, None)


def first_runner(daemon):
    """The oldest that lives: what it forked has its name too, and is dead before anybody awaits it."""
    def state_and_start(pid):
        fields = read_proc(pid, "stat").decode().rpartition(")")[2].split()
        return (fields[0], int(fields[19])) if fields else ("Z", 0)

    stats = {pid: state_and_start(pid) for pid in daemon.find("benchd-runner")}
    return min((start, pid) for pid, (state, start) in stats.items() if state not in "ZX")[1]


def stuck_of(client):
    return {lease.stuck_pid: lease for lease in client.status().leases if lease.HasField("stuck_pid")}


def test_a_process_that_no_signal_ends_keeps_its_cpu_and_nothing_else(bounded, modules):
    if not may_trace_others():
        pytest.skip(TRACES_NONE)
    with bounded.connect() as client, bounded.connect() as other:
        lent = {lease.cpu for lease in other.status().leases}
        request = client.submit(modules(MODULES / "runs.c"), filters=["runs/daemons_and_spin"], quick=True,
                                timeout_ns=3 * TIMEOUT_NS)
        while not bounded.find("daemon"):
            other.status()
        held = Hold(first_runner(bounded))
        failed = client.collect(request).benchmarks["runs/daemons_and_spin"].failed
        status = other.status()
        stuck = stuck_of(other)

        assert failed.code == "stuck" and f"process {held.pid} does not die" in failed.message
        assert alive(bounded.build) == [held.pid], "what can be killed is"
        assert list(stuck) == [held.pid] and stuck[held.pid].busy
        assert [warning for warning in status.warnings if f"process {held.pid}" in warning]
        if lent == {stuck[held.pid].cpu}:
            with pytest.raises(Failed, match=f"Process {held.pid}, of an earlier run"):
                client.run(modules(GOOD), quick=True)
        else:
            assert client.run(modules(GOOD), quick=True).result.environment.cpus != [stuck[held.pid].cpu]
        held.release()
        begun = time.monotonic()
        while stuck_of(other):
            assert time.monotonic() - begun < END_TIMEOUT_S, "it is dead, and still said to be stuck"
        assert {lease.cpu for lease in other.status().leases if not lease.busy} == lent
    assert_the_next_is_right(bounded, modules)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine is switched while something is measured, and afterwards it is as before, whatever happens to the daemon."""

import os
import random
import signal
import subprocess
import threading

import benchd_pb2 as pb
import pytest
from support.client import FOREVER, MEASURED, TWICE, Closed, Failed
from support.daemon import Daemon
from support.machine import Machine
from support.modules import EMPTY
from support.paths import open_directory

TOUCHES = "daemon/machine/* daemon/launch/lease/machine-* restorer shield lease cpu-watch"

KILLS = int(os.environ.get("BENCHD_KILLS", "20"))
SEED = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
LATEST_S = 1.0

GATE = """
#include <unistd.h>

BENCH(gate, .processes = 1)
{{
        while (access("{gate}", F_OK))
                bench_clobber();
        bench_loop(b)
                bench_clobber();
}}
"""
GOVERNOR = "sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
CPUS = {0, 1}  # however many there are: of these two, 1 is lent

pytestmark = pytest.mark.skipif(not CPUS <= os.sched_getaffinity(0) or os.geteuid() != 0,
                                reason="a machine is switched by root, for CPU 1 beside CPU 0, which keeps house")


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path / "machine", "intel-pstate.txt")


def daemon_on(build, machine, *options):
    return Daemon(build, machine.directory.parent, launch=[f"--root={machine.directory}", *options],
                  wrapper=["taskset", "--cpu-list", ",".join(map(str, CPUS))])


def restore(build, machine):
    journal = machine.directory.parent / "benchd.sock.restore"
    return subprocess.run([build / "daemon/launch/benchd-launch", "--restore", f"--root={machine.directory}",
                           f"--journal={journal}"], capture_output=True, text=True)


def controls_of(run):
    return {control.name: control for control in run.result.environment.controls}


class Held:
    """A run that has its CPU when this is made, and goes on when it is let."""

    def __init__(self, daemon, modules, directory):
        self.gate = directory / f"gate{len(list(directory.glob('gate*')))}"
        self.client = daemon.connect()
        self.request = self.client.submit(modules(GATE.format(gate=self.gate)), seen=[str(directory)], **FOREVER)
        with daemon.connect() as other:
            other.until(lambda: any(lease.busy for lease in other.status().leases) and daemon.find("benchd-runner"),
                        "something is measured")

    def result(self):
        self.gate.touch()
        with self.client:
            return self.client.collect(self.request)


@pytest.fixture
def gates():
    """A directory that a run sees."""
    with open_directory() as directory:
        yield directory


def test_during_a_run_the_governor_reads_performance_and_afterwards_all_is_as_before(build, machine, modules, gates):
    before = machine.everything()
    with daemon_on(build, machine) as daemon, daemon.connect() as client:
        held = Held(daemon, modules, gates)
        client.until(lambda: machine.everything()[GOVERNOR] == b"performance", "it is switched")
        assert machine.read(GOVERNOR) == "performance"
        assert machine.read("sys/devices/system/cpu/intel_pstate/no_turbo") == "1"
        assert machine.read("proc/irq/120/smp_affinity") == "dd", "off CPU 1 and its sibling, 5"
        assert machine.read("sys/devices/system/cpu/cpufreq/policy2/scaling_governor") == "powersave"
        run = held.result()
        controls = controls_of(run)
        assert run.result.environment.governor == "performance"
        assert (controls["governor"].outcome, controls["governor"].was) == (pb.Control.APPLIED, "powersave")
        assert controls["irq-affinity"].outcome == pb.Control.APPLIED
        assert run.result.environment.isolation == pb.Environment.AFFINITY
    assert machine.everything() == before


def test_the_machine_is_given_back_a_while_after_the_last_lease_without_waiting_for_the_end(build, machine, modules):
    before = machine.everything()
    with daemon_on(build, machine) as daemon, daemon.connect() as client:
        assert controls_of(client.run(modules(EMPTY), **TWICE))["governor"].outcome == pb.Control.APPLIED
        client.until(lambda: machine.everything() == before, "it is given back")


def test_whenever_it_is_killed_all_that_was_switched_is_put_back(build, machine, modules):
    print(f"BENCHD_SEED={SEED} BENCHD_KILLS={KILLS}")
    chance = random.Random(SEED)
    module = modules(EMPTY)
    before = machine.everything()
    latest_s, n_left = LATEST_S, 0
    for _ in range(KILLS):
        daemon = daemon_on(build, machine)
        daemon.__enter__()
        assert machine.everything() == before
        timer = threading.Timer(chance.uniform(0, latest_s), daemon.kill, [daemon.process.pid])
        timer.start()
        try:
            with daemon.connect() as client:
                while True:
                    client.run(module, **TWICE)
        except (Closed, ConnectionError):
            pass
        timer.join()
        daemon.bury()
        if machine.everything() != before:
            n_left += 1
        else:
            latest_s *= 1.2  # on a busy machine it takes longer until something is switched
        if chance.random() < 0.5:
            assert restore(build, machine).returncode == 0
            assert machine.everything() == before
    with daemon_on(build, machine):
        assert machine.everything() == before
    assert n_left > 0, "it was never killed while something was switched"


def test_what_somebody_else_changed_meanwhile_is_left_alone_and_named(build, machine, modules, gates):
    with daemon_on(build, machine) as daemon:
        held = Held(daemon, modules, gates)
        machine.write(GOVERNOR, "schedutil")
        run = held.result()
    control = controls_of(run)["governor"]
    assert (control.outcome, getattr(control, "is")) == (pb.Control.OVERRIDDEN, "schedutil")
    assert any("governor" in warning and "schedutil" in warning for warning in run.result.warnings)
    assert machine.read(GOVERNOR) == "schedutil"
    assert "changed to 'schedutil' by another program" in daemon.errors()


def test_of_a_damaged_journal_what_stands_before_the_damage_is_restored_and_the_rest_reported(build, machine, modules, gates):
    daemon = daemon_on(build, machine)
    daemon.__enter__()
    Held(daemon, modules, gates)
    daemon.kill(daemon.process.pid)
    daemon.bury()
    journal = machine.directory.parent / "benchd.sock.restore"
    text = journal.read_bytes()
    before, after = text[:text.index(b"powersave")], text[text.index(b"powersave"):]
    noted = {fields[3]: fields[4] for fields in (line.split("\t") for line in before.decode().split("\n")[1:-1])
             if fields[1:3] == ["file", "noted"] and (machine.directory / fields[3]).is_file()}
    journal.write_bytes(before + after.replace(b"powersave", b"poweRsave"))
    left = machine.everything()
    assert noted and all(left[key] != was.encode() for key, was in noted.items())
    with daemon_on(build, machine) as daemon, daemon.connect() as client:
        assert machine.everything() == left | {key: was.encode() for key, was in noted.items()}
        assert any("journal" in warning for warning in client.status().warnings)
    assert f"damaged in line {len(before.splitlines())}: " in daemon.errors()
    assert journal.with_name(journal.name + ".corrupt").read_bytes() == before + after.replace(b"powersave", b"poweRsave")


def test_a_journal_is_not_restored_under_a_daemon_that_runs(build, machine):
    with daemon_on(build, machine):
        done = restore(build, machine)
    assert done.returncode == 1 and "in use by a running daemon" in done.stderr


def test_a_machine_without_cpufreq_is_told_so(build, tmp_path, modules):
    machine = Machine(tmp_path / "machine", "guest-firecracker.txt")
    with daemon_on(build, machine) as daemon, daemon.connect() as client:
        run = client.run(modules(EMPTY), **TWICE)
    control = controls_of(run)["governor"]
    assert control.outcome == pb.Control.UNSUPPORTED and "cpufreq" in getattr(control, "is")


@pytest.mark.parametrize("cpus, words", [([1000], "does not have CPU 1000"), ([0], "CPU 0 is never lent"),
                                         ([2000], "not below")])
def test_cpus_that_cannot_be_had_are_refused_in_words(client, modules, cpus, words):
    with pytest.raises(Failed, match=words):
        client.run(modules(EMPTY), cpus=cpus, **TWICE)


def test_a_run_is_measured_on_the_cpus_that_it_names(client, modules):
    lent = client.status().environment.cpus[0]
    run = client.run(modules(EMPTY), cpus=[0, lent], **TWICE)
    assert run.result.verdict in MEASURED and list(run.result.environment.cpus) == [lent]


def cpusets():
    found = subprocess.run(["find", "/sys/fs/cgroup", "-type", "d", "-name", "[0-9]*-[0-9]*"], capture_output=True, text=True)
    return set(found.stdout.split())


def test_the_only_cpu_there_is_is_measured_on_and_the_result_says_who_else_uses_it(build, tmp_path, modules):
    cpu = min(os.sched_getaffinity(0))
    with Daemon(build, tmp_path, wrapper=["taskset", "--cpu-list", str(cpu)]) as daemon, daemon.connect() as client:
        result = client.run(modules(EMPTY), quick=True).result
    assert list(result.environment.cpus) == [cpu]
    assert result.environment.scheduler == pb.Environment.OTHER
    assert [warning for warning in result.warnings if warning.startswith(f"CPU {cpu} is the only one")]


def test_a_runner_has_a_cpuset_of_its_own_that_is_gone_after_it(daemon, client, modules):
    run = client.run(modules(EMPTY), **TWICE)
    control = controls_of(run)["cpuset"]
    if control.outcome == pb.Control.UNSUPPORTED:
        pytest.skip("no cpuset here that a daemon may divide")
    assert control.outcome == pb.Control.APPLIED
    assert not [path for path in cpusets() if f"/{daemon.process.pid}-" in path]


def test_a_cpuset_that_a_killed_daemon_left_is_removed_by_the_next(build, tmp_path, modules, gates):
    daemon = Daemon(build, tmp_path)
    daemon.__enter__()
    pid = daemon.process.pid
    Held(daemon, modules, gates)
    left = [path for path in cpusets() if f"/{pid}-" in path]
    daemon.kill(pid, signal.SIGKILL)
    daemon.bury()
    if not left:
        pytest.skip("no cpuset here that a daemon may divide")
    with Daemon(build, tmp_path):
        assert not [path for path in cpusets() if f"/{pid}-" in path]


def test_fifo_needs_a_cpuset_where_it_is_required(build, tmp_path, modules):
    machine = Machine(tmp_path / "machine", "intel-pstate.txt")
    with daemon_on(build, machine, "--require-cpuset") as daemon, daemon.connect() as client:
        run = client.run(modules(EMPTY), **TWICE)
    controls = controls_of(run)
    assert controls["cpuset"].outcome == pb.Control.UNSUPPORTED, "a laid out machine has no cpusets"
    assert run.result.environment.scheduler == pb.Environment.OTHER
    assert any("SCHED_FIFO" in warning for warning in run.result.warnings)

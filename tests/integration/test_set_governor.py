# SPDX-License-Identifier: GPL-3.0-or-later
"""set-governor end to end, on machines of tests/machines laid out below a directory: the whole daemon, its client, and files."""

import json
import os
import pathlib
import pwd
import re
import signal

import pytest

from support.benchctl import DAEMON, MACHINE, USAGE, Benchctl
from support.client import Failed
from support.daemon import Daemon

import benchd_pb2 as pb

TOUCHES = "daemon/front/clients/set-governor.* daemon/launch/lease/set-governor.* daemon/machine/*governor* verb-set-governor report-governor"

MACHINES = pathlib.Path(__file__).resolve().parent.parent / "machines"
CPUFREQ = "sys/devices/system/cpu/cpufreq"
NO_TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"
OTHER_UID = 12345

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="takes root: who may is by user")


def expand(text, number):
    return re.sub(r"\{([+-]\d+)?\}", lambda found: str(number + int(found[1] or 0)), text)


class Machine:
    """A machine's files below a directory, as the text says them."""

    def __init__(self, name, directory):
        self.path = directory
        for line in (MACHINES / name).read_text().splitlines():
            if line and not line.startswith("#"):
                self.lay(*line.split("\t", 1))

    def lay(self, path, value):
        value = value.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
        many = re.search(r"\{(\d+)-(\d+)\}", path)
        if not many:
            self.put(path, value)
            return
        for number in range(int(many[1]), int(many[2]) + 1):
            self.put(path[:many.start()] + str(number) + path[many.end():], expand(value, number))

    def put(self, path, value):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value + "\n")

    def read(self, path):
        return (self.path / path).read_text().strip()

    def values(self):
        """What each file of /proc and /sys means."""
        return {str(file.relative_to(self.path)): file.read_text().strip() for top in ["proc", "sys"]
                for file in (self.path / top).rglob("*") if file.is_file()}

    def governors(self):
        policies = sorted((self.path / CPUFREQ).glob("policy*"), key=lambda path: int(path.name[6:]))
        return [(path / "scaling_governor").read_text().strip() for path in policies]


@pytest.fixture(params=["intel-pstate.txt", "two-sockets.txt", "amd-pstate.txt", "hybrid.txt"])
def each_machine(request, tmp_path):
    return Machine(request.param, tmp_path / "machine")


@pytest.fixture
def machine(tmp_path):
    return Machine("intel-pstate.txt", tmp_path / "machine")


def governing(build, machine, directory, **options):
    return Daemon(build, directory, launch=[f"--root={machine.path}", f"--journal={machine.path}/journal"], **options)


def set_governor(client, name=None, cpus=()):
    request = pb.SetGovernorRequest(name=name, cpus=cpus) if name else pb.SetGovernorRequest(restore=True, cpus=cpus)
    return client.call(set_governor=request).set_governor


def outcomes(reply):
    return {(change.file, tuple(change.policies)): pb.GovernorChange.Outcome.Name(change.outcome) for change in reply.changes}


def benchctl(build, daemon, *words, **options):
    return Benchctl(build, f"--socket={daemon.socket}")("set-governor", *words, **options)


@pytest.mark.parametrize("name", ["performance", "powersave", "high-performance", "balanced", "power-saver"])
def test_what_was_set_is_restored_as_it_was(build, each_machine, tmp_path, name):
    before = each_machine.values()
    with governing(build, each_machine, tmp_path) as daemon, daemon.connect() as client:
        for change in set_governor(client, name).changes:
            assert pb.GovernorChange.Outcome.Name(change.outcome) in ["APPLIED", "ALREADY"]
            for path in [f"{CPUFREQ}/policy{number}/{change.file}" for number in change.policies] or [change.file]:
                assert each_machine.read(path) == change.__getattribute__("is")
        if name in ["performance", "powersave"]:
            assert set(each_machine.governors()) == {name}
        changed = {path for path, value in each_machine.values().items() if before[path] != value}
        restored = set_governor(client).changes
        assert each_machine.values() == before
        assert set(outcomes(pb.SetGovernorReply(changes=restored)).values()) <= {"RESTORED"}
        assert sum(max(1, len(change.policies)) for change in restored) == len(changed)
        assert not set_governor(client).changes


def test_the_cpus_that_were_not_named_stay_as_they_are(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        set_governor(client, "performance", [1, 3])
        assert machine.governors() == ["performance" if number in (1, 3) else "powersave" for number in range(8)]
        set_governor(client, None, [3])
        assert machine.governors() == ["performance" if number == 1 else "powersave" for number in range(8)]
        assert [(one.name, one.cpus) for one in client.status().sticky_governors] == [("performance", "1")]


def test_a_later_choice_takes_the_place_of_an_earlier_one(build, machine, tmp_path):
    before = machine.values()
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        set_governor(client, "power-saver")
        assert machine.read(NO_TURBO) == "1"
        reply = set_governor(client, "performance")
        assert outcomes(reply)[NO_TURBO, ()] == "RESTORED"
        assert outcomes(reply)["scaling_governor", tuple(range(8))] == "APPLIED"
        assert [one.name for one in client.status().sticky_governors] == ["performance"]
        set_governor(client)
        assert machine.values() == before


def test_the_status_tells_the_governor_and_that_it_stays(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        assert client.status().environment.governor == "powersave"
        assert not client.status().sticky_governors
        set_governor(client, "performance")
        status = client.status()
        assert status.environment.governor == "performance"
        assert [one.name for one in status.sticky_governors] == ["performance"]
        assert not status.sticky_governors[0].HasField("cpus")
        set_governor(client)
        assert client.status().environment.governor == "powersave"
        assert not client.status().sticky_governors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_neither_undoes_it_nor_forgets_what_was_before(build, machine, tmp_path, number):
    before = machine.values()
    first = governing(build, machine, tmp_path, until_eof=False).__enter__()
    with first.connect() as client:
        set_governor(client, "power-saver")
        chosen = machine.values()
    first.kill(first.process.pid, number)
    first.bury()
    assert machine.values() == chosen != before
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        assert machine.values() == chosen
        assert [one.name for one in client.status().sticky_governors] == ["power-saver"]
        set_governor(client)
        assert machine.values() == before


def test_what_somebody_else_changed_is_left_alone_and_told(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        set_governor(client, "performance")
        machine.put(f"{CPUFREQ}/policy2/scaling_governor", "userspace")
        reply = set_governor(client)
        assert outcomes(reply)["scaling_governor", (2,)] == "LEFT_ALONE"
        assert machine.governors() == ["userspace" if number == 2 else "powersave" for number in range(8)]


def test_a_damaged_choice_is_dropped_and_what_was_before_is_put_back(build, machine, tmp_path):
    before = machine.values()
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        set_governor(client, "performance")
    (machine.path / "journal.governor").write_text("performance nowhere\n")
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        assert not client.status().sticky_governors
        assert machine.values() == before
        assert "is damaged" in daemon.errors()


def test_a_governor_that_does_not_exist_gets_the_list_of_those_that_do(build, machine, tmp_path):
    before = machine.values()
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        with pytest.raises(Failed) as failed:
            set_governor(client, "nonesuch")
        assert failed.value.code == "BAD_REQUEST"
        for name in ["performance", "powersave", "high-performance", "balanced", "power-saver"]:
            assert name in failed.value.message
        assert machine.values() == before
        benchctl(build, daemon, "nonesuch", expect=USAGE)


def test_cpus_that_do_not_exist_are_refused_with_those_that_do(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon:
        assert "0-7" in benchctl(build, daemon, "performance", "--cpus=1,99", expect=MACHINE).stderr
        benchctl(build, daemon, "performance", "--cpus=x", expect=USAGE)
        assert set(machine.governors()) == {"powersave"}


def test_a_machine_without_cpufreq_is_told_in_words(build, tmp_path):
    machine = Machine("guest-firecracker.txt", tmp_path / "machine")
    with governing(build, machine, tmp_path) as daemon:
        run = benchctl(build, daemon, "performance", expect=MACHINE)
        assert "no governor" in run.stderr and "virtual machines" in run.stderr
        benchctl(build, daemon, "--restore")


def test_a_daemon_that_can_keep_no_journal_changes_nothing(build, machine, tmp_path):
    with Daemon(build, tmp_path, launch=[f"--root={machine.path}", f"--journal={tmp_path}/none/journal"]) as daemon:
        assert "no journal" in benchctl(build, daemon, "performance", expect=MACHINE).stderr
        assert set(machine.governors()) == {"powersave"}


@pytest.mark.parametrize("request_", [
    pb.SetGovernorRequest(), pb.SetGovernorRequest(name="performance", restore=True), pb.SetGovernorRequest(name=""),
    pb.SetGovernorRequest(name="../../x"), pb.SetGovernorRequest(name="x" * 32), pb.SetGovernorRequest(name="a b"),
    pb.SetGovernorRequest(name="performance", cpus=[1024])])
def test_a_request_that_cannot_be_is_refused(build, machine, tmp_path, request_):
    with governing(build, machine, tmp_path) as daemon, daemon.connect() as client:
        with pytest.raises(Failed) as failed:
            client.call(set_governor=request_)
        assert failed.value.code == "BAD_REQUEST"
        assert set(machine.governors()) == {"powersave"}


def without_bus(tmp_path):
    return {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/no-bus"}


def test_another_user_is_refused_in_words(build, benchctl_for_all, machine, state, tmp_path):
    with governing(build, machine, state.parent, env=without_bus(tmp_path)) as daemon:
        run = Benchctl(benchctl_for_all.parent, f"--socket={daemon.socket}", program="benchctl")("set-governor", "performance", expect=DAEMON, user=OTHER_UID)
        assert "may not set the governor" in run.stderr and "set_governor=" in run.stderr
        assert set(machine.governors()) == {"powersave"}


@pytest.mark.parametrize("who, allowed", [("daemon", True), ("root, daemon", True), ("@daemon", True), ("root", False), ("@root", False)])
def test_the_configuration_says_who_may(build, machine, state, tmp_path, who, allowed):
    uid = pwd.getpwnam("daemon").pw_uid
    with governing(build, machine, state.parent, config=f"[access]\nset_governor={who}\n", env=without_bus(tmp_path)) as daemon:
        with daemon.connect(uid=uid) as client:
            if allowed:
                assert set_governor(client, "performance").changes
            else:
                with pytest.raises(Failed) as failed:
                    set_governor(client, "performance")
                assert failed.value.code == "DENIED"
        assert set(machine.governors()) == {"performance" if allowed else "powersave"}


def test_the_table_lists_what_was_written(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon:
        lines = benchctl(build, daemon, "performance").stdout.splitlines()
        assert re.split(r"  +", lines[1]) == ["scaling_governor", "0-7", "powersave", "performance", "applied"]
        assert "already so" in benchctl(build, daemon, "performance").stdout
        assert "restored" in benchctl(build, daemon, "--restore").stdout


def test_json_has_every_field_of_each_change(build, machine, tmp_path):
    with governing(build, machine, tmp_path) as daemon:
        reply = json.loads(benchctl(build, daemon, "performance", "--format=json").stdout)
        assert reply == {"changes": [{"file": "scaling_governor", "policies": list(range(8)), "was": "powersave",
                                      "is": "performance", "outcome": "applied"}], "more": 0}


def test_a_file_that_cannot_be_written_is_told_and_is_no_success(build, machine, tmp_path):
    file = machine.path / CPUFREQ / "policy3" / "scaling_governor"
    file.unlink()
    file.symlink_to("/proc/version")
    with governing(build, machine, tmp_path) as daemon:
        run = benchctl(build, daemon, "performance", expect=MACHINE)
        assert "were not applied" in run.stderr
        assert re.search(r"scaling_governor +3 .* denied", run.stdout)

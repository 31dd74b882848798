# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine has a name, an id and a class, in the status as in each result, which the next daemon tells alike."""

import os
import pathlib
import re

import pytest

from support.benchctl import Benchctl
from support.daemon import Daemon
from support.processes import NO_MOUNTS, may_mount

TOUCHES = "machine-identity machine-class"

MODULE = "BENCH(one) { bench_loop(b) bench_clobber(); }"
FEW = {"processes": 1, "samples": 12, "min_time_ns": 100_000, "warmup_ns": 1_000_000}
MACHINE_ID = pathlib.Path("/etc/machine-id")


@pytest.fixture
def started(build, state):
    return lambda config="", **options: Daemon(build, state.parent, config=config, launch=["--no-probes"], **options)


def test_status_and_result_agree_and_so_does_the_next_daemon(started, modules):
    module, told = modules(MODULE), []
    for _ in range(2):
        with started() as daemon, daemon.connect() as client:
            told += [client.status(await_clock=True).environment.machine, client.run(module, **FEW).result.environment.machine]

    assert all(machine == told[0] for machine in told)
    assert re.fullmatch("[0-9a-f]{16}", getattr(told[0], "class"))
    assert told[0].name == os.uname().nodename or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", os.uname().nodename, re.A)
    there = MACHINE_ID.exists() and re.fullmatch("[0-9a-f]{32}\n?", MACHINE_ID.read_text())
    assert bool(re.fullmatch("[0-9a-f]{32}", told[0].id)) == bool(there)
    assert not there or told[0].id != MACHINE_ID.read_text().strip()


def test_a_name_of_the_configuration_is_honoured(started, build, modules):
    module = modules(MODULE)
    with started("[machine]\nmachine_name=rack_2.node-7\n") as daemon, daemon.connect() as client:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")

        assert client.run(module, **FEW).result.environment.machine.name == "rack_2.node-7"
        table, machine = benchctl("status").stdout, benchctl.json("status")["environment"]["machine"]
        assert machine.keys() == {"id", "name", "class"} and machine["name"] == "rack_2.node-7"
        assert re.search(r"^machine +rack_2\.node-7$", table, re.M)
        assert re.search(rf"^machine class +{machine['class']}$", table, re.M)
        context = benchctl.json("run", "--processes=1", "--samples=12", module, "--format=gbench")["context"]
        assert context["host_name"] == "rack_2.node-7"


@pytest.mark.skipif(not may_mount(), reason=NO_MOUNTS)
@pytest.mark.parametrize("name, told", [("node-of-test", "node-of-test"), ("(none)", None)])
def test_a_machine_without_machine_id_or_name_is_no_error(started, build, modules, name, told):
    """As a container of an image, and a host that has not been given a name."""
    alone = ["unshare", "--mount", "--uts", "sh", "-ec",
             'mount --bind /dev/null /etc/machine-id; echo "$0" > /proc/sys/kernel/hostname; exec "$@"', name]
    with started(wrapper=alone) as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        machine = benchctl.json("status")["environment"]["machine"]
        result = benchctl.json("run", "--processes=1", "--samples=12", modules(MODULE))

        assert (machine["id"], machine["name"]) == (None, told) and result["environment"]["machine"] == machine
        assert "machine id" not in benchctl("status").stdout
        assert not any("machine" in line and "id" in line.split() for line in daemon.errors().splitlines())

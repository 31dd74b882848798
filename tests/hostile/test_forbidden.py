# SPDX-License-Identifier: GPL-3.0-or-later
"""What a benchmark may not do, asked call by call (tests/support/forbidden.py)."""

import os
import re

import pytest

import benchd_pb2 as pb
from support import forbidden
from support.paths import open_directory
from support.steady import SteadyDaemon

TOUCHES = "confine birth"

ORDINARY_UID = 4322


def attempt(daemon, module, **connection):
    """What each call got, and the run's controls."""
    with (daemon.connect(**connection) as client,
          forbidden.host_places(daemon.socket, daemon.find("benchd-launch")[0]) as environment):
        run = client.run(module, quick=True, environment=environment)
    controls = {control.name: pb.Control.Outcome.Name(control.outcome).lower() for control in run.result.environment.controls}
    return forbidden.parse(next(iter(run.benchmarks.values())).output), controls


def as_root(build, uid=None):
    """Of root's daemon; @uid: for another user."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to start a daemon with its rights")
    with open_directory() as directory, SteadyDaemon(build, directory) as daemon:
        yield daemon, dict(uid=uid) if uid else {}


def attempts_of_root(build):
    yield from as_root(build)


def attempts_of_member(build):
    yield from as_root(build, uid=4321)


def attempts_of_user(build_for_all):
    if os.geteuid() != 0:
        pytest.skip("needs root, to become an ordinary user")
    with open_directory() as directory:
        os.chown(directory, ORDINARY_UID, ORDINARY_UID)
        with SteadyDaemon(build_for_all, directory, user=ORDINARY_UID, group=ORDINARY_UID, extra_groups=[], as_uid=ORDINARY_UID) as daemon:
            yield daemon, dict(uid=ORDINARY_UID)


@pytest.fixture(scope="module", params=["root", "member", "user"])
def attempted(request, build, build_for_all, modules):
    """(what each call got, the controls, the place)."""
    start = {"root": lambda: attempts_of_root(build), "member": lambda: attempts_of_member(build),
             "user": lambda: attempts_of_user(build_for_all)}[request.param]
    started = start()
    daemon, connection = next(started)
    found, controls = attempt(daemon, modules(forbidden.MODULE), **connection)
    yield found, controls, forbidden.place_of(controls, forbidden.USER if request.param == "user" else forbidden.ROOT)
    next(started, None)


def test_each_forbidden_call_gets_its_errno(attempted):
    found, controls, place = attempted
    surprises = forbidden.surprises(found, place)
    if controls.get("cpuset") != "applied":  # without one nothing holds a process, and no window of SCHED_FIFO is granted
        surprises = [line for line in surprises if not line.startswith("leave_its_processor:")]
    assert not surprises, f"{place}:\n" + "\n".join(surprises)


def test_the_table_has_each_call_of_the_module():
    assert set(re.findall(r"PROBE\((\w+)\),", forbidden.MODULE.read_text())) == set(forbidden.CALLS)

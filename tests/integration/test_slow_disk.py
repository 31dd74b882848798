# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that takes its time holds up nobody but who is told of what is on it; and what it does not take is told as not stored."""

import os
import select
import signal

import pytest

import benchd_pb2 as pb
from support.client import BRIEF
from support.daemon import Daemon
from support.modules import EMPTY
from support.paths import IS_SANITIZED
from support.slow_disk import SlowDisk

TOUCHES = "write-behind daemon/front/history/*"

OTHER_UID = 4321

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="root is needed to connect as somebody else"),
              pytest.mark.skipif(IS_SANITIZED, reason="the sanitizers want to be the first library")]


@pytest.fixture
def disk(state):
    return SlowDisk(state.parent)


@pytest.fixture
def kept(build, state, disk):
    return lambda: Daemon(build, state.parent, state=state, env=disk.environment)


def is_silent(client):
    return not client.buffer and not select.select([client.socket], [], [], 0)[0]


def ask_much(client):
    """Many round trips, among them of a history with jobs."""
    for _ in range(200):
        client.status()
        client.history()


def test_who_is_told_of_a_job_waits_for_the_disk_and_nobody_else(kept, modules, disk):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client, daemon.connect(uid=OTHER_UID + 1) as other:
        earlier = other.run(modules(EMPTY), **BRIEF).result.run_id
        disk.hold()
        request = client.submit(modules(EMPTY), **BRIEF)
        ask_much(other)
        assert is_silent(client)
        assert other.show(earlier).result.run_id == earlier
        disk.hold(False)
        replies = list(client.replies(request))
        assert replies[0].accepted.stored
        assert not any("not stored" in warning for warning in replies[-1].result.warnings)


def test_a_result_that_others_ask_for_waits_as_well(kept, modules, disk):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client, daemon.connect(uid=OTHER_UID) as waiting, \
            daemon.connect(uid=OTHER_UID + 1) as other:
        accepted = client.detach(modules(EMPTY), **BRIEF)
        disk.hold()
        request = waiting.send(wait=pb.WaitRequest(run_id=accepted.run_id))
        other.until(lambda: other.status().jobs_done == 1, "the job is over")
        shown = client.send(show=pb.ShowRequest(run_id=accepted.run_id))
        ask_much(other)
        assert is_silent(client)
        disk.hold(False)
        assert list(waiting.replies(request))[-1].result.run_id == accepted.run_id
        assert list(client.replies(shown))[-1].result.run_id == accepted.run_id


def test_a_disk_that_fails_is_told_with_each_reply_and_costs_nothing_else(kept, modules, disk):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        before = client.run(modules(EMPTY), **BRIEF)
        disk.fail()
        run = client.run(modules(EMPTY), **BRIEF)
        assert not run.accepted.stored
        assert any(warning.startswith("not stored: ") for warning in run.result.warnings)
        assert len(run.benchmarks) == 1
        assert "The history cannot be written" in daemon.errors()
        disk.fail(False)
        after = client.run(modules(EMPTY), **BRIEF)
        assert after.accepted.stored and not any("not stored" in warning for warning in after.result.warnings)
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        assert {entry.run_id for entry in client.history()} >= {before.result.run_id, after.result.run_id}
        for run in before, after:
            assert client.show(run.result.run_id).benchmarks == run.benchmarks


def test_a_daemon_that_is_told_to_end_waits_for_the_disk_and_answers(kept, modules, state, disk):
    with kept() as daemon:
        with daemon.connect(uid=OTHER_UID) as client, daemon.connect(uid=OTHER_UID + 1) as other:
            disk.hold()
            request = client.submit(modules(EMPTY), **BRIEF)
            other.until(lambda: other.status().jobs_done == 1, "the job is over")
            assert is_silent(client)
            daemon.process.stdin.close()
            disk.hold(False)
            replies = list(client.replies(request))
            assert replies[0].accepted.stored and replies[-1].result.run_id == replies[0].accepted.run_id
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        assert client.show(replies[-1].result.run_id).result == replies[-1].result


def test_a_daemon_that_is_killed_before_the_disk_has_a_job_has_told_nobody_of_it(kept, modules, disk):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client, daemon.connect(uid=OTHER_UID + 1) as other:
        told = other.run(modules(EMPTY), **BRIEF).result.run_id
        disk.hold()
        client.submit(modules(EMPTY), **BRIEF)
        ask_much(other)
        assert is_silent(client)
        os.kill(daemon.find("benchd")[0], signal.SIGKILL)
        disk.hold(False)
        daemon.die("benchd-launch") if daemon.find("benchd-launch") else daemon.bury()
        daemon.__enter__()
        with daemon.connect(uid=OTHER_UID + 1) as again:
            assert again.show(told).result.run_id == told

# SPDX-License-Identifier: GPL-3.0-or-later
"""A run takes in processes of its own user only, and nothing of them outlives it."""

import contextlib
import json
import os
import signal
import threading

import pytest

import benchd_pb2 as pb
from support.client import Failed
from support.modules import SPINS
from support.paths import BUILD, open_directory
from support.processes import is_alive
from support.steady import SteadyDaemon
from support.users import OTHER_UID, STRANGER_UID, as_root

TOUCHES = "cache-drop adopted adopting adoption run-group process"

pytestmark = as_root


def become(uid):
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def ask_to_drop(client, run_id):
    """The time that it took, or the code of the refusal."""
    try:
        return client.call(drop_caches=pb.DropCachesRequest(run_id=run_id)).drop_caches.elapsed_ns
    except Failed as failed:
        return failed.code


def ask(client, run_id):
    """What the daemon says: the CPUs, or the code of its refusal."""
    try:
        adopted = client.call(adopt=pb.AdoptRequest(run_id=run_id)).adopt
    except Failed as failed:
        return failed.code
    return {"cpus": list(adopted.cpus), "affinity": sorted(os.sched_getaffinity(0))}


@contextlib.contextmanager
def guest(act):
    """A process that runs act(tell), and stays; gives its pid and what it told."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            act(lambda what: os.write(writes, json.dumps(what).encode() + b"\n"))
            os.write(writes, b"\n")
            while True:
                signal.pause()
        finally:
            os._exit(1)
    os.close(writes)
    try:
        with os.fdopen(reads) as pipe:
            yield pid, [json.loads(line) for line in iter(pipe.readline, "\n")]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def asks(daemon, run_id, uid=OTHER_UID):
    def act(tell):
        become(uid)
        with daemon.connect() as client:
            tell(ask(client, run_id))
            tell(ask(client, run_id))
    return act


@pytest.fixture
def daemon():
    with open_directory() as directory, SteadyDaemon(BUILD, directory, launch=["--no-probes"], as_uid=OTHER_UID) as daemon:
        yield daemon


@pytest.fixture
def run_id(daemon, modules):
    with daemon.connect(uid=OTHER_UID) as client:
        run_id = client.start(modules(SPINS))
        client.until(lambda: any(lease.busy for lease in client.status().leases), "its process runs")
        yield run_id
        client.cancel_job(run_id)


def until_dead(client, *pids):
    client.until(lambda: not any(map(is_alive, pids)), "what was taken in ends with the run")


def test_it_comes_to_the_cpus_of_its_users_run_once_and_ends_with_it(daemon, run_id):
    def act(tell):
        become(OTHER_UID)
        with daemon.connect() as client:
            tell(ask(client, run_id))
            if (child := os.fork()) == 0:
                os.setsid()
                while True:
                    signal.pause()
            tell(child)
            tell(ask(client, run_id))

    with guest(act) as (pid, (adopted, child, again)), daemon.connect(uid=OTHER_UID) as client:
        assert adopted["cpus"] == adopted["affinity"]
        assert again in ("DENIED", adopted), "without a control group it may come twice"
        assert is_alive(pid) and is_alive(child)
        assert client.cancel_job(run_id)
        until_dead(client, pid, child)


@pytest.mark.parametrize(("uid", "code"), [(STRANGER_UID, "NOT_FOUND"), (0, "DENIED")])
def test_it_is_not_taken_in_by_another_users_run(daemon, run_id, uid, code):
    with guest(asks(daemon, run_id, uid)) as (_, answers):
        assert answers == [code, code]


def test_one_that_has_become_another_user_is_a_stranger(daemon, run_id):
    def act(tell):
        with daemon.connect(uid=OTHER_UID) as client:  # and is root again
            tell(ask(client, run_id))

    with guest(act) as (_, answers):
        assert answers == ["DENIED"]


def test_one_with_threads_is_refused(daemon, run_id):
    def act(tell):
        become(OTHER_UID)
        threading.Thread(target=signal.pause, daemon=True).start()
        with daemon.connect() as client:
            tell(ask(client, run_id))

    with guest(act) as (_, answers):
        assert answers == ["BAD_REQUEST"]


def test_the_heir_of_a_connection_is_not_taken_for_who_made_it(daemon, run_id):
    """The kernel names who connected, and another process may have that pid by now."""
    def act(tell):
        become(OTHER_UID)
        (dead, reaped), (asked, done) = os.pipe(), os.pipe()
        if (maker := os.fork()) == 0:
            client = daemon.connect()
            if os.fork() == 0:
                os.close(reaped)
                os.read(dead, 1)
                tell(ask(client, run_id))
            os._exit(0)
        os.waitpid(maker, 0)
        os.close(reaped)
        os.close(done)
        os.read(asked, 1)  # the heir is done too

    with guest(act) as (_, answers):
        assert answers == ["NOT_FOUND"]


def test_a_run_takes_in_four_at_once_and_sixteen_in_all(daemon, run_id):
    with contextlib.ExitStack() as stack:
        answers = [stack.enter_context(guest(asks(daemon, run_id)))[1][0] for _ in range(5)]
        assert all(answer["cpus"] for answer in answers[:4]) and answers[4] == "BUSY"
    for _ in range(12):
        with guest(asks(daemon, run_id)) as (_, answers):
            assert answers[0]["cpus"]
    with guest(asks(daemon, run_id)) as (_, answers):
        assert answers[0] == "BUSY"


def test_a_run_that_is_over_takes_in_nobody(daemon, run_id):
    with daemon.connect(uid=OTHER_UID) as client:
        assert client.cancel_job(run_id)
        client.until(lambda: not client.status().running)
        with guest(asks(daemon, run_id)) as (_, answers):
            assert answers == ["NOT_FOUND", "NOT_FOUND"]


@pytest.fixture
def dropping():
    config = "[access]\ndrop_caches=*\n"
    with open_directory() as directory, SteadyDaemon(BUILD, directory, launch=["--no-probes"], config=config, as_uid=OTHER_UID) as daemon:
        yield daemon


def test_the_page_cache_is_dropped_for_a_process_that_was_taken_in_and_for_no_other(dropping, modules):
    def act(tell):
        become(OTHER_UID)
        with dropping.connect() as client:
            tell(ask_to_drop(client, run_id))  # not taken in yet
            tell("cpus" in ask(client, run_id))
            tell(ask_to_drop(client, run_id))
        with dropping.connect() as client:
            tell(ask_to_drop(client, run_id))  # another connection of the same process
            if os.fork() == 0:
                with dropping.connect() as other:
                    tell(ask_to_drop(other, run_id))
                os._exit(0)
            os.wait()
            tell(ask_to_drop(client, "0" * 32))

    def act_elsewhere(tell):
        become(STRANGER_UID)
        with dropping.connect() as client:
            tell(ask_to_drop(client, run_id))

    with dropping.connect(uid=OTHER_UID) as client:
        run_id = client.start(modules(SPINS))
        client.until(lambda: any(lease.busy for lease in client.status().leases), "its process runs")
        with guest(act) as (_, (early, taken_in, dropped, again, child, missing)):
            assert early == "DENIED" and taken_in and child == "DENIED" and missing == "NOT_FOUND"
            assert all(isinstance(answer, int) and answer > 0 for answer in (dropped, again))
        with guest(act_elsewhere) as (_, answers):
            assert answers == ["NOT_FOUND"], "it is another user's job"
        client.cancel_job(run_id)


def test_the_page_cache_is_left_alone_unless_it_is_configured(daemon, run_id):
    def act(tell):
        become(OTHER_UID)
        with daemon.connect() as client:
            tell("cpus" in ask(client, run_id))
            tell(ask_to_drop(client, run_id))

    with guest(act) as (_, answers):
        assert answers == [True, "DENIED"]

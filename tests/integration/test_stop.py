# SPDX-License-Identifier: GPL-3.0-or-later
"""A stop, in whatever the daemon is amid: it is no fault, so its log holds none."""

import contextlib
import os
import re
import signal

import pytest

import benchd_pb2 as pb
from support.client import FOREVER, sealed_memfd, varint
from support.daemon import Daemon, make_state
from support.modules import EMPTY, SPINS
from support.paths import open_directory

TOUCHES = "daemon launcher daemon/launch/main.*"

LOADS = """
static void __attribute__((constructor)) spin(void) { for (;;) ; }
BENCH(never) { bench_loop(b) bench_clobber(); }
"""
FAULT = re.compile(r"^.*(?:error \d+|[Uu]nexpected|Traceback|Sanitizer).*$", re.M)


def await_reply(client, holds):
    while not holds(reply := client.receive()):
        assert not reply.HasField("error"), reply


def measuring(reply):
    return reply.HasField("progress") and reply.progress.stage == pb.Progress.MEASURING


def with_nobody(daemon, modules, clients):
    pass


def with_a_client(daemon, modules, clients):
    clients()


def with_half_a_frame(daemon, modules, clients):
    clients().send_bytes(varint(1000) + b"x")


def with_half_a_frame_of_files(daemon, modules, clients):
    client, other = clients(), clients()
    fds = [sealed_memfd(b"x") for _ in range(26)]
    client.send_bytes(varint(1000) + b"x", fds)
    other.until(lambda: any(use.name == "descriptors" and use.held == 26 for use in other.status().uses))
    for fd in fds:
        os.close(fd)


def with_files_that_nobody_received(daemon, modules, clients):
    client, fd = clients(), sealed_memfd(b"x")
    client.status()
    os.kill(daemon.front_end(), signal.SIGSTOP)
    client.send_bytes(varint(1000) + b"x", [fd])
    client.socket.close()
    os.close(fd)
    os.kill(daemon.front_end(), signal.SIGCONT)


def with_a_run(daemon, modules, clients):
    client = clients()
    client.submit(modules(SPINS), **FOREVER)
    await_reply(client, measuring)


def with_runs_that_wait(daemon, modules, clients):
    with_a_run(daemon, modules, clients)
    for _ in range(3):
        client = clients()
        client.submit(modules(EMPTY))
        await_reply(client, lambda reply: reply.HasField("progress") and reply.progress.stage == pb.Progress.QUEUED)


def with_detached_runs(daemon, modules, clients):
    client = clients()
    ids = [client.detach(modules(text), **FOREVER).run_id for text in (SPINS, EMPTY, EMPTY)]
    client.send(wait=pb.WaitRequest(run_id=ids[0]))
    client.send(wait=pb.WaitRequest(run_id=ids[2]))


def with_a_listing(daemon, modules, clients):
    client, other = clients(), clients()
    fds = client.module_fds(modules(LOADS))
    client.send(fds, list=pb.ListRequest(module_name="m.so"))
    for fd in fds:
        os.close(fd)
    other.until(lambda: daemon.find("benchd-runner"))


def with_submissions_just_made(daemon, modules, clients):
    for _ in range(8):
        clients().submit(modules(EMPTY))


def with_a_comparison(daemon, modules, clients):
    client = clients()
    client.submit_compare(modules(SPINS), modules(SPINS), **FOREVER)
    await_reply(client, measuring)


def with_replies_that_nobody_reads(daemon, modules, clients):
    payload = pb.Request(id=9, status=pb.StatusRequest()).SerializeToString()
    clients().send_bytes((varint(len(payload)) + payload) * 1000)
    clients().status()


def with_questions_to_the_history(daemon, modules, clients):
    client = clients()
    client.run(modules(EMPTY), quick=True)
    for _ in range(8):
        client.send(history=pb.HistoryRequest(limit=1000, module_glob="*[a-z]*x"))


AMID = [with_nobody, with_a_client, with_half_a_frame, with_half_a_frame_of_files, with_files_that_nobody_received, with_a_run,
        with_runs_that_wait, with_detached_runs, with_a_listing, with_submissions_just_made, with_a_comparison,
        with_replies_that_nobody_reads, with_questions_to_the_history]


def end_of_input(daemon):
    """As benchctl ends its private daemon."""


def signal_to_both(daemon):
    """As a terminal or systemd does it."""
    front = daemon.front_end()
    os.kill(daemon.process.pid, signal.SIGTERM)
    with contextlib.suppress(ProcessLookupError):  # the launcher has ended it already
        os.kill(front, signal.SIGTERM)
    daemon.process.wait(timeout=60)


def signal_to_the_launcher(daemon):
    os.kill(daemon.process.pid, signal.SIGTERM)
    daemon.process.wait(timeout=60)


STOPS = [end_of_input, signal_to_both, signal_to_the_launcher]


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.__name__)
@pytest.mark.parametrize("amid", AMID, ids=lambda amid: amid.__name__.removeprefix("with_"))
def test_a_stop_is_no_fault(build, modules, amid, stop):
    open_clients = []

    def clients():
        open_clients.append(daemon.connect())
        return open_clients[-1]

    with open_directory() as directory:
        daemon = Daemon(build, directory, state=make_state(directory), launch=["--no-probes"], until_eof=stop is end_of_input)
        with daemon:
            amid(daemon, modules, clients)
            stop(daemon)
        for client in open_clients:
            client.socket.close()
        assert FAULT.findall(daemon.errors()) == []

# SPDX-License-Identifier: GPL-3.0-or-later
"""A row each: what goes wrong between a client and the daemon, and that it harms that client only.

test_protocol.py has the frames that break the rules, the wrong version, and descriptors that are no modules.
"""

import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import time

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, Closed, Failed, sealed_memfd, varint
from support.daemon import Daemon
from support.modules import EMPTY, SPINS

TOUCHES = "session client/lib/client.* connection receivers"

SPINS_LOADING = "__attribute__((constructor)) static void spin(void) { for (;;) bench_clobber(); }\n" + EMPTY
SPINS_LATER = "BENCH(spins) { int n = 0; bench_loop(b) if (n++ > 3) for (;;) bench_clobber(); }"  # its first call has no window
SLEEPS_LOADING = "#include <unistd.h>\n__attribute__((constructor)) static void wait(void) { for (;;) pause(); }\n" + EMPTY


@pytest.fixture
def configured(build, tmp_path):
    """Starts daemons of a configuration: configured("[queue]\\njobs=1")."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-") as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)

        yield lambda text: Daemon(build, path, config=text)


def benchd_of(daemon):
    return daemon.front_end()


def open_fds(daemon):
    return len(os.listdir(f"/proc/{benchd_of(daemon)}/fd"))


def idle(client):
    """Waits by round trips until nothing of anybody's is left."""
    while True:
        status = client.status()
        if status.queued == 0 and status.running == 0 and not any(lease.busy for lease in status.leases):
            return status


# ---- a launcher that comes late

def cpu_seconds(pid):
    """The CPU seconds that a living process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    assert fields[0] != "Z", "it was killed"
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spin_in_a_window(daemon, client, modules):
    """A run whose process spins at SCHED_FIFO while the launcher stands still: (request, process); None if it came out of its window before."""
    request_id = client.submit(modules(SPINS_LATER), timeout_ns=600 * 10**9, processes=1)
    client.until_stage(request_id, pb.Progress.MEASURING)
    deadline = time.monotonic() + 1  # a batch that never ends has one window, whose end the launcher sees to
    while time.monotonic() < deadline:
        for pid in daemon.find("benchd-runner"):
            if os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO:
                os.kill(daemon.process.pid, signal.SIGSTOP)
                if os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO:
                    return request_id, pid
                os.kill(daemon.process.pid, signal.SIGCONT)
                break
    client.call(cancel=pb.CancelRequest(request_id=request_id))
    return None


def test_a_launcher_that_is_late_to_end_a_window_costs_nobody_his_run(daemon, client, modules):
    held = next(filter(None, (spin_in_a_window(daemon, client, modules) for _ in range(20))), None)
    if not held:
        pytest.skip("no window of SCHED_FIFO was seen in 20 runs")
    request_id, pid = held
    try:
        while cpu_seconds(pid) < 1.5:  # more than a window by far, all of it at real-time priority
            pass
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    assert client.call(cancel=pb.CancelRequest(request_id=request_id)).cancel.found


# ---- a client vanishes, at each stage

def vanish_before_hello(daemon, modules):
    return daemon.connect(hello=False)


def vanish_after_hello(daemon, modules):
    return daemon.connect()


def vanish_in_a_frame(daemon, modules):
    client = daemon.connect()
    client.send_bytes(varint(1000) + b"\x08\x02")
    return client


def vanish_in_a_frame_with_descriptors(daemon, modules):
    client = daemon.connect()
    fd = sealed_memfd(b"x" * 4096)
    client.send_bytes(varint(1000) + b"\x08\x02", [fd])
    os.close(fd)
    return client


def vanish_while_hashing(daemon, modules):
    client = daemon.connect()
    client.submit(os.urandom(1 << 20) * 48)
    return client


def vanish_while_listing(daemon, modules):
    client = daemon.connect()
    client.until_stage(client.submit(modules(SPINS_LOADING)), pb.Progress.LOADING)
    return client


def vanish_while_queued(daemon, modules):
    client = daemon.connect()
    client.until_stage(client.submit(modules(EMPTY), quick=True), pb.Progress.QUEUED)
    return client


def vanish_while_measuring(daemon, modules):
    client = daemon.connect()
    client.until_stage(client.submit(modules(SPINS), timeout_ns=600 * 10**9), pb.Progress.MEASURING)
    return client


def half_closed(daemon, modules):
    client = daemon.connect()
    client.until_stage(client.submit(modules(SPINS), timeout_ns=600 * 10**9), pb.Progress.MEASURING)
    client.socket.shutdown(socket.SHUT_WR)
    return client


STAGES = [vanish_before_hello, vanish_after_hello, vanish_in_a_frame, vanish_in_a_frame_with_descriptors,
          vanish_while_hashing, vanish_while_listing, vanish_while_queued, vanish_while_measuring, half_closed]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_a_client_that_vanishes_leaves_nothing(daemon, client, modules, stage):
    module = modules(EMPTY)
    client.run(module, quick=True)
    idle(client)
    before = open_fds(daemon)
    gone = stage(daemon, modules)
    if stage is half_closed:
        with pytest.raises(Closed):
            while True:
                gone.receive()
    gone.socket.close()

    assert client.run(module, quick=True).result.verdict in MEASURED
    idle(client)
    assert daemon.find("benchd-runner") == []
    assert open_fds(daemon) == before


def test_a_job_that_waits_goes_with_its_client(daemon, client, modules):
    first = client.submit(modules(SPINS), timeout_ns=600 * 10**9)
    client.until_stage(first, pb.Progress.MEASURING)
    gone = vanish_while_queued(daemon, modules)
    gone.socket.close()
    while client.status().queued:
        pass
    client.call(cancel=pb.CancelRequest(request_id=first))
    assert client.run(modules(EMPTY), quick=True).result.verdict in MEASURED
    idle(client)


# ---- a client that does not read

def test_a_client_that_does_not_read_is_bounded_and_alone(daemon, client):
    slow = daemon.connect()
    slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.socket.setblocking(False)
    payload = pb.Request(id=7, status=pb.StatusRequest()).SerializeToString()
    frames = (varint(len(payload)) + payload) * 1000
    sent = 0
    # Each request's reply is hundreds of bytes; once enough of them wait, the daemon reads no more and we can send no more.
    while select.select([], [slow.socket], [], 1)[1]:
        sent += slow.socket.send(frames)
        client.status()
    assert sent < 64 << 20
    assert daemon.rss_bytes(benchd_of(daemon)) < 64 << 20 or "sanitizers" in str(daemon.build)
    assert client.status().daemon
    # It only has to read, and all is answered.
    slow.socket.settimeout(60)
    assert slow.receive().id == 7
    assert slow.receive().HasField("status")


# ---- silence

PATIENCE = "[connections]\npatience=1\n"
MORE_PATIENCE = "[connections]\npatience=5\n"  # for who has to say Hello within it


@pytest.mark.parametrize("module", [SPINS_LOADING, SLEEPS_LOADING], ids=["spins", "sleeps"])
def test_a_module_that_never_loads_is_not_waited_for(configured, modules, module):
    with configured("[run]\nlisting_timeout=1\n") as daemon, daemon.connect() as client:
        with pytest.raises(Failed) as failed:
            client.list(modules(module))
        assert failed.value.code == "BAD_MODULE"
        assert "did not end within 1 s" in failed.value.message
        assert failed.value.message.endswith("listing_timeout= of benchd.conf allows it longer.")


@pytest.mark.parametrize("data", [b"", b"\x80", varint(100), varint(100) + b"\x08"],
                         ids=["nothing", "half a length", "a length", "half a message"])
def test_who_says_no_hello_is_not_waited_for(configured, data):
    with configured(PATIENCE) as daemon, daemon.connect(hello=False) as silent:
        silent.send_bytes(data)
        error = silent.receive().error
        assert error.code == pb.Error.PROTOCOL
        assert "time" in error.message
        with pytest.raises(Closed):
            silent.receive()


def test_half_a_frame_is_not_waited_for(configured):
    with configured(MORE_PATIENCE) as daemon, daemon.connect() as silent, daemon.connect() as other:
        silent.send_bytes(varint(100) + b"\x08\x02")
        assert silent.receive().error.code == pb.Error.PROTOCOL
        with pytest.raises(Closed):
            silent.receive()
        assert other.status().daemon, "silence between frames is nobody's fault"


def test_bytes_that_trickle_in_do_not_make_the_time_longer(configured):
    with configured(MORE_PATIENCE) as daemon, daemon.connect() as slow:
        slow.send_bytes(varint(60000))
        with pytest.raises((Closed, ConnectionError, BrokenPipeError)):
            while True:
                slow.send_bytes(b"\x00")
                if select.select([slow.socket], [], [], 0.05)[0] and slow.receive().HasField("error"):
                    raise Closed()


# ---- descriptors

def test_descriptors_with_a_request_that_takes_none_are_closed(daemon, client):
    before = open_fds(daemon)
    fds = [sealed_memfd(b"x") for _ in range(26)]
    for request in [dict(status=pb.StatusRequest()), dict(cancel=pb.CancelRequest(request_id=1))]:
        with pytest.raises(Failed) as failed:
            client.call(fds, **request)
        assert failed.value.code == "PROTOCOL"
    for fd in fds:
        os.close(fd)
    client.status()
    assert open_fds(daemon) == before


def test_descriptors_between_frames_end_the_connection(daemon, client):
    before = open_fds(daemon)
    payload = pb.Request(id=5, status=pb.StatusRequest()).SerializeToString()
    frame = varint(len(payload)) + payload
    fd = sealed_memfd(b"x")
    with daemon.connect() as bad:
        bad.send_bytes(frame[:1])
        bad.send_bytes(frame[1:], [fd])
        with pytest.raises((Closed, Failed)):
            while True:
                reply = bad.receive()
                if reply.HasField("error"):
                    raise Failed(reply.error)
    os.close(fd)
    assert client.status().daemon
    assert open_fds(daemon) == before


# ---- a frame with nothing in it

def test_an_empty_frame_is_a_request_without_an_id(client):
    client.send_bytes(b"\x00")
    reply = client.receive()
    assert (reply.id, reply.error.code, reply.last) == (0, pb.Error.PROTOCOL, True)
    assert client.status().daemon


# ---- limits of the configuration

def test_the_limits_are_those_configured(configured, modules):
    with configured("[queue]\njobs=2\njobs_per_user=1\n[connections]\nclients=3\nclients_per_user=2\nclients_for_root=0\n"
                    "[run]\ntimeout_max=600\n") as daemon, daemon.connect() as client:
        client.until_stage(client.submit(modules(SPINS), timeout_ns=600 * 10**9), pb.Progress.MEASURING)
        with pytest.raises(Failed) as failed:
            client.run(modules(EMPTY))
        assert failed.value.code == "BUSY" and failed.value.message == "This user has 1 job waiting or under way, the limit for one user."
        with pytest.raises(Failed) as failed:
            client.run(modules(EMPTY), timeout_ns=601 * 10**9)
        assert failed.value.code == "BAD_REQUEST" and "timeout_ns" in failed.value.message
        with daemon.connect(), daemon.connect(hello=False) as third:
            error = third.receive().error
            assert error.code == pb.Error.BUSY
            assert error.message == "This user has 2 connections open, the limit for one user."
            assert error.hint == "Close one of them first. The limit is clients_per_user= of benchd.conf."
            with pytest.raises(Closed):
                third.receive()
            assert "A connection was turned away" in daemon.errors()


def test_as_many_runs_as_configured_have_their_turn_at_once_and_cores_as_they_are_free(configured, modules):
    with configured("[queue]\nat_once=2\n") as daemon, daemon.connect() as other:
        with daemon.connect() as client:
            client.until_stage(client.submit(modules(SPINS), timeout_ns=600 * 10**9), pb.Progress.MEASURING)
            request_id = other.submit(modules(EMPTY), quick=True)
            other.until_stage(request_id, pb.Progress.MEASURING)
        assert other.collect(request_id).result


@pytest.mark.parametrize("line, said", [
    ("jobs=many", r"benchd.conf:2: \"many\" is not a value of jobs: give a number from 1 to \d+$"),
    ("job=1", r"benchd.conf:2: unknown option \"job\" in section \[queue\]; options are jobs, jobs_per_user, jobs_for_root, at_once, core_time_per_hour$"),
])
def test_a_configuration_that_is_not_understood_keeps_it_from_starting(configured, line, said):
    daemon = configured(f"[queue]\n{line}\n")
    with pytest.raises(AssertionError, match="did not start"):
        daemon.__enter__()
    assert daemon.process.wait(timeout=600) == 1
    daemon.process.communicate()
    assert re.search(said, daemon.errors(), re.M), daemon.errors()
    assert not daemon.socket.exists()


def test_a_value_out_of_range_is_said_and_left_out(configured):
    with configured("[queue]\njobs=0\n") as daemon, daemon.connect() as client:
        assert client.status().daemon
        assert re.search(r"benchd.conf:2: value \"0\" of jobs is out of range, line ignored", daemon.errors())


# ---- the socket's place

def launch(build, path):
    return subprocess.run([build / "daemon/launch/benchd-launch", "--with-front-end", f"--socket={path}"],
                          capture_output=True, text=True, timeout=600)


def test_a_second_daemon_says_so_and_leaves_the_first_alone(build, daemon, client):
    second = launch(build, daemon.socket)
    assert second.returncode == 1
    assert str(daemon.socket) in second.stderr and "in use" in second.stderr
    assert client.status().daemon
    with daemon.connect() as other:
        assert other.status().daemon


def test_a_socket_that_nobody_listens_on_is_replaced(build, tmp_path):
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(tmp_path / "benchd.sock"))
    stale.listen()
    stale.close()
    assert (tmp_path / "benchd.sock").exists()
    with Daemon(build, tmp_path) as daemon, daemon.connect() as client:
        assert client.status().daemon


def test_a_file_that_is_no_socket_is_left_alone(build, tmp_path):
    (tmp_path / "benchd.sock").write_text("mine")
    done = launch(build, tmp_path / "benchd.sock")
    assert done.returncode == 1
    assert "benchd.sock" in done.stderr
    assert (tmp_path / "benchd.sock").read_text() == "mine"

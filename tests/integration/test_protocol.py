# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client may send, and what it gets for what it may not: the daemon goes on in every case."""

import os
import pathlib
import socket

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, Closed, Failed, sealed_memfd, varint
from support.modules import EMPTY

TOUCHES = "proto/* session daemon/front/clients/request.* dispatch"


def answers(daemon):
    with daemon.connect() as client:
        return client.status().daemon.startswith("benchd")


def test_hello_tells_the_limits(client):
    assert client.hello.protocol_version == 0
    assert client.hello.request_max_bytes == 64 * 1024
    assert client.hello.reply_max_bytes == 1024 * 1024
    assert client.hello.module_max_bytes > 0
    assert client.hello.libraries_max == 16


def test_anything_before_hello_is_refused(daemon):
    with daemon.connect(hello=False) as client:
        with pytest.raises(Failed) as failed:
            client.status()
        assert failed.value.code == "PROTOCOL"
    assert answers(daemon)


def test_another_version_is_refused_in_words(daemon):
    with daemon.connect(hello=False) as client:
        with pytest.raises(Failed) as failed:
            client.call(hello=pb.HelloRequest(protocol_version=99, client="test"))
        assert failed.value.code == "UNSUPPORTED"
        assert "version 99" in failed.value.message and "version 0" in failed.value.message
    assert answers(daemon)


@pytest.mark.parametrize("data", [
    varint(64 * 1024 + 1),
    varint(1 << 31),
    varint((1 << 63) - 1),
    b"\xff" * 11,
    varint(4) + b"\xff\xff\xff\xff",
], ids=["one byte over", "2 GiB", "2^63 - 1", "endless varint", "no message"])
def test_a_bad_frame_ends_its_connection_only(daemon, client, data):
    with daemon.connect() as bad:
        bad.send_bytes(data)
        with pytest.raises((Closed, Failed, ConnectionResetError)):
            while True:
                reply = bad.receive()
                if reply.HasField("error"):
                    raise Failed(reply.error)
    assert client.status().daemon
    assert answers(daemon)


def test_half_a_frame_is_waited_for(client):
    payload = pb.Request(id=9, status=pb.StatusRequest()).SerializeToString()
    frame = varint(len(payload)) + payload

    for i in range(len(frame)):
        client.send_bytes(frame[i:i + 1])
    assert client.receive().id == 9


def test_an_unknown_field_is_refused_and_the_connection_goes_on(client):
    payload = pb.Request(id=3, status=pb.StatusRequest()).SerializeToString() + bytes([0xFA, 0x3F, 0x01, 0x00])
    client.send_bytes(varint(len(payload)) + payload)
    reply = client.receive()
    assert reply.id == 3
    assert reply.error.code == pb.Error.UNSUPPORTED
    assert client.status().daemon


def test_a_request_for_nothing_is_refused(client):
    with pytest.raises(Failed) as failed:
        client.call()
    assert failed.value.code in ("PROTOCOL", "BAD_REQUEST", "UNSUPPORTED")


def unsealed(data):
    return sealed_memfd(data, seals=0)


def pipe(data):
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    return read


def file_of(path):
    return os.open(path, os.O_RDONLY)


@pytest.mark.parametrize("make", [
    lambda path: [unsealed(path.read_bytes())],
    lambda path: [pipe(b"x" * 100)],
    lambda path: [file_of(path)],
    lambda path: [os.open("/dev/zero", os.O_RDONLY)],
    lambda path: [sealed_memfd(b"")],
    lambda path: [socket.socketpair()[0].detach()],
    lambda path: [],
    lambda path: [sealed_memfd(path.read_bytes()) for _ in range(2)],
], ids=["unsealed", "pipe", "file", "/dev/zero", "empty", "socket", "none", "one too many"])
def test_a_module_must_be_one_sealed_memfd(daemon, client, modules, make):
    before = len(os.listdir(f"/proc/{daemon.front_end()}/fd"))
    fds = make(modules(EMPTY))
    try:
        with pytest.raises(Failed) as failed:
            client.call(fds, run=pb.RunRequest(module_name="module", quick=True))
    finally:
        for fd in fds:
            os.close(fd)
    assert failed.value.code in ("BAD_REQUEST", "BAD_MODULE", "PROTOCOL")
    assert failed.value.message
    assert answers(daemon)
    client.status()
    assert len(os.listdir(f"/proc/{daemon.front_end()}/fd")) <= before


@pytest.mark.parametrize("options", [
    dict(processes=0), dict(processes=1001), dict(samples=0), dict(samples=4097), dict(budget_ns=0), dict(timeout_ns=0),
    dict(environment=["=x"]), dict(environment=["no assignment"]), dict(environment=["A=" + "x" * 5000]),
    dict(filters=["x"] * 65), dict(iterations=0), dict(module_name="m" * 256),
], ids=lambda options: ",".join(options))
def test_options_out_of_range_are_named(client, modules, options):
    fds = client.module_fds(modules(EMPTY))
    with pytest.raises(Failed) as failed:
        client.call(fds, run=pb.RunRequest(**{"module_name": "module", **options}))
    assert failed.value.code == "BAD_REQUEST"
    assert failed.value.message


def test_status_tells_clock_queue_and_leases(client):
    status = client.status()
    assert status.environment.tsc.hz > 0 or status.environment.cpu.brand
    assert status.queued == 0
    assert len(status.leases) >= 1
    assert status.online_cpus == pathlib.Path("/sys/devices/system/cpu/online").read_text().strip()
    assert not any(lease.busy for lease in status.leases)


def test_cancel_ends_a_run_with_what_is_complete(client, modules):
    module = modules("""
BENCH(first, .processes = 1) { bench_loop(b) bench_clobber(); }
BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }
""")
    run_id = client.submit(module, seed=1, timeout_ns=600 * 10**9)
    while True:
        reply = client.receive()
        if reply.progress.stage == pb.Progress.MEASURING and reply.progress.benchmark_name.endswith("spins"):
            break
    cancel_id = client.send(cancel=pb.CancelRequest(request_id=run_id))
    found = result = None
    while found is None or result is None:
        reply = client.receive()
        if reply.id == cancel_id:
            found = reply.cancel.found
        elif reply.id == run_id and (reply.HasField("result") or reply.HasField("error")):
            result = reply
    assert found
    assert result.last
    assert result.result.verdict == pb.RunResult.PARTIAL
    assert not client.call(cancel=pb.CancelRequest(request_id=run_id)).cancel.found


def test_a_client_that_vanishes_frees_the_cpu(daemon, client, modules):
    module = modules("BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }")
    gone = daemon.connect()
    run_id = gone.submit(module, timeout_ns=600 * 10**9)
    while True:
        reply = gone.receive()
        if reply.id == run_id and reply.progress.stage == pb.Progress.MEASURING:
            break
    gone.socket.close()
    # The next run is queued behind it, and comes to its turn.
    run = client.run(modules(EMPTY), quick=True)
    assert run.result.verdict in MEASURED
    assert daemon.find("benchd-runner") == []


def test_all_that_a_client_sends_before_it_hangs_up_counts(daemon, client, modules):
    """More than are handled in a turn, of which the last one tells."""
    job = client.detach(modules("BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"), timeout_ns=600 * 10**9).run_id
    with daemon.connect() as gone:
        cancels = [pb.CancelRequest(run_id="0" * len(job))] * 1000 + [pb.CancelRequest(run_id=job)]
        payloads = [pb.Request(id=1 + at, cancel=cancel).SerializeToString() for at, cancel in enumerate(cancels)]
        gone.socket.sendall(b"".join(varint(len(payload)) + payload for payload in payloads))
    try:
        assert client.wait(job).result.verdict == pb.RunResult.PARTIAL
    except Failed as failed:
        assert failed.code == "CANCELLED"


def test_first_come_first_served(daemon, client, modules):
    first = client.submit(modules("BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"), timeout_ns=600 * 10**9)
    while client.receive().progress.stage != pb.Progress.MEASURING:
        pass
    second = client.submit(modules(EMPTY), quick=True)
    ends, positions = [], []
    while len(ends) < 2:
        reply = client.receive()
        if reply.HasField("error"):
            raise Failed(reply.error)
        if reply.HasField("result"):
            ends.append(reply.id)
        if reply.id == second and reply.HasField("progress") and reply.progress.stage == pb.Progress.QUEUED:
            positions.append(reply.progress.queue_position)
            client.send(cancel=pb.CancelRequest(request_id=first))
    assert ends == [first, second]
    assert positions and max(positions) == 1

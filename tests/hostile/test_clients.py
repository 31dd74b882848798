# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that mean harm: others are served meanwhile, and the daemon is afterwards as it was before (conftest.py)."""

import math
import os
import pathlib
import random
import threading

import pytest

import benchd_pb2 as pb
from support.client import BRIEF, MEASURED, PROTOCOL_VERSION, Closed, Failed, sealed_memfd, varint
from support.flood import REQUESTS, Flood
from support.modules import EMPTY
from support.paths import open_directory
from support.steady import SteadyDaemon

TOUCHES = "daemon/front/clients/* share slices"

SEED = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
OWNER, STRANGER = 4321, 4322
NOBODY_S_JOB = "f" * 32


@pytest.fixture
def open_daemon(build):
    """One that other users reach."""
    with open_directory() as directory, SteadyDaemon(build, directory, launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def chance():
    print(f"BENCHD_SEED={SEED}")
    return random.Random(SEED)


# ---- another's job

def told(act):
    with pytest.raises(Failed) as failed:
        act()
    return failed.value.code, failed.value.message, failed.value.hint


ASKS = {
    "show": lambda client, job, module: client.show(job),
    "wait": lambda client, job, module: client.wait(job),
    "cancel": lambda client, job, module: client.cancel_job(job),
    "pin": lambda client, job, module: client.pin(job),
    "unpin": lambda client, job, module: client.pin(job, pinned=False),
    "run its module": lambda client, job, module: client.collect(client.send(run=pb.RunRequest(stored_run_id=job, **BRIEF))),
    "compare with it": lambda client, job, module: client.compare(module, job, **BRIEF),
    "inspect its module": lambda client, job, module: client.inspect(job),
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root connects as several users")
@pytest.mark.parametrize("ask", ASKS)
def test_another_s_job_is_told_in_the_words_of_none(open_daemon, modules, ask):
    """While it runs and when it is over; a beginning of its id is no better."""
    module = modules(EMPTY)
    with open_daemon.connect(uid=OWNER) as owner, open_daemon.connect(uid=STRANGER) as stranger:
        job = owner.detach(module, **BRIEF).run_id
        for prefix in [job, job[:8]]:
            of_none = told(lambda: ASKS[ask](stranger, NOBODY_S_JOB[:len(prefix)], module))
            of_another = told(lambda: ASKS[ask](stranger, prefix, module))
            assert of_another == tuple(words.replace(NOBODY_S_JOB[:len(prefix)], prefix) for words in of_none)
        assert owner.wait(job).result.verdict in MEASURED
        assert told(lambda: ASKS[ask](stranger, job, module))[0] == of_none[0]
        assert not stranger.history()


# ---- connections

@pytest.mark.skipif(os.geteuid() != 0, reason="only root connects as several users")
def test_one_who_takes_all_connections_takes_them_from_nobody_else(open_daemon):
    held = []
    with pytest.raises((Failed, Closed, ConnectionError)):
        while len(held) < 1000:
            held.append(open_daemon.connect(uid=STRANGER))
    with open_daemon.connect(uid=OWNER) as other:
        assert other.status().daemon
        for client in held:
            client.socket.close()
        assert other.status().daemon


@pytest.mark.skipif(os.geteuid() != 0, reason="only root connects as several users")
@pytest.mark.parametrize("request_name", REQUESTS)
def test_who_keeps_the_loop_busy_keeps_nobody_from_measuring(build, modules, request_name):
    """A module of 4 MiB is hashed in slices, between which others are served. The kernel may keep the run's process waiting for its share
    of the CPU, which is not the loop's doing."""
    module, request = modules(EMPTY).read_bytes() + bytes(4 << 20), REQUESTS[request_name]
    with open_directory() as directory:
        with (SteadyDaemon(build, directory, launch=["--no-probes"], config="[run]\nlisting_timeout=600\n") as daemon, daemon.connect(uid=OWNER) as owner,
              Flood(daemon, STRANGER, request, 30) as one, Flood(daemon, STRANGER, request, 30) as other):
            for flood in [one, other]:
                flood.await_answer()
            assert owner.run(module, **BRIEF, timeout_ns=600 * 10**9).result.verdict in MEASURED
            for flood in [one, other]:
                flood.await_answer()


def test_connections_that_come_and_go_leave_nothing(daemon, client):
    def come_and_go():
        for _ in range(500):
            try:
                daemon.connect(hello=False).socket.close()
            except BlockingIOError:
                pass

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert client.status().daemon
    for thread in threads:
        thread.join()


# ---- bytes

def request_bytes(**request):
    payload = pb.Request(id=1, **request).SerializeToString()
    return varint(len(payload)) + payload


FRAMES = [
    lambda: request_bytes(hello=pb.HelloRequest(protocol_version=PROTOCOL_VERSION, client="a client")),
    lambda: request_bytes(status=pb.StatusRequest()),
    lambda: request_bytes(list=pb.ListRequest(module_name="m", filters=["*[[:alnum:]]*"] * 8)),
    lambda: request_bytes(run=pb.RunRequest(module_name="m", library_names=["a", "b"], filters=["*", "!*"], cpus=range(64), **BRIEF)),
    lambda: request_bytes(run=pb.RunRequest(comparison=pb.Comparison(run_id="0123"), stored_run_id="0123", environment=["A=1"])),
    lambda: request_bytes(history=pb.HistoryRequest(module_glob="*a*", limit=10)),
    lambda: request_bytes(cancel=pb.CancelRequest(request_id=1)),
    lambda: request_bytes(inspect=pb.InspectRequest(stored_run_id="0123", benchmark="a/b")),
]


def mutated(chance):
    data = bytearray(b"".join(make() for make in chance.choices(FRAMES, k=3)))
    for _ in range(chance.choice([0, 1, 1, 2, 8])):
        at = chance.randrange(len(data))
        data[at] = chance.choice([data[at] ^ 1 << chance.randrange(8), 0, 0x7F, 0x80, 0xFF])
    return bytes(data[:chance.randrange(1, len(data) + 1)] if chance.random() < 0.3 else data)


def test_mutated_frames_with_descriptors_end_their_connection_at_most(daemon, client, chance):
    for i in range(400):
        with daemon.connect(hello=chance.random() < 0.5) as bad:
            fd = sealed_memfd(b"no module", seals=chance.choice([None, 0]))
            try:
                bad.send_bytes(mutated(chance), [fd] * chance.choice([0, 0, 1, 2, 32]))
            except (BrokenPipeError, ConnectionResetError):
                pass
            os.close(fd)
        if i % 20 == 0:
            assert client.status().daemon


# ---- what a module says of itself

FORGES = pathlib.Path(__file__).parent / "modules" / "forges.c"


def numbers_of(message):
    for field, value in message.ListFields():
        for one in value if field.label == field.LABEL_REPEATED else [value]:
            if field.message_type:
                yield from numbers_of(one)
            elif field.type == field.TYPE_DOUBLE:
                yield field.full_name, one


def test_no_forged_report_becomes_a_number_that_is_none(client, modules, chance):
    module = modules(FORGES)
    n_believed = 0
    for _ in range(40):
        environment = [f"SEED={chance.randrange(1 << 31)}", f"PAUSE_US={chance.choice([0, 10, 100, 1000])}"]
        run = client.run(module, environment=environment, **BRIEF)
        for result in run.benchmarks.values():
            assert all(math.isfinite(number) for _, number in numbers_of(result)), environment
            n_believed += not result.HasField("failed")
    assert n_believed < 40, "nothing was forged"
    assert client.run(modules(EMPTY), **BRIEF).result.verdict in MEASURED

# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptors of clients: one user's, however many and of whatever file, are nothing to another user, and nothing to the daemon's end."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import signal
import socket

import pytest

import benchd_pb2 as pb
from support.client import Closed, Failed, sealed_memfd, varint
from support.daemon import Daemon
from support.modules import EMPTY, SPINS
from support.paths import open_directory

TOUCHES = "receiver receivers fd"

REQUEST_FDS = 26  # two modules, 16 libraries, 8 inputs
USER_FDS = 8 * REQUEST_FDS  # for each of jobs_per_user
STRANGER = 54321

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to connect as another user")


@pytest.fixture
def directory():
    """One that other users may enter."""
    with open_directory() as path:
        yield path


@pytest.fixture
def daemon(build, directory, modules):
    """It has measured already, and has open what it opens once."""
    with Daemon(build, directory, launch=["--no-probes"]) as daemon:
        with daemon.connect() as client:
            client.run(modules(EMPTY), quick=True)
        yield daemon


def open_fds(daemon):
    return {pid: daemon.count_fds(pid) for pid in (daemon.front_end(), daemon.process.pid)}


def none_is_left(daemon, before):
    """No more are open than @before, when the launcher may have had some of the last run's still."""
    return all(n <= before.get(pid, 0) for pid, n in open_fds(daemon).items())


def held_share(client):
    """How many descriptors count for the client's user: those that another process still closes too."""
    return sum(use.held for use in client.status().uses if use.name == "descriptors")


def half_a_frame(client, fds):
    client.send_bytes(varint(1000) + b"x", fds)


def frame(**request):
    payload = pb.Request(id=9, **request).SerializeToString()
    return varint(len(payload)) + payload


def await_answer(client):
    """Whatever was sent before has been looked at once the daemon answered this."""
    with contextlib.suppress(Closed, ConnectionError):
        client.receive()


@contextlib.contextmanager
def files(n, make=lambda: sealed_memfd(b"x")):
    fds = [make() for _ in range(n)]
    yield fds
    for fd in fds:
        os.close(fd)


@contextlib.contextmanager
def connections(daemon, n, uid):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(daemon.connect(uid=uid)) for _ in range(n)]


def test_half_frames_with_descriptors_hold_no_more_than_their_users_share(daemon, client, modules):
    before = open_fds(daemon)
    front = daemon.front_end()
    with files(REQUEST_FDS) as fds, connections(daemon, 64, STRANGER) as crowd:
        for one in crowd:
            half_a_frame(one, fds)
        client.until(lambda: len(os.listdir(f"/proc/{front}/fd")) >= before[front] + USER_FDS)
        for _ in range(50):
            client.status()
            assert len(os.listdir(f"/proc/{front}/fd")) <= before[front] + 64 + USER_FDS
        for one in crowd:
            with contextlib.suppress(ConnectionError):
                one.send_bytes(b"x", fds)
        assert client.run(modules(EMPTY), quick=True).result.verdict
        assert daemon.front_end() == front
    client.until(lambda: none_is_left(daemon, before))


def test_a_request_beyond_its_users_share_is_refused_with_the_limit(daemon, client, modules):
    before = open_fds(daemon)
    with daemon.connect(uid=STRANGER) as late:
        with files(REQUEST_FDS) as fds, connections(daemon, 8, STRANGER) as crowd:
            for one in crowd:
                half_a_frame(one, fds)
            client.until(lambda: held_share(late) == USER_FDS)
            with pytest.raises(Failed) as failed:
                late.run(modules(EMPTY))
            assert failed.value.code == "BUSY"
            assert "this user" in failed.value.message and "26 for each of queue.jobs_per_user=8" in failed.value.message
            (use,) = [use for use in late.status().uses if use.name == "descriptors"]
            assert (use.held, use.most) == (USER_FDS, USER_FDS), "the connection goes on, and is told why"
            assert client.run(modules(EMPTY), quick=True).result.verdict, "another user's share is whole"
        client.until(lambda: held_share(late) == 0)
        assert late.run(modules(EMPTY), quick=True).result.verdict, "what was closed has been given back"
    client.until(lambda: none_is_left(daemon, before))


def test_a_user_who_holds_nothing_is_told_that_all_together_do(build, directory, modules):
    with Daemon(build, directory, config="[queue]\njobs=2\njobs_per_user=2\njobs_for_root=0\n") as daemon, daemon.connect() as client:
        before = open_fds(daemon)
        front = daemon.front_end()
        with files(REQUEST_FDS) as fds, connections(daemon, 2, STRANGER) as crowd:
            for one in crowd:
                half_a_frame(one, fds)
            client.until(lambda: len(os.listdir(f"/proc/{front}/fd")) >= before[front] + 2 + 2 * REQUEST_FDS)
            with daemon.connect(uid=STRANGER + 1) as other, pytest.raises(Failed) as failed:
                other.run(modules(EMPTY))
        assert failed.value.code == "BUSY"
        assert "all users together" in failed.value.message and "26 for each of queue.jobs=2" in failed.value.message
        assert "jobs_per_user" not in failed.value.message + failed.value.hint


def test_more_descriptors_than_any_request_has_end_their_connection(daemon, client):
    before = open_fds(daemon)
    with files(REQUEST_FDS + 1) as fds, daemon.connect() as bad:
        with pytest.raises((Failed, Closed)):
            bad.call(fds, status=pb.StatusRequest())
        with pytest.raises(Failed) as failed:
            client.call(fds[:-1], status=pb.StatusRequest())
        assert "takes none" in failed.value.message
    client.until(lambda: none_is_left(daemon, before))


# ---- files whose last close takes long

MIB = 1 << 20
KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]


class Watched:
    """A sealed memfd of a user's that was sent, and who had it last: a lock belongs to it until it is closed for good."""

    def __init__(self, client, data=b"x"):
        self.fd = client.sealed_memfd(data)
        self.other = os.open(f"/proc/self/fd/{self.fd}", os.O_RDONLY)
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        self.inode = os.fstat(self.fd).st_ino

    def let_go(self):
        os.close(self.fd)

    def is_open(self):
        try:
            fcntl.flock(self.other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self.other, fcntl.LOCK_UN)
        return False

    def is_in(self, pid):
        with contextlib.suppress(OSError):
            for fd in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    if os.readlink(fd.path).startswith("/memfd:module") and os.stat(fd.path).st_ino == self.inode:
                        return True
        return False

    def is_in_a_half(self, daemon):
        return any(map(self.is_in, (daemon.front_end(), daemon.process.pid)))


def expendable(daemon):
    return daemon.find("benchd-receive") + daemon.find("benchd-close")


@contextlib.contextmanager
def all_stand_still(daemon):
    """Those that close do not: what is closed meanwhile has been closed by somebody else."""
    pids = expendable(daemon)
    assert len(pids) >= 4
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def begin_half_a_frame(client, watched, module):
    half_a_frame(client, [watched.fd])
    return lambda: client.socket.close()


def begin_a_request_that_takes_none(client, watched, module):
    bytes_of = frame(status=pb.StatusRequest())
    client.send_bytes(bytes_of[:-1], [watched.fd])
    return lambda: client.send_bytes(bytes_of[-1:])


def begin_a_request_that_is_no_message(client, watched, module):
    client.send_bytes(varint(10) + b"x", [watched.fd])
    return lambda: client.send_bytes(b"\xff" * 9)


def begin_a_run_with_an_input_too_many(client, watched, module):
    bytes_of = frame(run=pb.RunRequest(module_name="m.so", input_names=["i", "j"]))
    client.send_bytes(bytes_of[:-1], [watched.fd])
    return lambda: client.send_bytes(bytes_of[-1:])


def submit(client, watched, module):
    return client.submit(module, input_files=[os.dup(watched.fd)], input_names=["i"], processes=1, timeout_ns=600 * 10**9)


def begin_a_run(client, watched, module):
    """Cancelled while it measures: by then both halves have passed the file on."""
    request = submit(client, watched, module)
    while True:
        reply = client.receive()
        assert not reply.HasField("error"), reply
        if reply.HasField("progress") and reply.progress.stage == pb.Progress.MEASURING:
            return lambda: client.send(cancel=pb.CancelRequest(request_id=request))


def begin_a_run_whose_client_leaves(client, watched, module):
    begin_a_run(client, watched, module)
    return lambda: client.socket.close()


BEGINNINGS = [begin_half_a_frame, begin_a_request_that_takes_none, begin_a_request_that_is_no_message, begin_a_run_with_an_input_too_many,
              begin_a_run, begin_a_run_whose_client_leaves]


@pytest.mark.parametrize("begin", BEGINNINGS, ids=lambda begin: begin.__name__.removeprefix("begin_"))
def test_neither_half_does_the_last_close_of_a_file(daemon, client, modules, begin):
    before = open_fds(daemon)
    with daemon.connect(uid=STRANGER) as stranger:
        watched = Watched(stranger)
        end = begin(stranger, watched, modules(SPINS))
        client.until(lambda: watched.is_in_a_half(daemon))
        watched.let_go()
        with all_stand_still(daemon):
            end()
            client.until(lambda: not watched.is_in_a_half(daemon))
            assert watched.is_open()
        client.until(lambda: not watched.is_open())
    os.close(watched.other)
    client.until(lambda: none_is_left(daemon, before))


def open_files(pid):
    """The paths of its descriptors, of which it may close some meanwhile."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(f"/proc/{pid}/fd/{fd}")


def test_what_is_closed_counts_for_its_user_until_it_is(daemon, client):
    def held():
        with daemon.connect(uid=STRANGER) as one:
            return next(use.held for use in one.status().uses if use.name == "descriptors")

    with files(REQUEST_FDS) as fds, daemon.connect(uid=STRANGER) as stranger:
        half_a_frame(stranger, fds)
        client.until(lambda: held() == REQUEST_FDS)
        with all_stand_still(daemon):
            stranger.socket.close()
            client.until(lambda: not any("/memfd:module" in path for path in open_files(daemon.front_end())))
            assert held() == REQUEST_FDS
        client.until(lambda: held() == 0)


def memory(size, behind=0, seals=fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE):
    fd = os.memfd_create("memory", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    assert not behind or libc.fallocate(fd, KEEP_SIZE, size, behind) == 0
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


@pytest.mark.parametrize("words, make", [
    ("is not sealed", lambda: memory(MIB, seals=fcntl.F_SEAL_GROW)),
    ("is not sealed", lambda: memory(1 << 62, seals=0)),
    ("is not sealed", lambda: memory(MIB, behind=128 * MIB, seals=0)),
    ("is empty", lambda: memory(0)),
    ("larger than 64 MiB, or has memory behind its end", lambda: memory(64 * MIB + 1)),
    ("larger than 64 MiB, or has memory behind its end", lambda: memory((1 << 63) - 1)),
    ("larger than 64 MiB, or has memory behind its end", lambda: memory(36 << 10, behind=128 * MIB)),
    ("larger than 64 MiB, or has memory behind its end", lambda: memory(0, behind=128 * MIB)),
    ("is not a memfd", lambda: os.eventfd(0)),
    ("is not a memfd", lambda: socket.socket().detach()),
    ("is not a memfd", lambda: os.open("/dev/null", os.O_RDWR)),
    ("is not a memfd", lambda: os.pidfd_open(os.getpid())),
])
@pytest.mark.parametrize("place", ["module", "library", "input"])
def test_a_file_that_is_no_bounded_sealed_memory_is_refused_by_its_fault(daemon, client, words, make, place):
    before = open_fds(daemon)
    good = client.sealed_memfd(b"x")
    fd = make()
    fds = [fd] if place == "module" else [good, fd]
    request = pb.RunRequest(module_name="m.so", library_names=["l.so"] if place == "library" else [],
                            input_names=["i"] if place == "input" else [])
    with pytest.raises(Failed) as failed:
        client.call(fds, run=request)
    assert failed.value.code == "BAD_REQUEST"
    assert words in failed.value.message
    os.close(good)
    os.close(fd)
    client.until(lambda: none_is_left(daemon, before))


def test_a_file_as_large_as_one_may_be_is_taken(daemon, client, modules):
    fd = memory(64 * MIB)
    assert client.run(modules(EMPTY), input_files=[os.dup(fd)], input_names=["i"], quick=True).result.verdict
    os.close(fd)


def test_who_closes_is_killed_and_another_takes_its_place(daemon, client, modules):
    for pid in daemon.find("benchd-close"):
        daemon.kill(pid)
    with daemon.connect(uid=STRANGER) as stranger:
        assert stranger.run(modules(EMPTY), quick=True).result.verdict
    client.until(lambda: len(daemon.find("benchd-close")) == 2)
    assert client.run(modules(EMPTY), quick=True).result.verdict


# ---- files whose close never ends

def state_of(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2]


def told_of(pid, name):
    """A file of a process, empty where it has just ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        return ""


def receivers(daemon):
    """Those of benchd: the launcher has one too."""
    front = daemon.front_end()
    return [pid for pid in daemon.find("benchd-receive") if f"\nPPid:\t{front}\n" in told_of(pid, "status")]


def waiting(daemon, slow):
    """The receivers that wait in a close."""
    return set(receivers(daemon)) & set(slow.waiting())


def send_in_a_run(stranger, fd):
    with pytest.raises(Failed) as failed:
        stranger.call([fd], run=pb.RunRequest(module_name="m.so"))
    assert "not a memfd" in failed.value.message


def send_in_a_status(stranger, fd):
    with pytest.raises(Failed):
        stranger.call([fd], status=pb.StatusRequest())


def send_in_half_a_frame(stranger, fd):
    half_a_frame(stranger, [fd])


def send_too_many(stranger, fd):
    stranger.send_bytes(frame(status=pb.StatusRequest()), [fd] * 40)


def send_out_of_band(stranger, fd):
    stranger.socket.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fd.to_bytes(4, "little"))], socket.MSG_OOB)


WAYS = [send_in_a_run, send_in_a_status, send_in_half_a_frame, send_too_many, send_out_of_band]


@pytest.mark.parametrize("send", WAYS, ids=lambda send: send.__name__.removeprefix("send_"))
def test_a_file_that_never_closes_holds_up_its_sender_alone(daemon, client, modules, slow, send):
    before = open_fds(daemon)
    with daemon.connect(uid=STRANGER) as stranger:
        fd = slow.open()
        send(stranger, fd)
        client.until(lambda: waiting(daemon, slow))
        for _ in range(20):
            client.status()
        assert client.run(modules(EMPTY), quick=True).result.verdict
        assert state_of(daemon.front_end()) != "D"
        with daemon.connect(uid=STRANGER) as second:
            assert second.status().daemon, "the sender too is answered, but for descriptors"
    client.until(lambda: len(receivers(daemon)) == 2)
    slow.release()
    client.until(lambda: len(receivers(daemon)) == 1)
    client.until(lambda: none_is_left(daemon, before))
    os.close(fd)


def test_who_waits_for_a_close_is_told_so_and_served_once_it_ends(build, directory, modules, slow):
    with Daemon(build, directory, launch=["--no-probes"], config="[connections]\npatience=1\n") as daemon, daemon.connect() as client:
        fd = slow.open()
        with daemon.connect(uid=STRANGER) as stranger:
            send_in_a_run(stranger, fd)
            client.until(lambda: waiting(daemon, slow))
            request = stranger.submit(modules(EMPTY))
            with pytest.raises(Failed) as failed:
                while True:
                    reply = stranger.receive()
                    if reply.HasField("error"):
                        raise Failed(reply.error)
            assert reply.id in (0, request) and "does not close" in failed.value.message
        assert "does not close" in daemon.errors()
        slow.release()
        os.close(fd)
        with daemon.connect(uid=STRANGER) as stranger:
            assert stranger.run(modules(EMPTY), quick=True).result.verdict


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_daemon_ends_while_a_file_never_closes(build, directory, slow, number):
    with contextlib.ExitStack() as stack:
        daemon = Daemon(build, directory, until_eof=False)
        daemon.__enter__()
        client = stack.enter_context(daemon.connect())
        fd = slow.open()
        for _ in range(3):
            half_a_frame(stack.enter_context(daemon.connect(uid=STRANGER)), [fd])
        send_in_a_run(stack.enter_context(daemon.connect(uid=STRANGER + 1)), fd)
        client.until(lambda: len(waiting(daemon, slow)) == 2)
        front = os.pidfd_open(daemon.front_end())
        signal.pidfd_send_signal(front, number)
        daemon.process.wait(timeout=60)
        os.close(front)
        slow.release()
        daemon.bury()
        assert "nexpected failure" not in daemon.errors()
        os.close(fd)

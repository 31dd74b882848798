# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of two builds: each half refuses the other in words that name both and say what to do, and no runner of another build starts."""

import fcntl
import os
import socket
import subprocess

import pytest
from support import faults
from support.benchctl import Benchctl
from support.builds import build_of, in_file
from support.daemon import Daemon
from support.paths import open_directory

TOUCHES = "build* record-queue"

OTHER = b"99.0.0 (0123456789ab)"


def become_another(program):
    """Makes of it a program of another build, which speaks of itself as that, and of the same size."""
    at, _ = build_of(program)
    bytes_ = bytearray(program.read_bytes())
    bytes_[at:at + 64] = OTHER.ljust(64, b"\0")
    program.write_bytes(bytes_)


@pytest.fixture
def programs(build):
    with open_directory() as directory:
        yield faults.copy_programs(build, directory)


def refusal(build):
    """What the daemon says that does not start."""
    with open_directory() as directory, pytest.raises(AssertionError, match="the daemon did not start") as failed:
        Daemon(build, directory).__enter__()
    return str(failed.value)


def test_two_halves_of_different_builds_refuse_each_other_in_words(build, programs):
    own = build_of(build / "daemon/launch/benchd-launch")[1].decode()
    become_another(programs / "daemon/front/benchd")
    words = refusal(programs)
    assert f"benchd is of another build, {OTHER.decode()}, than this benchd-launch, {own}" in words
    assert "Restart both: systemctl restart benchd benchd-launch" in words
    assert "invalid record" not in words and "error " not in words and "Ready to measure" not in words


def answer_of_benchd(build, directory, first):
    """Its greeting and its words where the other half's first packet is @first."""
    clients = socket.socket(socket.AF_UNIX)
    clients.bind(str(directory / "benchd.sock"))
    clients.listen()
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def place():
        fds = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (clients, there)]
        os.dup2(fds[0], 3)
        os.dup2(fds[1], 4)

    command = f'LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=clients:launch exec "{build}/daemon/front/benchd" --config=/dev/null'
    with clients, here, subprocess.Popen(["sh", "-c", command], preexec_fn=place, close_fds=False, stderr=subprocess.PIPE, text=True) as process:
        there.close()
        heard = here.recv(4096)
        here.send(first)
        words = process.communicate()[1]
        assert process.returncode == 1
    return heard, words


@pytest.mark.parametrize("first, whose", [
    (in_file(OTHER), OTHER.decode()),
    (b"\xc8\0\0\0" + bytes(4000), "one that does not tell its version"),  # a record, as of the builds before there was a greeting
])
def test_benchd_refuses_a_launcher_of_another_build_in_words(build, tmp_path, first, whose):
    own = build_of(build / "daemon/front/benchd")[1]
    heard, words = answer_of_benchd(build, tmp_path, first)
    assert heard == in_file(own)
    assert f"benchd-launch is of another build, {whose}, than this benchd, {own.decode()}: they do not understand each other" in words
    assert "Restart both: systemctl restart benchd benchd-launch" in words
    assert "error " not in words and "Ready to measure" not in words


@pytest.mark.parametrize("name", ["runner/benchd-runner", "inspect/benchd-inspect"])
def test_no_daemon_starts_with_a_runner_of_another_build(build, programs, name):
    own = build_of(build / "daemon/launch/benchd-launch")[1].decode()
    become_another(programs / "daemon" / name)
    words = refusal(programs)
    assert f"{name.split('/')[1]} is of another build, {OTHER.decode()}, than this benchd-launch, {own}" in words
    assert "Install benchd again" in words


def test_a_status_shows_both_halves(build, daemon, client):
    own = build_of(build / "daemon/launch/benchd-launch")[1].decode()
    version = own.split()[0]
    status = client.status()
    assert (status.daemon, status.launcher, status.build) == (f"benchd {version}", f"benchd-launch {version}", own)
    benchctl = Benchctl(build, f"--socket={daemon.socket}")
    told = benchctl.json("status")
    assert (told["daemon"], told["launcher"], told["build"]) == (status.daemon, status.launcher, status.build)

# SPDX-License-Identifier: MIT
"""The ways to a daemon: the Unix socket of this machine, or a command that runs `benchctl bridge` on the daemon's.

Both end in a socket that the daemon's bytes come from. They differ in how files go along: as descriptors, or as bytes before the frame.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
from collections.abc import Sequence

from .errors import BenchdError, ConnectionLostError, NoDaemonError
from .module import FilePath

RECEIVE_BYTES = 1 << 16
GREETING = b"benchd-bridge 1\n"
FILE_MAX_BYTES = 64 << 20  # over a bridge
HEARD_MAX_CHARACTERS = 80  # of another program's words, in an error

# The words of benchctl --host: a machine that is frozen is given up after 15 s.
SSH = ("ssh", "-xT", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ConnectTimeout=15")

# What ends a terminal's job as a whole: the command outlives it, so that a run can be cancelled first.
JOB_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

# A command that does not heed the end of its input; ssh, to which SIGTERM does not get through then, takes SIGALRM.
END_REQUESTS: Sequence[Sequence[signal.Signals]] = ((), (signal.SIGTERM, signal.SIGALRM), (signal.SIGKILL,))
END_TIMEOUT_S = 2


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data: bytes) -> tuple[int, int] | None:
    """The number at the beginning of @data, and the place behind it; None where it is not complete."""
    number = 0
    for i, byte in enumerate(data[:4]):
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, i + 1
    if len(data) >= 4:
        raise ConnectionLostError("The program at the other end is not benchd: it sends no frame.")
    return None


class SocketTransport:
    def __init__(self, path: FilePath) -> None:
        self.path = os.fspath(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(os.fspath(path))
        except OSError as error:
            self._socket.close()
            hint = ("Ask to be added to the group 'benchd'" if isinstance(error, PermissionError) else "Start it with 'systemctl start benchd'")
            raise NoDaemonError(f"Cannot reach the daemon at {os.fspath(path)}: {error.strerror or error}. "
                                f"{hint}, or do without it: benchd.private().") from None

    def send(self, frame: bytes, fds: Sequence[int]) -> None:
        """Raises OSError if the daemon is gone."""
        self._socket.sendall(frame[socket.send_fds(self._socket, [frame], list(fds)):])

    def receive(self) -> bytes:
        """What came; nothing at the end. Raises OSError likewise."""
        return self._socket.recv(RECEIVE_BYTES)

    def close(self) -> None:
        self._socket.close()


class CommandTransport:
    def __init__(self, command: Sequence[str]) -> None:
        self._words = shlex.join(command)
        self._socket, far = socket.socketpair()
        with far:
            self._process = self._start(command, far)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _start(self, command: Sequence[str], far: socket.socket) -> subprocess.Popen[bytes]:
        usual = signal.pthread_sigmask(signal.SIG_BLOCK, JOB_SIGNALS)
        try:
            return subprocess.Popen(command, stdin=far, stdout=far)
        except OSError as error:
            self._socket.close()
            raise NoDaemonError(f"Cannot run '{command[0]}' to reach a daemon: {error.strerror or error}.") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, usual)

    def _greet(self) -> None:
        heard = b""
        while len(heard) < len(GREETING) and GREETING.startswith(heard):
            data = self._socket.recv(len(GREETING) - len(heard))
            if not data:
                raise NoDaemonError(f"Cannot reach a daemon through '{self._words}': it ended before benchctl there answered.")
            heard += data
        if heard != GREETING:
            with contextlib.suppress(BlockingIOError):
                heard += self._socket.recv(HEARD_MAX_CHARACTERS, socket.MSG_DONTWAIT)
            words = heard.decode(errors="replace").split("\n")[0][:HEARD_MAX_CHARACTERS]
            raise NoDaemonError(f"Cannot reach a daemon through '{self._words}': it printed \"{words}\" before benchctl there could answer.")

    def send(self, frame: bytes, fds: Sequence[int]) -> None:
        files = [_bytes_of(fd) for fd in fds]
        self._socket.sendall(b"".join([varint(len(files)), *(varint(len(data)) for data in files), *files, frame]))

    def receive(self) -> bytes:
        return self._socket.recv(RECEIVE_BYTES)

    def close(self) -> None:
        """Ends the command, by the end of its input if it heeds that."""
        self._socket.close()
        for requests in END_REQUESTS:
            for request in requests:
                self._process.send_signal(request)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_TIMEOUT_S)
                break


def _bytes_of(fd: int) -> bytes:
    size = os.fstat(fd).st_size
    if not 0 < size <= FILE_MAX_BYTES:
        raise BenchdError(f"A file for a daemon on another machine has 1 byte to 64 MiB; this one has {size} bytes.")
    with open(os.dup(fd), "rb") as file:
        file.seek(0)
        return file.read()


def ssh_command(host: str) -> Sequence[str]:
    """The command that benchctl --host uses."""
    if not host or host.startswith("-"):
        raise NoDaemonError(f"'{host}' is no name of a machine: give NAME or USER@NAME, as for ssh.")
    return *SSH, host, "benchctl", "bridge"

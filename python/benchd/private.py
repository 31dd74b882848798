# SPDX-License-Identifier: MIT
"""A daemon of one's own, as benchctl --private has one: no service, no root needed, whatever rights the user has.

It lives as long as a pipe that this process holds, so it ends with this process, however that ends. Its directory is named and locked as
benchctl's are (a file that only this user can open), so that one which a killed process left is swept up by the next `benchctl --private`. Results are not kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from .client import Client
from .errors import NoDaemonError
from .module import FilePath, program

END_TIMEOUT_S = 10
WORDS_MAX_BYTES = 4096  # of the daemon's, in an error


@contextlib.contextmanager
def _directory() -> Iterator[tuple[pathlib.Path, int]]:
    """A directory with six characters after its prefix, and a lock on it that the daemon inherits."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    parent = runtime if runtime and os.access(runtime, os.W_OK) else "/tmp"
    while True:
        path = pathlib.Path(parent, f"benchd-{secrets.token_hex(3)}")
        with contextlib.suppress(FileExistsError):
            path.mkdir(0o700)
            break
    fd = os.open(path / "benchd.sock.lock", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        path.chmod(0o755)
        yield path, fd
    finally:
        if not pathlib.Path(path, "benchd.sock.restore").exists():  # else it is kept for whoever restores
            shutil.rmtree(path, ignore_errors=True)
        os.close(fd)


def _words(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read(WORDS_MAX_BYTES).decode(errors="replace").strip()


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    process.stdin.close()
    try:
        process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    process.stdout.close()


def _restore(launch: FilePath, socket: pathlib.Path) -> None:
    """A launcher that was killed leaves its restore journal, from which a new launcher puts everything back."""
    journal = f"{socket}.restore"
    if os.path.exists(journal):
        subprocess.run([launch, "--restore", f"--journal={journal}"], stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def _daemon(launch: FilePath, options: Sequence[str]) -> Iterator[pathlib.Path]:
    with _directory() as (directory, lock), tempfile.TemporaryFile() as log:
        socket = directory / "benchd.sock"
        try:
            # A process group of its own keeps the terminal's Ctrl-C from the daemon, so that the client can cancel first.
            process = subprocess.Popen(
                [launch, "--with-front-end", "--until-eof", "--socket-mode=0600", f"--socket={socket}", *options, "--", "--alone"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, pass_fds=[lock], process_group=0)
        except OSError as error:
            raise NoDaemonError(f"Cannot start {os.fspath(launch)}: {error.strerror}.") from None
        try:
            assert process.stdout
            if process.stdout.readline() != b"ready\n":
                raise NoDaemonError(f"The private daemon ended before it was ready. {_words(log)}".strip())
            yield socket
        finally:
            _end(process)
            _restore(launch, socket)


@contextlib.contextmanager
def private(launch: FilePath | None = None, options: Sequence[str] = ()) -> Iterator[Client]:
    """A client of a daemon that is started for it and ends with it.

    The daemon's program is @launch, else that of the build tree that this package is in, else benchd-launch on PATH. @options are options
    of benchd-launch(8).
    """
    found = launch if launch is not None else program("benchd-launch")
    if found is None:
        raise NoDaemonError("Cannot start a private daemon: benchd-launch is not on PATH. Install the package benchd.")
    with _daemon(found, options) as socket, Client(socket) as client:
        yield client

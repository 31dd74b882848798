# SPDX-License-Identifier: MIT
"""Files that are written: whole or as before, as benchctl writes them, and in turns.

No link of another user is followed: it could lead to a file that only this user may write.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pathlib
import stat
import tempfile
import time
from collections.abc import Iterator

from .errors import BenchdError

LINKS_MAX = 40  # as the kernel has it
LOCK_PATIENCE_S = 60.0
LOCK_PAUSE_S = 0.05


def _is_trusted(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.geteuid())


def _follow(path: pathlib.Path) -> pathlib.Path:
    """The path without links, each of which has to be this user's or root's."""
    found, rest, links = pathlib.Path("/"), list(pathlib.Path.cwd().joinpath(path).parts[1:]), 0
    while rest:
        name = rest.pop(0)
        if name == "..":
            found = found.parent
            continue
        step = found / name
        status = step.lstat() if os.path.lexists(step) else None
        if status is None or not stat.S_ISLNK(status.st_mode):
            found = step
            continue
        links += 1
        if not _is_trusted(status):
            raise BenchdError(f"{path} is not written: the symbolic link {step} belongs to another user. Name the file that it leads to.")
        if links > LINKS_MAX:
            raise BenchdError(f"{path} is not written: {os.strerror(errno.ELOOP)}.")
        target = pathlib.Path(os.readlink(step))
        if target.is_absolute():
            found = pathlib.Path("/")
        rest = [part for part in target.parts if part != "/"] + rest
    return found


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def replace_file(path: pathlib.Path, text: str) -> None:
    """Gives the file @path the @text, and the mode that it had, or that the umask says; a failure leaves it as it was."""
    path = _follow(path)
    try:
        was = path.lstat()
        mode = stat.S_IMODE(was.st_mode) & 0o777 if _is_trusted(was) else 0o666 & ~_umask()
    except FileNotFoundError:
        mode = 0o666 & ~_umask()
    fd, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:200]}.")
    try:
        with open(fd, "w") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _open_lock(path: pathlib.Path) -> int | None:
    """A lock that its name still stands for; None while another user has one of its own."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM) and os.path.lexists(path):
            return None
        raise
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        opened, named = os.fstat(fd), path.lstat()
        if (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino):
            return fd
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(fd)
    return None


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """Holds a lock on the file @path: a file of mode 0600 beside it, since who may read a file or its directory may lock that too."""
    path = _follow(path)
    lock, deadline = path.with_name(f".{path.name}.lock"), time.monotonic() + LOCK_PATIENCE_S
    while (fd := _open_lock(lock)) is None:
        if time.monotonic() > deadline:
            raise BenchdError(f"{path} is not written: {lock} has been held for {LOCK_PATIENCE_S:g} s. Remove it if no test is running.")
        time.sleep(LOCK_PAUSE_S)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(fd)

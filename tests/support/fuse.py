# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system in user space whose server does not answer when a file is closed: close() of any descriptor of its one file waits.

It speaks the kernel's protocol itself (linux/fuse.h), so nothing has to be installed. Whoever closes a descriptor waits, in
a way that no signal ends, until release().
"""

import contextlib
import ctypes
import os
import pathlib
import select
import struct

LOOKUP, GETATTR, OPEN, STATFS, RELEASE, FLUSH, INIT, OPENDIR, RELEASEDIR = 1, 3, 14, 17, 18, 25, 26, 27, 29
FORGET, BATCH_FORGET, INTERRUPT = 2, 42, 36  # not answered
ROOT, FILE = 1, 2
MS_NOSUID, MS_NODEV, MNT_DETACH = 2, 4, 2

libc = ctypes.CDLL(None, use_errno=True)


def attributes(node):
    kind = 0o040755 if node == ROOT else 0o100644
    return struct.pack("<QQQQQQIIIIIIIIII", node, 4096, 8, 0, 0, 0, 0, 0, 0, kind, 1, 0, 0, 0, 4096, 0)


def answer_of(code, node):
    """The bytes that answer an operation, a negative errno, or None: it is not answered at all."""
    if code == INIT:
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 8, 8, 1 << 16, 1, 0, 0, 0)
    if code == LOOKUP:
        return struct.pack("<QQQQII", FILE, 0, 3600, 3600, 0, 0) + attributes(FILE)
    if code == GETATTR:
        return struct.pack("<QII", 3600, 0, 0) + attributes(node)
    if code in (OPEN, OPENDIR):
        return struct.pack("<QII", 1, 0, 0)
    return b"" if code in (RELEASE, RELEASEDIR) else -38


def reply(device, unique, answer):
    data, error = (b"", answer) if isinstance(answer, int) else (answer, 0)
    with contextlib.suppress(OSError):
        os.write(device, struct.pack("<IiQ", 16 + len(data), error, unique) + data)


def serve(device, control, told):
    """Answers everything but FLUSH, until @control is closed; writes meanwhile to @told who waits for that."""
    waiting = []
    while True:
        if control is not None and control in select.select([device, control], [], [])[0]:
            control = None
            for unique in waiting:
                reply(device, unique, b"")
        try:
            request = os.read(device, 1 << 17)
        except OSError:
            os._exit(0)
        _, code, unique, node, _, _, pid = struct.unpack_from("<IIQQIII", request)
        if code == FLUSH and control is not None:
            waiting.append(unique)
            os.write(told, struct.pack("<I", pid))
        elif code not in (FORGET, BATCH_FORGET, INTERRUPT):
            reply(device, unique, b"" if code == FLUSH else answer_of(code, node))


class SlowFile:
    """open() gives a descriptor whose close() waits, in whatever process, until release()."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.path = self.directory / "file"

    def __enter__(self):
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        if libc.mount(b"slow", str(self.directory).encode(), b"fuse.slow", MS_NOSUID | MS_NODEV, options) != 0:
            number = ctypes.get_errno()
            os.close(device)
            raise OSError(number, os.strerror(number))
        control, self.control = os.pipe()
        self.told, told = os.pipe()
        os.set_blocking(self.told, False)
        self.closers = []
        self.server = os.fork()
        if self.server == 0:
            os.close(self.control)
            serve(device, control, told)
        for fd in (device, control, told):
            os.close(fd)
        return self

    def open(self):
        return os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)

    def waiting(self):
        """The processes that wait in close(), until release()."""
        with contextlib.suppress(BlockingIOError):
            self.closers += [pid for pid, in struct.iter_unpack("<I", os.read(self.told, 1 << 12))]
        return self.closers if self.control is not None else []

    def release(self):
        """Lets all that wait go on, and whoever closes from now on."""
        if self.control is not None:
            os.close(self.control)
            self.control = None

    def __exit__(self, *exception):
        self.release()
        libc.umount2(str(self.directory).encode(), MNT_DETACH)
        os.kill(self.server, 9)
        os.waitpid(self.server, 0)
        os.close(self.told)

# SPDX-License-Identifier: GPL-3.0-or-later
"""A stranger's end of a bridge: the bytes of PROTOCOL.md's "Over a pipe", over two pipes of this process."""

import os
import subprocess

import benchd_pb2 as pb

from .client import PROTOCOL_VERSION, varint

GREETING = b"benchd-bridge 1\n"
TIMEOUT_S = 300


class Bridge:
    def __init__(self, build, *options):
        self.process = subprocess.Popen([build / "client/ctl/benchctl", "bridge", *map(str, options)], bufsize=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        for file in [self.process.stdin, self.process.stdout, self.process.stderr]:
            file.close()
        self.process.wait(timeout=TIMEOUT_S)

    def greet(self):
        """Takes the bridge's line, and the daemon's answer to the greeting."""
        assert self.read(len(GREETING)) == GREETING
        self.send(hello=pb.HelloRequest(protocol_version=PROTOCOL_VERSION, client="test"))
        return self.reply().hello

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view):]

    def send(self, *files, **request):
        """Returns the request's id."""
        self.last_id += 1
        message = pb.Request(id=self.last_id, **request).SerializeToString()
        self.write(wire(*files) + varint(len(message)) + message)
        return self.last_id

    def read(self, n):
        """Fewer bytes at the end."""
        data = b""
        while len(data) < n:
            more = os.read(self.process.stdout.fileno(), n - len(data))
            if not more:
                break
            data += more
        return data

    def reply(self):
        length = shift = 0
        while True:
            byte = self.read(1)[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return pb.Reply.FromString(self.read(length))

    def last_reply(self):
        while True:
            reply = self.reply()
            if reply.last:
                return reply

    def hang_up(self):
        """Returns its exit status and what it printed on stderr."""
        self.process.stdin.close()
        return self.end()

    def end(self):
        while os.read(self.process.stdout.fileno(), 1 << 16):
            pass
        return self.process.wait(timeout=TIMEOUT_S), self.process.stderr.read().decode()

    def memory_bytes(self):
        """Its own at its most, and what its memfds hold."""
        with open(f"/proc/{self.process.pid}/status") as file:
            own = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
        return own + sum(os.stat(f"/proc/{self.process.pid}/fd/{fd}").st_blocks * 512 for fd, name in self.files().items() if "memfd:" in name)

    def files(self):
        """What it has open: {number: name}."""
        directory = f"/proc/{self.process.pid}/fd"
        return {fd: os.readlink(f"{directory}/{fd}") for fd in os.listdir(directory)}


def wire(*files):
    """What goes before a frame with these files."""
    return varint(len(files)) + b"".join(varint(len(file)) for file in files) + b"".join(files)

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the guest and does what the host's tests ask for, over a virtio-serial port.

Both ways a JSON object a line. The host sends {id, argv, user, input, timeout}; it gets {id, pid} when the command has
started, and {id, code, stdout, stderr} when it has ended, output in base64 and a signal as a negative code. Commands
run beside one another. The first line of all is {boot}, the boot's id, so that the host sees a reboot.
"""

import base64
import json
import os
import pwd
import signal
import subprocess
import threading

PORT = '/dev/virtio-ports/benchd.agent'


class Agent:
    def __init__(self, port):
        self.port = port
        self.lock = threading.Lock()

    def tell(self, **message):
        with self.lock:
            self.port.write(json.dumps(message).encode() + b'\n')

    def serve(self):
        with open('/proc/sys/kernel/random/boot_id') as file:
            self.tell(boot=file.read().strip())
        for line in self.port:
            threading.Thread(target=self.run, args=[json.loads(line)], daemon=True).start()

    def run(self, request):
        try:
            process = start(request['argv'], request['user'])
        except OSError as error:
            return self.end(request, 127, b'', str(error).encode())
        self.tell(id=request['id'], pid=process.pid)
        try:
            output = process.communicate(base64.b64decode(request['input']), request['timeout'])
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()
        self.end(request, process.returncode, *output)

    def end(self, request, code, stdout, stderr):
        self.tell(id=request['id'], code=code, stdout=base64.b64encode(stdout).decode(),
                  stderr=base64.b64encode(stderr).decode())


def start(argv, user):
    who = pwd.getpwnam(user)
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd='/',
                            user=who.pw_uid, group=who.pw_gid, extra_groups=os.getgrouplist(user, who.pw_gid),
                            start_new_session=True)


class Port:
    """Lines of a character device, each written whole."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR)

    def write(self, data):
        while data:
            data = data[os.write(self.fd, data):]

    def __iter__(self):
        with open(self.fd, 'rb', closefd=False) as file:
            yield from file


if __name__ == '__main__':
    Agent(Port(PORT)).serve()

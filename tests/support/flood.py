# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who keeps the daemon's loop busy: many requests at once on each of many connections, from processes of their own."""

import os
import select
import signal
import socket

from .client import pb, varint
from .processes import fork_mortal

AT_ONCE = 200
UNREAD_BYTES = 16 << 10  # the daemon goes on with those that it has yet to read when the flood has ended
REQUESTS = {
    "status": pb.Request(status=pb.StatusRequest()),
    "history": pb.Request(history=pb.HistoryRequest(limit=1000)),
    "cancel": pb.Request(cancel=pb.CancelRequest(run_id="f" * 32)),
    "show": pb.Request(show=pb.ShowRequest(run_id="f" * 32)),
}


def flood(clients, request, answered=lambda: None):
    """Sends, and drops the answers, for ever. answered() is called at each."""
    message = pb.Request(id=7)
    message.MergeFrom(request)
    payload = message.SerializeToString()
    data = (varint(len(payload)) + payload) * AT_ONCE
    poll, sockets, sent = select.poll(), {}, {}
    for client in clients:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
        client.socket.setblocking(False)
        sockets[client.socket.fileno()], sent[client.socket.fileno()] = client.socket, 0
        poll.register(client.socket, select.POLLIN | select.POLLOUT)
    while True:
        for fd, events in poll.poll():
            try:
                if events & select.POLLIN:
                    assert sockets[fd].recv(1 << 20), "the daemon hung up"
                    answered()
                if events & select.POLLOUT:
                    sent[fd] = (sent[fd] + sockets[fd].send(data[sent[fd]:])) % len(data)
            except BlockingIOError:
                pass


class Flood:
    """The same in a process of its own, until the end of the block. A byte on its pipe is an answer."""

    def __init__(self, daemon, uid, request, connections):
        self.connect = lambda: [daemon.connect(uid=uid) for _ in range(connections)]
        self.request = request

    def __enter__(self):
        self.read, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.pid = fork_mortal()
        if self.pid == 0:
            try:
                flood(self.connect(), self.request, lambda: self.tell(write))
            finally:
                os._exit(1)
        os.close(write)
        return self

    @staticmethod
    def tell(write):
        try:
            os.write(write, b".")
        except BlockingIOError:
            pass

    def await_answer(self):
        """Of those from now on, and those of a pipeful before."""
        try:
            os.read(self.read, 1 << 20)
        except BlockingIOError:
            pass
        select.select([self.read], [], [])
        assert os.read(self.read, 1), "the flood has ended"

    def __exit__(self, *exception):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.read)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A client of benchd, written from PROTOCOL.md and benchd.proto alone. Make benchd_pb2.py first, where you call it:

protoc --python_out=. --proto_path=$(pkg-config --variable=protodir benchd) benchd.proto

benchd_client.py list|run MODULE.so [FILTER...]    and:  wait|show|cancel JOB    history    status
$BENCHD_SOCKET names another socket. Ctrl-C cancels a run, and shows what is complete; a second one leaves at once.
"""

import array
import fcntl
import os
import signal
import socket
import sys

try:
    import benchd_pb2 as pb
    from google.protobuf import text_format
except ImportError as error:
    sys.exit(f'{error}.\n\n{__doc__}')

ALONE, OF_MODULE, OF_JOB = ('history', 'status'), ('list', 'run'), ('wait', 'show', 'cancel')


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.stream = self.socket.makefile('rb')
        self.last_id = 0
        list(self.replies(self.send(hello={'protocol_version': 0, 'client': 'benchd_client.py'})))

    def send(self, fds=(), **alternative):
        self.last_id += 1
        message = pb.Request(id=self.last_id, **alternative).SerializeToString()
        frame, length = b'', len(message)
        while length >= 0x80:
            frame, length = frame + bytes([length & 0x7f | 0x80]), length >> 7
        frame += bytes([length]) + message
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else []
        self.socket.sendall(frame[self.socket.sendmsg([frame], rights):])
        return self.last_id

    def receive(self):
        length = shift = 0
        while True:
            byte = self.stream.read(1)
            if not byte:
                sys.exit('benchd closed the connection.')
            length |= (byte[0] & 0x7f) << shift
            shift += 7
            if byte[0] < 0x80:
                return pb.Reply.FromString(self.stream.read(length))

    def replies(self, request):
        """The replies to one request, up to the last; an error ends the program with its sentence and its hint."""
        last = False
        while not last:
            reply = self.receive()
            if reply.id in (request, 0) and reply.HasField('error'):
                sys.exit(f'{pb.Error.Code.Name(reply.error.code)}: {reply.error.message} {reply.error.hint}'.strip())
            if reply.id == request:
                yield reply
                last = reply.last


def module(path):
    fd = os.memfd_create('module', os.MFD_ALLOW_SEALING)
    with open(path, 'rb') as source, os.fdopen(os.dup(fd), 'wb') as copy:
        copy.write(source.read())
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    return [fd]


def show(reply):
    if reply.HasField('progress'):
        print('...', text_format.MessageToString(reply.progress, as_one_line=True), file=sys.stderr)
    elif reply.HasField('benchmark'):
        told = reply.benchmark
        name = '/'.join([told.area, told.name, *(f'{arg.name}={arg.ListFields()[-1][1]}' for arg in told.args)])
        print(name, told.failed.message if told.HasField('failed') else f'{told.time_ns.point:.4g} ns', sep='\t')
    elif reply.HasField('listing'):
        print(*(f'{entry.area}/{entry.name}' for entry in reply.listing.benchmarks), sep='\n')
    else:
        print(text_format.MessageToString(reply), end='')


def main(path, verb=None, what=None, *filters):
    if verb not in (OF_MODULE + OF_JOB if what else ALONE):
        sys.exit(__doc__)
    fds = module(what) if verb in OF_MODULE else ()
    fields = {'module_name': os.path.basename(what), 'filters': filters} if fds else {'run_id': what} if what else {}
    client = Client(path)
    request = client.send(fds, **{verb: fields})

    def cancel(*_):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        client.send(cancel={'request_id': request})

    signal.signal(signal.SIGINT, cancel)
    for reply in client.replies(request):
        show(reply)


if __name__ == '__main__':
    where = os.environ.get('BENCHD_SOCKET', '/run/benchd/benchd.sock')
    try:
        main(where, *sys.argv[1:])
    except OSError as error:
        sys.exit(f'{error.filename or where}: {error.strerror}.')

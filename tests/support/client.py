# SPDX-License-Identifier: GPL-3.0-or-later
"""A stranger's client: the protocol as PROTOCOL.md tells it, over python3-protobuf. Nothing of libbenchd is in it."""

import array
import ctypes
import fcntl
import os
import re
import socket
import time

import benchd_pb2 as pb

PROTOCOL_VERSION = 0
TIMEOUT_S = 300
BRIEF = dict(processes=1, samples=2, min_time_ns=10_000, warmup_ns=1_000_000)
TWICE = BRIEF | dict(processes=2)
FEW = dict(processes=4, samples=12, min_time_ns=20_000, warmup_ns=2_000_000, seed=1)
FOREVER = dict(processes=1, timeout_ns=600 * 10**9)
PATIENT = {"budget_ns": 3600 * 10**9}  # so that no batch is stretched to where it costs a sample
MEASURED = (pb.RunResult.FIT, pb.RunResult.UNFIT, pb.RunResult.CANNOT_TELL)  # every benchmark: which of these is up to what else runs here
MEASURED_WORDS = ("fit", "unfit", "cannot-tell")


def argument(value):
    """The value of an argument as it stands in the name of a row."""
    if value.HasField("text"):
        return value.text
    return f"{value.real:.15g}" if value.HasField("real") else str(value.value)


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def sealed_memfd(data, seals=None):
    """A memfd of these bytes that nobody can change any more."""
    fd = os.memfd_create("module", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data) if len(data) < 1 << 20 else _write_all(fd, data)
    if seals is None:
        seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


# The daemon's own words, beside which a reply has those of modules and of clients; and what these must not tell anybody.
TOLD = {"message", "hint", "warnings", "was", "is", "fallback_reason", "cuts"}
OWN = re.compile(r"^<[0-7]>|\bfs/cgroup\b|\bcgroup\.[a-z]|history\.db|voucher\.key|/var/lib/benchd|\.(work|journal|state)/")


def leaks(message):
    """The texts of a reply that begin as a line for the journal does, or name a control group or a private file of the daemon."""
    found = []
    for field, value in message.ListFields():
        values = value if field.label == field.LABEL_REPEATED else [value]
        if field.type == field.TYPE_MESSAGE:
            for part in values:
                found += leaks(part)
        elif field.type == field.TYPE_STRING and field.name in TOLD:
            found += [text for text in values if OWN.search(text)]
    return found


def comparisons(run):
    """The rows of a comparison by their names."""
    return {f"{row.area}/{row.name}" + "".join(f"/{arg.name}={argument(arg)}" for arg in row.args): row for row in run.result.comparisons}


class Closed(Exception):
    """The daemon closed the connection."""


class Failed(Exception):
    """An Error reply."""

    def __init__(self, error):
        super().__init__(f"{pb.Error.Code.Name(error.code)}: {error.message} {error.hint}")
        self.code = pb.Error.Code.Name(error.code)
        self.message = error.message
        self.hint = error.hint
        self.output = error.output
        self.failure = error.failure


class Client:
    def __init__(self, path, hello=True, uid=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(TIMEOUT_S)
        self.uid = uid
        self.connect_as(str(path), uid)
        self.buffer = b""
        self.last_id = 0
        self.hello = None
        if hello:
            self.hello = self.call(hello=pb.HelloRequest(protocol_version=PROTOCOL_VERSION, client="test")).hello

    def connect_as(self, path, uid):
        """The kernel takes the identity of whoever connects, at that moment."""
        if uid is None:
            self.socket.connect(path)
            return
        os.setegid(uid)
        os.setgroups([])
        os.seteuid(uid)
        try:
            self.socket.connect(path)
        finally:
            os.seteuid(0)
            os.setegid(0)

    def sealed_memfd(self, data):
        """One that is the user's own, as the daemon wants it. Of this thread alone, unlike seteuid()."""
        libc = ctypes.CDLL(None)
        before = libc.setfsuid(os.geteuid() if self.uid is None else self.uid)
        try:
            return sealed_memfd(data)
        finally:
            libc.setfsuid(before)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def send_bytes(self, data, fds=()):
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        sent = self.socket.sendmsg([data], ancillary)
        if sent < len(data):
            self.socket.sendall(data[sent:])

    def send(self, fds=(), **request):
        self.last_id += 1
        payload = pb.Request(id=self.last_id, **request).SerializeToString()
        self.send_bytes(varint(len(payload)) + payload, fds)
        return self.last_id

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise Closed()
        self.buffer += data

    def receive(self):
        length = shift = at = 0
        while True:
            while at >= len(self.buffer):
                self._more()
            byte = self.buffer[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        while len(self.buffer) < at + length:
            self._more()
        reply = pb.Reply.FromString(self.buffer[at:at + length])
        assert leaks(reply) == [], "a client is told of what is the daemon's own"
        self.buffer = self.buffer[at + length:]
        return reply

    def replies(self, request_id):
        """Those to one request, up to its last; an Error is raised."""
        while True:
            reply = self.receive()
            if reply.id != request_id:
                continue
            if reply.HasField("error"):
                raise Failed(reply.error)
            yield reply
            if reply.last:
                return

    def call(self, fds=(), **request):
        for reply in self.replies(self.send(fds, **request)):
            pass
        return reply

    def status(self, await_clock=True):
        return self.call(status=pb.StatusRequest(await_clock=await_clock)).status

    def until(self, condition, what="it came to pass"):
        """Asks for the status, whose answer comes after whatever came before, until the condition holds."""
        deadline = time.monotonic() + TIMEOUT_S
        while not condition():
            assert time.monotonic() < deadline, f"not within {TIMEOUT_S} s: {what}"
            self.status()

    def module_fds(self, module, libraries=()):
        data = module if isinstance(module, bytes) else module.read_bytes()
        return [self.sealed_memfd(data)] + [self.sealed_memfd(path.read_bytes()) for path in libraries]

    def submit(self, module, libraries=(), input_files=(), **options):
        """Sends a RunRequest for a path or bytes; input_files: the bytes, or a descriptor, of each of input_names. Returns the request's id."""
        fds = self.module_fds(module, libraries)
        fds += [self.sealed_memfd(of) if isinstance(of, bytes) else of for of in input_files]
        name = "module" if isinstance(module, bytes) else module.name
        request = pb.RunRequest(module_name=name, library_names=[path.name for path in libraries], **options)
        try:
            return self.send(fds, run=request)
        finally:
            for fd in fds:
                os.close(fd)

    def detach(self, module, libraries=(), **options):
        """Submits a run that needs nobody; returns its Accepted."""
        for reply in self.replies(self.submit(module, libraries, detach=True, **options)):
            pass
        return reply.accepted

    def until_stage(self, request_id, stage):
        """The first progress of that stage, of the replies to a request."""
        for reply in self.replies(request_id):
            if reply.HasField("progress") and reply.progress.stage == stage:
                return reply.progress

    def start(self, module):
        """A detached job that is being measured; its id."""
        accepted = self.detach(module, **FOREVER)
        self.until_stage(self.send(wait=pb.WaitRequest(run_id=accepted.run_id)), pb.Progress.MEASURING)
        return accepted.run_id

    def wait(self, run_id):
        return self.collect(self.send(wait=pb.WaitRequest(run_id=run_id)))

    def show(self, run_id):
        return self.collect(self.send(show=pb.ShowRequest(run_id=run_id)))

    def history(self, **options):
        return self.call(history=pb.HistoryRequest(**options)).history.entries

    def cancel_job(self, run_id):
        return self.call(cancel=pb.CancelRequest(run_id=run_id)).cancel.found

    def pin(self, run_id, pinned=True):
        return self.call(pin=pb.PinRequest(run_id=run_id, pinned=pinned)).pin

    def collect(self, request_id):
        """What a run gave: a Run."""
        run = Run()
        for reply in self.replies(request_id):
            if reply.HasField("accepted"):
                run.accepted = reply.accepted
            elif reply.HasField("progress"):
                run.progress.append(reply.progress)
            elif reply.HasField("benchmark"):
                run.benchmarks[f"{reply.benchmark.area}/{reply.benchmark.name}" + "".join(
                    f"/{arg.name}={argument(arg)}" for arg in reply.benchmark.args) + (
                    f" threads={reply.benchmark.threads}" if reply.benchmark.threads > 1 else "") + (
                    " old" if reply.benchmark.side == "old" else "")] = reply.benchmark
            elif reply.HasField("result"):
                run.result = reply.result
        return run

    def run(self, module, libraries=(), **options):
        return self.collect(self.submit(module, libraries, **options))

    def compare(self, new, old, new_libraries=(), old_libraries=(), names=(None, None), **options):
        return self.collect(self.submit_compare(new, old, new_libraries, old_libraries, names, **options))

    def submit_compare(self, new, old, new_libraries=(), old_libraries=(), names=(None, None), **options):
        """Asks for new and old, paths or ids of earlier jobs, in turns; names: the one benchmark of each. Returns the request's id."""
        def side(module, libraries, job):
            if isinstance(module, str):
                return {job: module}, []
            return ({"module_name": module.name, "library_names": [path.name for path in libraries]},
                    self.module_fds(module, libraries))

        of_new, fds = side(new, new_libraries, "stored_run_id")
        of_old, old_fds = side(old, old_libraries, "run_id")
        fds = fds + old_fds
        request = pb.RunRequest(comparison=pb.Comparison(new_benchmark=names[0], benchmark=names[1], **of_old),
                                **of_new, **options)
        try:
            return self.send(fds, run=request)
        finally:
            for fd in fds:
                os.close(fd)

    def list(self, module, libraries=(), **options):
        fds = self.module_fds(module, libraries)
        request = pb.ListRequest(module_name="module", library_names=[path.name for path in libraries], **options)
        try:
            return self.call(fds, list=request).listing
        finally:
            for fd in fds:
                os.close(fd)


    def inspect(self, module, benchmark=None, libraries=(), **options):
        """Asks what the file of module tells, a path or the id of an earlier job."""
        if isinstance(module, str):
            return self.call(inspect=pb.InspectRequest(stored_run_id=module, benchmark=benchmark, **options)).inspection
        fds = self.module_fds(module, libraries)
        request = pb.InspectRequest(module_name=module.name, library_names=[path.name for path in libraries],
                                    benchmark=benchmark, **options)
        try:
            return self.call(fds, inspect=request).inspection
        finally:
            for fd in fds:
                os.close(fd)


class Run:
    def __init__(self):
        self.accepted = None
        self.progress = []
        self.benchmarks = {}
        self.result = None

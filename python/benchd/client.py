# SPDX-License-Identifier: MIT
"""The connection: frames of protobuf, as PROTOCOL.md tells, and the requests as methods.

Replies to several requests come mixed. Each request has a queue, so a second one may be made while the first is under way, also from
a callback. A connection is of one thread.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union
from weakref import WeakValueDictionary

from google.protobuf.message import DecodeError

from . import benchd_pb2 as pb
from . import commands as whole_commands
from .errors import BenchdError, ConnectionLostError, RequestError
from .module import FilePath, Files, named, sent
from .run import Comparison, Run
from .transport import CommandTransport, SocketTransport, read_varint, ssh_command, varint
from .version import VERSION

PROTOCOL_VERSION = 0
SYSTEM_SOCKET = "/run/benchd/benchd.sock"
NAME = f"python3-benchd {VERSION}"

OnProgress = Callable[[pb.Progress], object]
Event = Union[pb.Progress, pb.BenchmarkResult]


def _options(message: type[Any], options: Mapping[str, Any]) -> Any:
    """A request of these fields, whose refusals name the option."""
    made = message()
    for name, value in options.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise TypeError(f"{message.DESCRIPTOR.name} has no option {name!r}: benchd.proto lists them.")
        if value is None:
            continue
        if name == "environment" and isinstance(value, Mapping):
            value = [f"{key}={text}" for key, text in value.items()]
        try:
            made.MergeFrom(message(**{name: value}))
        except (TypeError, ValueError) as error:
            raise type(error)(f"The option {name} does not take {value!r}: {error}.") from None
    return made


class _Replies:
    """The replies to one request, in order, up to its last; an error is raised. An interrupted wait can be taken up again."""

    def __init__(self, client: Client) -> None:
        self.queue: deque[pb.Reply] = deque()
        self._client = client
        self._over = False

    def __iter__(self) -> _Replies:
        return self

    def __next__(self) -> pb.Reply:
        if self._over:
            raise StopIteration
        reply = self._client._await(self)
        self._over = reply.last
        if reply.HasField("error"):
            self._over = True
            raise RequestError(reply.error)
        return reply


class Job:
    """A run under way, or one that is waited for. Iterating gives what happens, as it happens; result() what it came to."""

    def __init__(self, client: Client, request: int) -> None:
        self._client = client
        self._request = request
        self._replies = client._replies(request)
        self._rows: list[pb.BenchmarkResult] = []
        self._result: pb.RunResult | None = None
        self._error: RequestError | None = None
        self.accepted: pb.Accepted | None = None

    @property
    def run_id(self) -> str | None:
        """None before the daemon has accepted it."""
        return self.accepted.run_id if self.accepted else None

    def __iter__(self) -> Iterator[Event]:
        """Its progress, and each benchmark when it is complete. A loop that was left can be taken up by another one."""
        try:
            for reply in self._replies:
                if reply.HasField("accepted"):
                    self.accepted = reply.accepted
                elif reply.HasField("progress"):
                    yield reply.progress
                elif reply.HasField("benchmark"):
                    self._rows.append(reply.benchmark)
                    yield reply.benchmark
                elif reply.HasField("result"):
                    self._result = reply.result
        except RequestError as error:
            self._error = error
            raise

    def cancel(self) -> None:
        """Ends a run, whose result then has what is complete; ends a wait, and not its job. A job that is over stays as it is."""
        self._client._send(cancel=pb.CancelRequest(request_id=self._request))

    def result(self, on_progress: OnProgress | None = None) -> Run:
        """Waits for the end. If it is left by an exception, as by Ctrl-C, the job is cancelled; what is complete is then had by another call."""
        try:
            for event in self:
                if on_progress and isinstance(event, pb.Progress):
                    on_progress(event)
        except BenchdError:
            raise
        except BaseException:
            self.cancel()
            raise
        if self._error:
            raise self._error
        if self._result is None:
            raise BenchdError("A detached job has no result here: submit() it, and wait() for it.")
        return Run.of(self._result, self._rows)


class Client:
    """A connection to the daemon at a socket, or over a transport. Close it, or use it in a with statement."""

    def __init__(self, way: FilePath | SocketTransport | CommandTransport, name: str = NAME) -> None:
        self._transport = way if isinstance(way, (SocketTransport, CommandTransport)) else SocketTransport(way)
        self._received = b""
        self._last_id = 0
        self._open: WeakValueDictionary[int, _Replies] = WeakValueDictionary()
        try:
            self.hello = self.call(hello=pb.HelloRequest(protocol_version=PROTOCOL_VERSION, client=name)).hello
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, and with it the runs that were started on it and are not over."""
        self._transport.close()

    # ---- frames

    def _send(self, fds: Sequence[int] = (), **request: Any) -> int:
        self._last_id += 1
        message = pb.Request(id=self._last_id, **request).SerializeToString()
        try:
            self._transport.send(varint(len(message)) + message, fds)
        except OSError as error:
            self._raise_last_words()
            raise ConnectionLostError(f"Lost the daemon: {error.strerror or error}.") from None
        return self._last_id

    def _receive(self) -> pb.Reply:
        while True:
            head = read_varint(self._received)
            if head and len(self._received) >= sum(head):
                length, start = head
                message, self._received = self._received[start:start + length], self._received[start + length:]
                break
            try:
                data = self._transport.receive()
            except OSError as error:
                raise ConnectionLostError(f"Lost the daemon: {error.strerror or error}.") from None
            if not data:
                raise ConnectionLostError("Lost the daemon: it closed the connection.")
            self._received += data
        reply = pb.Reply()
        with contextlib.suppress(DecodeError):
            if reply.MergeFromString(message) == len(message):
                return reply
        raise ConnectionLostError("The program at the other end is not benchd: it sends no message of its protocol.")

    def _raise_last_words(self) -> None:
        """What the daemon said of the connection before it closed it, as where it has too many."""
        with contextlib.suppress(ConnectionLostError):
            while True:
                reply = self._receive()
                if reply.id == 0 and reply.HasField("error"):
                    raise RequestError(reply.error)

    def _await(self, replies: _Replies) -> pb.Reply:
        """The next one of @replies; those to other requests are kept for whoever holds them, and to requests given up for nobody."""
        while not replies.queue:
            reply = self._receive()
            if reply.id == 0 and reply.HasField("error"):
                raise RequestError(reply.error)
            others = self._open.get(reply.id)
            if others is not None:
                others.queue.append(reply)
        return replies.queue.popleft()

    def _replies(self, request: int) -> _Replies:
        self._open[request] = replies = _Replies(self)
        return replies

    def call(self, fds: Sequence[int] = (), **request: Any) -> pb.Reply:
        """Sends any request, by the name of its alternative in Request, and returns its last reply."""
        reply = pb.Reply()
        for reply in self._replies(self._send(fds, **request)):
            pass
        return reply

    # ---- runs

    def start(self, module: FilePath, *filters: str, libraries: Files = (), preload: Files = (), inputs: Files = (), flags: Sequence[str] = (),
              **options: Any) -> Job:
        """Submits a run of a module, or of a source, which is compiled with @flags; "@JOB" stands for an earlier job's module.

        @libraries are those that the module needs and the system lacks, by the names that it needs them by; those of @preload stand right behind
        the module in the order of symbols, such as another allocator; @inputs are files for the body. All are paths, or {name: path}. The
        result tells the commit of $BENCHD_COMMIT, or {"id": ...} of the option commit, of which compare() speaks for the new side.
        """
        request = _options(pb.RunRequest, options)
        request.filters.extend(filters)
        request.input_names.extend(named(inputs))
        path = _fill_side(request, "stored_run_id", module, libraries, preload)
        _tell_commit(request)
        with sent(path, [preload, libraries], inputs, flags) as fds:
            return Job(self, self._send(fds, run=request))

    def run(self, module: FilePath, *filters: str, on_progress: OnProgress | None = None, check: bool = True, **options: Any) -> Run:
        """Measures, and waits for the end. Arguments as for start(). With @check a benchmark that fails raises BenchmarkError."""
        run = self.start(module, *filters, **options).result(on_progress)
        return run.check() if check else run

    def compare(self, old: FilePath, new: FilePath, *filters: str, old_libraries: Files = (), new_libraries: Files = (),
                old_preload: Files = (), new_preload: Files = (), inputs: Files = (), old_benchmark: str | None = None, new_benchmark: str | None = None, flags: Sequence[str] = (),
                on_progress: OnProgress | None = None, check: bool = True, **options: Any) -> Comparison:
        """Measures two modules in turns. @old_benchmark and @new_benchmark, given together, name the one benchmark of each side."""
        request = _options(pb.RunRequest, options)
        request.filters.extend(filters)
        request.input_names.extend(named(inputs))
        new_path = _fill_side(request, "stored_run_id", new, new_libraries, new_preload)
        _tell_commit(request)
        old_path = _fill_side(request.comparison, "run_id", old, old_libraries, old_preload)
        if old_benchmark is not None:
            request.comparison.benchmark = old_benchmark
        if new_benchmark is not None:
            request.comparison.new_benchmark = new_benchmark
        new_sent, old_sent = sent(new_path, [new_preload, new_libraries], (), flags), sent(old_path, [old_preload, old_libraries], inputs, flags)
        with new_sent as new_fds, old_sent as old_fds:
            job = Job(self, self._send(new_fds + old_fds, run=request))
        run = job.result(on_progress)
        return Comparison.of(run.check() if check else run)

    def exec(self, *commands: whole_commands.Command, check: bool = True, **options: Any) -> Run | Comparison:
        """Measures whole commands, each a script for the shell; the last may be a program with its arguments, as a list. Several are each compared
        with the first, and the result is a Comparison; of one it is a Run.

        They run as this user, in this directory and with this environment, below a process of benchctl. Options are those of benchctl exec:
        warmup=3, prepare="make clean", ignore_failure=True, parameter_list=("n", "1,2"); a list is an option given several times. Each
        run is a sample of its process: run.benchmark.processes[0].samples has its time, and its counters.
        """
        if not isinstance(self._transport, SocketTransport):
            raise BenchdError("Commands run on this machine only: exec() needs the client of a socket.")
        run = self.show(whole_commands.run_id_of(self._transport.path, commands, options))
        if check:
            run.check()
        return Comparison.of(run) if run.result.comparisons else run

    def submit(self, module: FilePath, *filters: str, **options: Any) -> str:
        """Submits a run that outlives this connection. Returns its id, for wait() and show()."""
        job = self.start(module, *filters, detach=True, **options)
        for _ in job:
            pass
        assert job.run_id is not None
        return job.run_id

    # ---- jobs

    def follow(self, run_id: str) -> Job:
        """A job of any connection, from now on."""
        return Job(self, self._send(wait=pb.WaitRequest(run_id=run_id)))

    def wait(self, run_id: str, on_progress: OnProgress | None = None) -> Run:
        """Waits for the end of a job. Ctrl-C ends the wait alone."""
        return self.follow(run_id).result(on_progress)

    def show(self, run_id: str) -> Run:
        """The result of a job that is over."""
        return Job(self, self._send(show=pb.ShowRequest(run_id=run_id))).result()

    def history(self, **query: Any) -> Sequence[pb.HistoryEntry]:
        """The jobs of this user, the latest first, narrowed by the fields of HistoryRequest: module_glob, since_unix_ns, state, limit, all_users."""
        return tuple(self.call(history=_options(pb.HistoryRequest, query)).history.entries)

    def cancel(self, run_id: str) -> bool:
        """Cancels a job of this user. False: it was over already, or never was."""
        return self.call(cancel=pb.CancelRequest(run_id=run_id)).cancel.found

    def pin(self, run_id: str, pinned: bool = True) -> pb.PinReply:
        """Keeps a job's module whatever the quota says, or no longer."""
        return self.call(pin=pb.PinRequest(run_id=run_id, pinned=pinned)).pin

    # ---- questions

    def list(self, module: FilePath, *filters: str, libraries: Files = (), preload: Files = (), flags: Sequence[str] = (), **options: Any) -> Sequence[pb.BenchmarkInfo]:
        """The benchmarks of a module."""
        request = _options(pb.ListRequest, options)
        request.filters.extend(filters)
        path = _fill_side(request, "", module, libraries, preload)
        with sent(path, [preload, libraries], (), flags) as fds:
            return tuple(self.call(fds, list=request).listing.benchmarks)

    def status(self, await_clock: bool = False) -> pb.Status:
        """The daemon, its clock, its queue; with @await_clock after the first calibration of the clock."""
        return self.call(status=pb.StatusRequest(await_clock=await_clock)).status


def _fill_side(request: Any, stored: str, module: FilePath, libraries: Files, preload: Files) -> FilePath | None:
    """One side of a request: the names of its files, or the job whose module it is. Returns the path to send."""
    if stored and isinstance(module, str) and module.startswith("@"):
        setattr(request, stored, module[1:])
        return None
    request.module_name = os.path.basename(os.fspath(module))
    request.library_names.extend([*named(preload), *named(libraries)])
    if preload:
        request.preloaded = len(named(preload))
    return module


def _tell_commit(request: pb.RunRequest) -> None:
    """The commit of the environment, as benchctl takes it, where no option names one and no earlier job has its own."""
    told = os.environ.get("BENCHD_COMMIT")
    if told and not request.HasField("commit") and not request.HasField("stored_run_id"):
        request.commit.id = told.removesuffix("-dirty")
        request.commit.dirty = told.endswith("-dirty")


def connect(path: FilePath | None = None, host: str | None = None) -> Client:
    """A client of the daemon at @path, else at $BENCHD_SOCKET, else of the system's; with @host of that machine's, over ssh."""
    if host is not None:
        if path is not None:
            raise TypeError("connect() takes a socket of this machine or another machine's name, not both.")
        return bridge(ssh_command(host))
    return Client(path if path is not None else os.environ.get("BENCHD_SOCKET") or SYSTEM_SOCKET)


def bridge(command: Sequence[str]) -> Client:
    """A client of the daemon that @command leads to, by `benchctl bridge` where that is: ["srun", "-w", "node1", "benchctl", "bridge"]."""
    return Client(CommandTransport(command))

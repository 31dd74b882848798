# SPDX-License-Identifier: MIT
"""A client of benchd, the benchmark daemon: measures modules, and compares them, from a Python program.

    import benchd

    with benchd.private() as client:            # or benchd.connect(), to the system's daemon
        run = client.run("mybench.c", quick=True)
        for name, row in run.benchmarks.items():
            print(name, row.time_ns.point, "ns")

A module is a shared object, or a source in C or C++, which is compiled first. Results are the messages of benchd.proto
(`benchd.pb`), whose comments there say what each field is. A field without a value is absent, not 0: ask HasField().

Options of a run are the fields of RunRequest by their names, such as quick=True, processes=20 or budget_ns=10**9.

    connect(), private()    a Client of the system's daemon, or with host= of another machine's; one of a daemon of its own
    bridge()                a Client of the daemon that another command leads to
    Client                  run, compare, exec, list, status, history, show, wait, submit, cancel, pin
    Client.start() -> Job   a run under way: iterate over what happens, cancel() it, take its result()
    Run, Comparison         what these came to
    BenchdError             every failure, in words; its subclasses tell which

benchd.pytest_plugin is a plugin for pytest.
"""

from . import benchd_pb2 as pb
from .client import Client, Job, bridge, connect
from .errors import BenchdError, CompileError, ConnectionLostError, NoDaemonError, RequestError
from .module import compile_module
from .private import private
from .run import BenchmarkError, Comparison, Run, row_name, word
from .version import VERSION as __version__

__all__ = [
    "BenchdError", "BenchmarkError", "Client", "Comparison", "CompileError", "ConnectionLostError", "Job", "NoDaemonError",
    "RequestError", "Run", "bridge", "compile_module", "connect", "pb", "private", "row_name", "word",
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""What every Python test shares: where the build is, and daemons and clients that a test owns."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from support.paths import BUILD, SOURCE, copy_programs, open_directory  # noqa: E402

sys.path.insert(0, str(BUILD / "proto"))

from support.benchctl import ANY, Benchctl  # noqa: E402
from support.daemon import Daemon, make_state  # noqa: E402
from support.modules import Modules, of_session  # noqa: E402

os.umask(0o022)  # other users read what a test writes and compiles, whatever the umask of whoever runs the tests


def pytest_configure(config):
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # as under nohup, which programs respect; the tests are of those that are not
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if not (BUILD / "proto" / "benchd_pb2.py").exists():
        raise pytest.UsageError(f"no build in {BUILD}: run scripts/run-tests, or name one in BENCHD_BUILD")


@pytest.fixture(scope="session")
def build():
    return BUILD


@pytest.fixture(scope="session", autouse=True)
def private_state(tmp_path_factory):
    """Private runs leave their results here, and compiled sources their modules, not in the directories of whoever runs the tests."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def modules(tmp_path_factory):
    """Compiles modules of a test's own: modules(name, source_text_or_path, *flags) -> path."""
    return Modules(SOURCE, of_session(tmp_path_factory, "modules"))


@pytest.fixture(scope="session")
def build_for_all(build):
    """The daemon's programs where other users may run them, wherever the build lies."""
    with open_directory() as path:
        yield copy_programs(build, path)


@pytest.fixture(scope="session")
def benchctl_for_all(build):
    """A benchctl where other users may run it, wherever the build lies."""
    with open_directory() as path:
        shutil.copy(build / "client/ctl/benchctl", path)
        (path / "benchctl").chmod(0o755)
        yield path / "benchctl"


@pytest.fixture
def state():
    """A state directory, below one that everybody may enter."""
    with open_directory() as path:
        yield make_state(path)


@pytest.fixture
def daemon(tmp_path):
    """It does not look for a neighbour on the core, so that no stranger decides how many samples there are. test_neighbour.py has one that does."""
    with Daemon(BUILD, tmp_path, launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def kept(build, state):
    """Starts daemons on one state directory, one after another."""
    return lambda **options: Daemon(build, state.parent, state=state, **options)


@pytest.fixture
def client(daemon):
    with daemon.connect() as client:
        yield client


@pytest.fixture
def benchctl(build, daemon):
    return Benchctl(build, f"--socket={daemon.socket}")


@pytest.fixture
def typed(build, tmp_path):
    """benchctl as typed in a directory of its own where no daemon is."""
    return Benchctl(build, cwd=tmp_path, BENCHD_SOCKET=tmp_path / "no-daemon.sock", XDG_STATE_HOME=tmp_path / "state")


@pytest.fixture
def on_a_terminal(typed):
    """Runs benchctl on a terminal of so many columns; returns the lines that it shows there."""
    def run(columns, *words, **environment):
        terminal = typed.on_terminal(*words, everything=True, columns=columns, stderr=subprocess.DEVNULL, **{"NO_COLOR": "1", **environment})
        terminal.end(ANY)
        return terminal.seen.decode().replace("\r", "").splitlines()

    return run


@pytest.fixture(scope="session")
def simulated_build(build):
    """A build whose daemon measures by a clock that modules move (support/tree.py), if it is told --no-tsc."""
    from support import tree

    with open_directory() as directory:
        yield tree.make_simulated(build, directory)


@pytest.fixture
def simulated_daemon(simulated_build, tmp_path_factory):
    with Daemon(simulated_build, tmp_path_factory.mktemp("simulated"), launch=["--no-tsc"]) as daemon:
        yield daemon


@pytest.fixture
def simulated(simulated_daemon):
    """A client of a daemon whose clock is simulated."""
    with simulated_daemon.connect() as client:
        yield client

# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of the configuration hold as many jobs as they say, or the daemon does not start and says what it lacks."""

import os
import resource
import shutil

import pytest

from support.daemon import Daemon
from support.modules import EMPTY
from support.paths import open_directory

TOUCHES = "file-limit"

LONG = "#include <poll.h>\nBENCH(long) { bench_loop(b) poll(NULL, 0, 600000); }"


@pytest.fixture
def directory():
    """One that the front-end's user may enter."""
    with open_directory() as path:
        yield path


def limits(jobs, per_user):
    return f"[queue]\njobs={jobs}\njobs_per_user={per_user}\njobs_for_root=0\n[connections]\nclients=64\n"


def with_files(n):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and most < n:
        pytest.skip(f"needs a limit of {n} open files")
    return ["prlimit", f"--nofile={n}"]


def fill(client, n, send):
    """Sends so many runs on a few connections, and tells of each whether it was accepted."""
    return [client.detach(*send).run_id for _ in range(n)]


def open_files(daemon):
    return len(os.listdir(f"/proc/{daemon.find('benchd-launch')[0]}/fd"))


def test_a_queue_of_jobs_with_libraries_is_held(build, directory, modules):
    """64 jobs with 16 libraries are 1088 descriptors in the launcher."""
    library = modules("#include <benchd/bench.h>\nint nothing(void);\nint nothing(void) { return 0; }")
    libraries = [directory / f"lib{i}.so" for i in range(16)]
    for path in libraries:
        shutil.copy(library, path)
    with Daemon(build, directory, config=limits(64, 64), wrapper=with_files(3680), launch=["--no-probes"]) as daemon:
        with daemon.connect() as client:
            before = open_files(daemon)
            accepted = fill(client, 64, (modules(LONG), libraries))
            assert len(set(accepted)) == 64
            assert open_files(daemon) >= before + 60 * 17
            assert client.status().queued >= 60
            for run_id in accepted:
                client.cancel_job(run_id)
            client.until(lambda: open_files(daemon) <= before + 1)


def test_as_many_jobs_are_held_as_the_configuration_says(build, directory, modules):
    module = modules(LONG)
    with Daemon(build, directory, config=limits(150, 150), wrapper=with_files(16384), launch=["--no-probes"]) as daemon:
        with daemon.connect() as client:
            accepted = fill(client, 150, (module,))
            assert len(set(accepted)) == 150
            for run_id in accepted:
                client.cancel_job(run_id)


@pytest.mark.parametrize("files, jobs, words", [
    (1024, 64, "queue.jobs=64 and connections.clients=64 take 3488 open files, and the limit is 1024"),
    (3500, 64, None),
    (16384, 300, None),
    (16384, 320, "queue.jobs=320 and connections.clients=64 take 16800 open files, and the limit is 16384"),
])
def test_limits_that_cannot_be_held_are_refused_at_the_start(build, directory, files, jobs, words):
    daemon = Daemon(build, directory, config=limits(jobs, 8), wrapper=with_files(files))
    if words is None:
        with daemon, daemon.connect() as client:
            assert client.status().daemon
        return
    with pytest.raises(AssertionError, match="did not start"):
        daemon.__enter__()
    daemon.process.stdin.close()
    assert daemon.process.wait(timeout=60) != 0
    daemon.process.stdout.close()
    daemon.stderr.close()
    assert words in daemon.errors() and "LimitNOFILE=" in daemon.errors()


def test_limits_that_are_not_named_are_lowered_to_what_fits(build, directory, modules):
    with Daemon(build, directory, wrapper=with_files(512), launch=["--no-probes"]) as daemon, daemon.connect() as client:
        assert "queue.jobs=" in daemon.errors() and "limit of open files is low" in daemon.errors()
        assert client.run(modules(EMPTY), quick=True).result.verdict

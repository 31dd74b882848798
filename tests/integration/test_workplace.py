# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench.h promises to a body: a directory, space, descriptors, printing. What it does not get is an error with a name."""

import contextlib
import os
import pathlib

import pytest

from support.client import BRIEF
from support.paths import WITHOUT_NAMESPACES, open_directory
from support.daemon import Daemon
from support.processes import NO_MOUNTS, NO_NAMESPACES, may_have_namespaces, may_mount

TOUCHES = "workplace process-fds keeper"

UNIT = pathlib.Path(__file__).parents[2] / "systemd" / "benchd-launch.service.in"
MODULE = pathlib.Path(__file__).parent / "modules" / "workplace.c"
PROMISES = ["memfd", "file", "descriptors", "socketpairs", "relative", "tmpdir", "tree", "printing"]
USER = 4321
MIB = 1 << 20


RIGHTLESS = [*WITHOUT_NAMESPACES, "setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]  # root in a container: it may not mount


@contextlib.contextmanager
def started(build, **options):
    with open_directory() as directory:
        if "user" in options:
            os.chown(directory, USER, USER)
        with (Daemon(build, directory, launch=["--no-probes"], **options) as daemon,
              daemon.connect(**{"uid": USER} if "user" in options else {}) as client):
            yield daemon, client
        assert [path.name for path in directory.iterdir()] == ["daemon.stderr"]


@pytest.fixture(params=["as it is", "as a user", "without namespaces", "as a user without namespaces"])
def anybody(request, build_for_all):
    """A daemon of whoever runs the tests, and one of an ordinary user; and both where a runner gets no namespaces of its own."""
    options = dict(user=USER, group=USER, extra_groups=[]) if "as a user" in request.param else {}
    if options and os.geteuid() != 0:
        pytest.skip("needs root, to start a daemon as somebody else")
    if "without namespaces" in request.param:
        options["wrapper"] = WITHOUT_NAMESPACES
    with started(build_for_all, **options) as pair:
        yield pair


def work_files(daemon):
    """The names of all files below the directories of runners, as the zygote sees them, which may be removing one."""
    zygote = daemon.find("benchd-zygote")[0]
    seen = pathlib.Path(f"/proc/{zygote}/root")
    bases = [seen / "run/benchd/work", pathlib.Path(f"{daemon.socket}.work")]
    try:
        assert any(base.is_dir() for base in bases)
    except PermissionError:
        pytest.skip("needs CAP_SYS_PTRACE, to see what the zygote sees")
    return [name for base in bases for _, directories, files in os.walk(base) for name in directories + files]


@pytest.mark.parametrize("promise", PROMISES)
def test_a_body_has_what_the_header_promises(anybody, modules, promise):
    _, client = anybody
    result = client.run(modules(MODULE), filters=[f"workplace/{promise}"], **BRIEF).benchmarks[f"workplace/{promise}"]

    assert not result.HasField("failed"), (result.failed.message, result.output)


def test_each_process_finds_its_directory_empty_and_nothing_is_left(anybody, modules):
    daemon, client = anybody
    run = client.run(modules(MODULE), filters=["workplace/litter"], **{**BRIEF, "processes": 5})
    assert not run.benchmarks["workplace/litter"].HasField("failed"), run.benchmarks["workplace/litter"].failed.message

    client.run(modules(MODULE), filters=["workplace/relative"], **BRIEF)  # its birth comes after the others were removed
    assert [name for name in work_files(daemon) if "litter" in name] == []


def test_whoever_hits_the_limit_of_a_file_reads_it_in_the_error(anybody, modules):
    _, client = anybody
    counters = run_counters(client, modules, "one_file")

    assert counters["written"] == 256 * MIB
    assert counters["efbig"] == 1


def test_all_files_together_have_a_limit_where_the_daemon_may_mount(build, modules):
    if not may_mount():
        pytest.skip(NO_MOUNTS)
    with started(build, wrapper=WITHOUT_NAMESPACES) as (_, client):
        counters = run_counters(client, modules, "many_files")
        assert counters["enospc"] == 1
        assert 200 * MIB < counters["written"] <= 256 * MIB
        assert run_counters(client, modules, "many_files") == counters  # the first one's are gone


def size_in_kib(options):
    size = dict(option.split("=") for option in options.split(",") if "=" in option)["size"]
    return int(size[:-1]) * {"k": 1, "M": 1024}[size[-1]]


def test_the_daemon_mounts_as_its_unit_does_and_no_place_has_no_limit(build):
    if not may_mount():
        pytest.skip(NO_MOUNTS)
    lines = [line.split("=", 1)[1] for line in UNIT.read_text().splitlines() if line.startswith("TemporaryFileSystem=")]
    of_unit = {path: size_in_kib(options) for path, options in (line.split(":") for line in lines)}
    with started(build) as (daemon, _):
        zygote = daemon.find("benchd-zygote")[0]
        mounts = [line.split() for line in pathlib.Path(f"/proc/{zygote}/mounts").read_text().splitlines()]
        mounted = {path: size_in_kib(options) for name, path, _, options, *_ in mounts if name == "benchd"}

    assert of_unit["/run/benchd/work"] == 256 * 1024
    assert {path: size for path, size in mounted.items() if path != "/run/benchd"} == of_unit


def test_all_files_together_have_a_limit_in_namespaces_of_its_own(build_for_all, modules):
    """An ordinary user's daemon may mount in them."""
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    options = dict(user=USER, group=USER, extra_groups=[]) if os.geteuid() == 0 else {}
    with started(build_for_all, **options) as (daemon, client):
        counters = run_counters(client, modules, "many_files")
        assert counters["enospc"] == 1
        assert 200 * MIB < counters["written"] <= 256 * MIB
        assert run_counters(client, modules, "many_files") == counters
        assert work_files(daemon) == []


def run_counters(client, modules, name):
    result = client.run(modules(MODULE), filters=[f"workplace/{name}"], timeout_ns=60 * 10**9, **BRIEF).benchmarks[f"workplace/{name}"]
    assert not result.HasField("failed"), (result.failed.message, result.output)
    return {counter.name: counter.value for counter in result.counters}


def test_a_daemon_that_is_killed_leaves_nothing(build_for_all, modules):
    """As an ordinary user without namespaces, whose directories are not on a file system that goes with the daemon."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to start a daemon as somebody else")
    with open_directory() as directory:
        os.chown(directory, USER, USER)
        with Daemon(build_for_all, directory, launch=["--no-probes"], wrapper=WITHOUT_NAMESPACES, user=USER, group=USER, extra_groups=[]) as daemon:
            client = daemon.connect(uid=USER)
            client.submit(modules(MODULE), filters=["workplace/lingers"], timeout_ns=60 * 10**9, **BRIEF)
            work = pathlib.Path(f"{daemon.socket}.work")
            client.until(lambda: list(work.glob("*/*/ready")), "the benchmark is ready")
            daemon.die("benchd-launch")
            assert not work.exists()
            daemon.__enter__()


def test_a_start_removes_what_a_machine_that_went_down_left(build, modules):
    with open_directory() as directory:
        left = directory / "benchd.sock.work" / ("0123456789abcdef" * 2) / "work" / "deep" / "deeper"
        left.mkdir(parents=True)
        (left / "file").write_text("left")
        wrapper = RIGHTLESS if os.geteuid() == 0 else WITHOUT_NAMESPACES  # without the right to mount it works beside its socket
        with Daemon(build, directory, launch=["--no-probes"], wrapper=wrapper) as daemon, daemon.connect() as client:
            assert not client.run(modules(MODULE), filters=["workplace/relative"], **BRIEF).benchmarks["workplace/relative"].HasField("failed")
            assert not left.exists()
        assert not (directory / "benchd.sock.work").exists()


def test_a_link_in_place_of_the_directory_is_not_followed(build, modules):
    with open_directory() as directory, open_directory() as other:
        (directory / "benchd.sock.work").symlink_to(other)
        mode = other.stat().st_mode
        wrapper = RIGHTLESS if os.geteuid() == 0 else WITHOUT_NAMESPACES
        with Daemon(build, directory, launch=["--no-probes"], wrapper=wrapper) as daemon, daemon.connect() as client:
            result = client.run(modules(MODULE), filters=["workplace/nowhere"], **BRIEF).benchmarks["workplace/nowhere"]
            assert not result.HasField("failed"), result.failed.message
            assert "benchd.sock.work cannot be made" in daemon.errors()
        assert other.stat().st_mode == mode and list(other.iterdir()) == []


@pytest.fixture(params=["above", "beside"])
def closed(request, build):
    """Root's daemon without mounts or cells, whose socket lies where root alone may go, and a client."""
    if os.geteuid() != 0:
        pytest.skip("needs root, whose runners are another user")
    with open_directory() as directory:
        within = directory / "within"
        within.mkdir()
        (directory if request.param == "above" else within).chmod(0o700)
        with Daemon(build, within, launch=["--no-probes"], wrapper=RIGHTLESS) as daemon, daemon.connect() as client:
            yield daemon, client
        assert "cannot be made" not in daemon.errors()


@pytest.mark.parametrize("promise", PROMISES)
def test_a_daemon_whose_socket_is_in_a_closed_directory_keeps_the_promises(closed, modules, promise):
    _, client = closed
    result = client.run(modules(MODULE), filters=[f"workplace/{promise}"], **BRIEF).benchmarks[f"workplace/{promise}"]

    assert not result.HasField("failed"), (result.failed.message, result.output)


SAYS_WHERE = """
#include <stdio.h>
#include <stdlib.h>

BENCH(says) {
        printf("%s\\n", getenv("TMPDIR"));
        bench_loop(b) bench_clobber();
}
"""


def test_nothing_is_left_of_directories_that_lie_elsewhere(build, modules):
    if os.geteuid() != 0:
        pytest.skip("needs root, whose runners are another user")
    with open_directory() as directory:
        directory.chmod(0o700)
        with Daemon(build, directory, launch=["--no-probes"], wrapper=RIGHTLESS) as daemon, daemon.connect() as client:
            [result] = client.run(modules(SAYS_WHERE), **BRIEF).benchmarks.values()
            base = pathlib.Path(result.output.split()[0]).parents[1]
            assert base.name.startswith("benchd-work-") and base.is_dir() and base.stat().st_uid == 0
        assert not base.exists()


def test_both_sides_of_a_comparison_have_theirs_in_a_closed_directory_too(closed, modules):
    _, client = closed
    run = client.compare(modules(MODULE), modules(MODULE), filters=["workplace/tmpdir"], **{**BRIEF, "processes": 2})

    assert set(run.benchmarks) == {"workplace/tmpdir", "workplace/tmpdir old"}
    for result in run.benchmarks.values():
        assert not result.HasField("failed"), (result.failed.message, result.output)


def test_a_comparison_without_directories_is_measured_all_the_same(build, modules):
    """Somebody closes them while the daemon runs."""
    if os.geteuid() != 0:
        pytest.skip("needs root, whose runners are another user")
    with open_directory() as directory, Daemon(build, directory, launch=["--no-probes"], wrapper=RIGHTLESS) as daemon, daemon.connect() as client:
        (directory / "benchd.sock.work").chmod(0o700)
        run = client.compare(modules(MODULE), modules(MODULE), filters=["workplace/memfd"], **BRIEF)
        assert set(run.benchmarks) == {"workplace/memfd", "workplace/memfd old"}
        for result in run.benchmarks.values():
            assert not result.HasField("failed"), (result.failed.message, result.output)
        assert "has no directory to write to" in daemon.errors()


def test_the_directory_of_a_socket_with_a_relative_path_has_an_absolute_one(build, modules):
    with open_directory() as directory:
        wrapper = ["env", "--chdir", str(directory), *(RIGHTLESS if os.geteuid() == 0 else WITHOUT_NAMESPACES)]
        daemon = Daemon(build, directory, launch=["--no-probes", "--socket=benchd.sock"], wrapper=wrapper)
        with daemon, daemon.connect() as client:
            result = client.run(modules(MODULE), filters=["workplace/tmpdir"], **BRIEF).benchmarks["workplace/tmpdir"]
            assert not result.HasField("failed"), (result.failed.message, result.output)


def test_the_end_of_much_output_is_kept(daemon, client, modules):
    """300 MiB in one call: more than a file may have."""
    result = client.run(modules(MODULE), filters=["workplace/floods"], timeout_ns=60 * 10**9, **BRIEF).benchmarks["workplace/floods"]

    assert "signal 6" in result.failed.message
    assert result.output.endswith("the last words\n")
    assert any("64 KiB" in warning for warning in result.warnings)

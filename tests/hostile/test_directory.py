# SPDX-License-Identifier: GPL-3.0-or-later
"""--dir: a run's directory on a disk, by the rights of its user alone, and gone when the run is, however the daemon ends."""

import contextlib
import os
import pathlib
import stat
import subprocess
import time

import pytest

from support.client import BRIEF, Failed
from support.daemon import Daemon
from support.paths import WITHOUT_NAMESPACES, open_directory
from support.processes import END_TIMEOUT_S

TOUCHES = "keeper workplace"

MODULE = pathlib.Path(__file__).parent / "modules" / "directory.c"
USER, OTHER = 4321, 4322

if os.geteuid() != 0:
    pytest.skip("needs root, to be several users", allow_module_level=True)


def await_that(condition):
    deadline = time.monotonic() + END_TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        os.sched_yield()


def await_empty(directory):
    await_that(lambda: not os.listdir(directory))


@pytest.fixture
def places():
    """A directory that every user may enter, on a disk."""
    with open_directory("/var/tmp") as path:
        yield pathlib.Path(path)


def place(places, name, uid=USER, mode=0o700):
    path = places / name
    path.mkdir()
    os.chown(path, uid, uid)
    path.chmod(mode)
    return path


def daemon_of(build, directory, kind="root"):
    """Root's, with cells or without, or an ordinary user's own."""
    if kind == "user":
        os.chown(directory, USER, USER)
    return Daemon(build, directory, launch=["--no-probes"], wrapper=WITHOUT_NAMESPACES if kind == "bare" else (),
                  **(dict(user=USER, group=USER, extra_groups=[]) if kind == "user" else {}))


@contextlib.contextmanager
def started(build, kind="root"):
    """Such a daemon, and a client of an ordinary user."""
    with open_directory() as directory, daemon_of(build, directory, kind) as daemon, daemon.connect(uid=USER) as client:
        yield daemon, client


@pytest.fixture(scope="module", params=["root", "bare", "user"])
def client(build_for_all, request):
    with started(build_for_all, request.param) as (_, client):
        yield client


@pytest.fixture(scope="module")
def of_root(build_for_all):
    with started(build_for_all) as (_, client):
        yield client


@pytest.fixture(scope="module")
def module(modules):
    return modules(MODULE)


def run(client, module, directory, name="is_told", **options):
    done = client.run(module, filters=[f"*/{name}"], directory=str(directory), **{**BRIEF, **options})
    row, = done.benchmarks.values()
    return done, row


def refusal(client, module, directory):
    _, row = run(client, module, directory)
    assert row.failed.code == "directory", row
    return row.failed.message


def test_a_run_has_a_directory_of_its_own_on_the_disk(client, module, places):
    directory = place(places, "own")
    done, row = run(client, module, directory, processes=3)

    assert not row.HasField("failed"), row.failed.message
    counters = {counter.name: counter.value for counter in row.counters}
    assert counters["uid"] == counters["own_uid"] == USER
    assert (counters["mode"], counters["temporary_is_it"], counters["is_tmpfs"]) == (0o700, 1, 0)
    assert counters["entries"] <= 1, "nothing but the module's own name"
    assert "memory" not in row.files and "disk" in row.files
    control, = [control for control in done.result.environment.controls if control.name == "directory"]
    assert getattr(control, "is") == str(directory)
    await_empty(directory)


def test_whatever_a_body_leaves_is_removed(client, module, places):
    directory = place(places, "own")
    (directory / "kept").write_text("of the user")
    _, row = run(client, module, directory, "litters")

    assert not row.HasField("failed"), row.failed.message
    await_that(lambda: os.listdir(directory) == ["kept"])
    assert pathlib.Path("/etc/passwd").exists()


def test_a_directory_of_another_user_gives_what_it_gives_that_user(client, module, places):
    closed = place(places, "closed", OTHER, 0o755)
    message = refusal(client, module, closed)
    assert f"{closed}: Permission denied" in message and str(USER) in message
    assert "benchd-run" in message
    hidden = place(places, "hidden", OTHER, 0o700)
    inner = place(hidden, "inner", USER)
    assert "Permission denied" in refusal(client, module, inner)
    for directory in (closed, inner):
        assert os.listdir(directory) == []
    shared = place(places, "shared", OTHER, 0o1777)
    assert not run(client, module, shared)[1].HasField("failed")
    await_empty(shared)


def test_each_path_that_is_no_directory_has_the_kernels_word(client, module, places):
    file = places / "file"
    file.write_text("")
    (places / "loop").symlink_to("loop")
    (places / "to closed").symlink_to(place(places, "closed", OTHER))
    (places / "to own").symlink_to(place(places, "own"))

    assert "No such file or directory" in refusal(client, module, places / "missing")
    assert "Not a directory" in refusal(client, module, file)
    assert "Too many levels of symbolic links" in refusal(client, module, places / "loop")
    assert "Permission denied" in refusal(client, module, places / "to closed")
    assert not run(client, module, places / "to own")[1].HasField("failed")
    await_empty(places / "own")


@pytest.mark.parametrize("directory", ["", "relative", "./here", "/" + 200 * "d"])
def test_a_path_that_no_run_can_have_is_refused_at_once(of_root, module, directory):
    with pytest.raises(Failed) as failed:
        of_root.run(module, directory=directory, **BRIEF)
    assert failed.value.code == "BAD_REQUEST" and "absolute path" in failed.value.message


def test_what_root_submits_has_no_more_rights_than_benchd_run(build_for_all, module, places):
    with open_directory() as directory, Daemon(build_for_all, directory, launch=["--no-probes"]) as daemon, daemon.connect() as client:
        closed = place(places, "of root", 0, 0o700)
        assert "Permission denied" in refusal(client, module, closed)
        assert not run(client, module, place(places, "open", 0, 0o1777))[1].HasField("failed")
        await_empty(places / "open")


@pytest.mark.parametrize("options,word", [("ro", "Read-only file system"), ("nr_inodes=1", "No space left on device")])
def test_a_file_system_that_takes_nothing_is_told(build_for_all, module, places, options, word):
    directory = place(places, "mounted", USER, 0o777)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=0777,{options}", "none", directory], capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount")
    try:
        with started(build_for_all) as (_, client):
            assert word in refusal(client, module, directory)
    finally:
        subprocess.run(["umount", "-l", directory], check=True)


def test_a_comparison_and_a_counting_process_have_one_too(of_root, module, places):
    directory = place(places, "own")
    compared = of_root.compare(module, module, filters=["*/is_told"], directory=str(directory), **BRIEF)
    assert not any(row.HasField("failed") for row in compared.benchmarks.values())
    _, row = run(of_root, module, directory, memory=True)
    assert row.HasField("memory")
    await_empty(directory)


@contextlib.contextmanager
def staying(build, module, directory, kind="root"):
    """A daemon with a run that stands still in its directory below @directory, and that directory. Its launcher is then killed."""
    with open_directory() as own:
        daemon = daemon_of(build, own, kind).__enter__()
        with daemon.connect(uid=USER) as client:
            client.submit(module, filters=["*/stays"], directory=str(directory), timeout_ns=600 * 10**9, **BRIEF)
            await_that(lambda: list(directory.glob(".benchd-*/work/file")))
            hidden, = directory.glob(".benchd-*")
            yield daemon, hidden
            daemon.die("benchd-launch")


@pytest.mark.parametrize("kind", ["root", "bare", "user"])
def test_a_launcher_that_is_killed_leaves_no_directory(build_for_all, module, places, kind):
    directory = place(places, "own")
    with staying(build_for_all, module, directory, kind) as (daemon, hidden):
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700 and hidden.stat().st_uid == USER
    await_empty(directory)


def test_what_a_killed_keeper_left_is_removed_by_the_next(build_for_all, module, places):
    directory = place(places, "own")
    with staying(build_for_all, module, directory) as (daemon, hidden):
        for keeper in daemon.find("benchd-keeper"):
            daemon.kill(keeper)
    assert os.listdir(directory) == [hidden.name]
    with started(build_for_all) as (_, client):
        assert not run(client, module, directory)[1].HasField("failed")
    await_empty(directory)


def test_a_run_beside_another_leaves_that_ones_directory_alone(build_for_all, module, places):
    directory = place(places, "own")
    with staying(build_for_all, module, directory) as (daemon, hidden):
        with started(build_for_all) as (_, client):
            assert not run(client, module, directory)[1].HasField("failed")
        await_that(lambda: os.listdir(directory) == [hidden.name])
        assert (hidden / "work" / "file").exists()
    await_empty(directory)


def test_a_directory_that_somebody_replaces_meanwhile_is_not_followed(build_for_all, module, places):
    """The owner of the directory above may rename what is in it; what the name leads to then is the user's own, and stays."""
    directory, precious = place(places, "shared", OTHER, 0o777), place(places, "precious")
    (precious / "work").mkdir()
    (precious / "work" / "file").write_text("of the user")
    os.chown(precious / "work", USER, USER)
    with staying(build_for_all, module, directory) as (daemon, hidden):
        hidden.rename(directory / "away")
        hidden.symlink_to(precious)
    await_that(lambda: not (directory / "away" / "work").exists())
    assert (precious / "work" / "file").read_text() == "of the user"


def test_no_keeper_outlives_its_run(build_for_all, module, places):
    directory = place(places, "own")
    with started(build_for_all) as (daemon, client):
        assert not run(client, module, directory, processes=3)[1].HasField("failed")
        await_that(lambda: not daemon.find("benchd-keeper"))
    await_empty(directory)

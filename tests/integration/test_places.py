# SPDX-License-Identifier: GPL-3.0-or-later
"""A build tree works wherever it is unpacked: below a directory that only its owner may enter, built under any umask."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

PROGRAMS = ["client/ctl/benchctl", "daemon/launch/benchd-launch", "daemon/front/benchd", "daemon/runner/benchd-runner",
            "daemon/runner/benchd-count.so", "daemon/inspect/benchd-inspect", "examples/minimal.so"]
USER = 4711  # owns nothing on any machine

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")


@pytest.fixture
def place():
    """A directory that is not below pytest's, whose own every session closes to all but its user."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-") as directory:
        yield pathlib.Path(directory)


@pytest.fixture
def closed_tree(build, place):
    """The programs of the build in a directory and with modes that let nobody in but their owner."""
    tree = place / "closed"
    for program in PROGRAMS:
        (tree / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(build / program, tree / program)
        (tree / program).chmod(0o700)
    tree.chmod(0o700)
    return tree


def give_to(tree, user):
    for path in [tree, *tree.rglob("*")]:
        os.chown(path, user, user)


def measure(tree, **as_whom):
    """A quick private run of the smallest example, its allocations counted too; returns its result."""
    done = subprocess.run([tree / "client/ctl/benchctl", "run", "--private", "--quick", "--memory", "--format=json",
                           tree / "examples/minimal.so"], capture_output=True, text=True, timeout=600, cwd="/", **as_whom)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(result):
    row, = result["benchmarks"]
    assert row["failed"] is None
    assert row["time_ns"]["point"] > 0
    assert row["memory"]["allocations_per_operation"] == 0
    assert result["module"]["stripped"] is False  # so its file was inspected


@needs_root
def test_root_measures_below_a_directory_of_its_own(closed_tree):
    check(measure(closed_tree))


@needs_root
def test_root_measures_with_programs_of_a_user(closed_tree):
    give_to(closed_tree, USER)
    check(measure(closed_tree))


@needs_root
def test_a_user_measures_from_a_home_of_its_own(closed_tree, place):
    runtime = place / "runtime"
    runtime.mkdir()
    os.chown(runtime, USER, USER)
    place.chmod(0o711)
    give_to(closed_tree, USER)
    check(measure(closed_tree, user=USER, group=USER, extra_groups=[], umask=0o077,
                  env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(runtime)}))


def test_whoever_runs_this_measures_from_a_closed_tree(closed_tree):
    check(measure(closed_tree, umask=0o077))


def test_a_private_daemon_that_cannot_start_says_why_and_what_to_do(closed_tree):
    (closed_tree / "daemon/front/benchd").write_text("#!/nowhere\n")
    done = subprocess.run([closed_tree / "client/ctl/benchctl", "run", "--private", closed_tree / "examples/minimal.so"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 4
    assert "benchd could not be started: No such file or directory" in done.stderr
    assert "The private daemon ended before it was ready" in done.stderr
    assert "fix it and run the command again" in done.stderr

    (closed_tree / "daemon/front/benchd").unlink()
    done = subprocess.run([closed_tree / "client/ctl/benchctl", "run", "--private", closed_tree / "examples/minimal.so"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 4
    assert "benchd is missing. Install benchd again, or build it" in done.stderr

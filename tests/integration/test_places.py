# SPDX-License-Identifier: GPL-3.0-or-later
"""A build tree works wherever it is unpacked: below a directory that only its owner may enter, built under any umask."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from support.benchctl import ANY, DAEMON, Benchctl

TOUCHES = "installed programs own-tree"

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
    return Benchctl(tree, "--private", timeout=600, cwd="/", **as_whom).json("run", "--quick", "--memory", tree / "examples/minimal.so")


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
    done = Benchctl(closed_tree, "--private", timeout=600)("run", closed_tree / "examples/minimal.so", expect=DAEMON)
    assert "benchd could not be started: No such file or directory" in done.stderr
    assert "The private daemon ended before it was ready" in done.stderr
    assert "fix it and run the command again" in done.stderr

    (closed_tree / "daemon/front/benchd").unlink()
    done = Benchctl(closed_tree, "--private", timeout=600)("run", closed_tree / "examples/minimal.so", expect=DAEMON)
    assert "benchd is missing. Install benchd again, or build it" in done.stderr


# ---- who could have put a program there

STRANGER = 4322  # owns nothing either
TRAP = "#!/bin/sh\necho trapped as $(id -u) >>{}\nexit 1\n"


def spoil(tree, how, path):
    """Makes @path of the tree something that a stranger could have put there."""
    if how == "owner":
        os.lchown(tree / path, STRANGER, STRANGER)
    elif how == "others":
        (tree / path).chmod(0o777)
    elif how == "group":
        os.chown(tree / path, 0, STRANGER)
        (tree / path).chmod(0o775)
    else:
        (tree / path).rename(tree / f"{path}-real")
        (tree / path).symlink_to(tree / f"{path}-real")


def entrap(tree, program, mark):
    """Puts a program in the place of another one that tells if it is executed."""
    (tree / program).write_text(TRAP.format(mark))
    (tree / program).chmod(0o755)


def attempt(tree, *words):
    return Benchctl(tree)(*words, expect=ANY, timeout=600, cwd="/", stdin=subprocess.DEVNULL)


@pytest.fixture
def open_tree(closed_tree):
    for path in [closed_tree, *closed_tree.rglob("*")]:
        path.chmod(0o755)
    return closed_tree


@needs_root
@pytest.mark.parametrize("path", ["", "daemon", "daemon/launch", "daemon/launch/benchd-launch"])
@pytest.mark.parametrize("how", ["owner", "others", "group", "link"])
def test_a_launcher_that_others_could_have_put_there_is_not_started(open_tree, place, how, path):
    if how == "link" and not path:
        pytest.skip("the tree's root is where benchctl lies")
    entrap(open_tree, "daemon/launch/benchd-launch", place / "trapped")
    spoil(open_tree, how, path)
    done = attempt(open_tree, "run", "--private", "--quick", open_tree / "examples/minimal.so")
    assert not (place / "trapped").exists()
    assert "Using the installed programs, not the build tree's: " in done.stderr and str(open_tree / path) in done.stderr, done.stderr


@needs_root
@pytest.mark.parametrize("words", [("run", "--private"), ("run", "--here", "x.so"), ("list", "--private"), ("source", "--private", "strings/strlen")])
def test_programs_beside_an_installed_benchctl_are_not_of_its_tree(build, place, words):
    """A prefix that is a child of a directory where all may write."""
    (place / "prefix/bin").mkdir(parents=True)
    shutil.copy(build / "client/ctl/benchctl", place / "prefix/bin")
    place.chmod(0o1777)
    for program in ("daemon/launch/benchd-launch", "daemon/runner/benchd-runner", "suites/suites.so"):
        (place / program).parent.mkdir(parents=True, exist_ok=True)
        entrap(place, program, place / "trapped")
    for path in [*place.glob("daemon"), *place.glob("daemon/**/*"), *place.glob("suites/**")]:
        os.chown(path, STRANGER, STRANGER)
    shutil.copy(build / "examples/minimal.so", place / "prefix/bin/x.so")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "client/lib")}
    done = subprocess.run([place / "prefix/bin/benchctl", *words], capture_output=True, text=True, cwd=place / "prefix/bin", env=environment, timeout=60)
    assert not (place / "trapped").exists() and str(place / "suites") not in done.stdout + done.stderr, done.stderr


@needs_root
@pytest.mark.parametrize("program", ["daemon/front/benchd", "daemon/runner/benchd-runner", "daemon/runner/benchd-count.so", "daemon/inspect/benchd-inspect"])
@pytest.mark.parametrize("how", ["owner", "others", "group", "link"])
def test_the_launcher_takes_no_program_that_others_could_have_put_there(open_tree, place, how, program):
    """All are of one directory too, as where they are unpacked flat."""
    entrap(open_tree, program, place / "trapped")
    spoil(open_tree, how, program)
    flat = open_tree / "daemon/launch" / pathlib.Path(program).name
    shutil.copy(open_tree / program, flat)
    spoil(open_tree, how, flat.relative_to(open_tree))
    started = subprocess.run([open_tree / "daemon/launch/benchd-launch", "--with-front-end", "--until-eof", f"--socket={place}/s", "--", "--alone"],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert not (place / "trapped").exists()
    assert started.stderr.count("beside benchd-launch is not used, but the installed one: ") == 2 and str(open_tree / program) in started.stderr, started.stderr


@needs_root
@pytest.mark.parametrize("part", ["suites", "suites/suites.so"])
@pytest.mark.parametrize("how", ["owner", "others"])
def test_built_in_benchmarks_that_others_could_have_put_there_are_not_run(build, open_tree, how, part):
    if not (build / "suites/suites.so").exists():
        pytest.skip("built without suites")
    (open_tree / "suites").mkdir()
    shutil.copy(build / "suites/suites.so", open_tree / "suites")
    (open_tree / "suites/suites.so").chmod(0o755)
    assert "strlen" in attempt(open_tree, "list", "--private", "strings").stdout
    spoil(open_tree, how, part)
    assert str(open_tree / part) in attempt(open_tree, "list", "--private", "strings").stderr


@needs_root
@pytest.mark.parametrize("how", ["owner", "others", "group", "link"])
def test_the_package_for_python_has_the_same_rule(build, open_tree, place, how):
    if not (build / "python/benchd/benchd_pb2.py").exists():
        pytest.skip("built without the package")
    shutil.copytree(build / "python/benchd", open_tree / "python/benchd")
    entrap(open_tree, "daemon/launch/benchd-launch", place / "trapped")
    script = "import benchd.module, warnings; warnings.simplefilter('always'); print(benchd.module.program('benchd-launch'))"
    environment = {"PATH": "/nowhere", "PYTHONPATH": str(open_tree / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(open_tree / "daemon/launch/benchd-launch") and not found.stderr
    spoil(open_tree, how, "daemon/launch")
    found = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "None" and f"is not used, since others could have put it there: {open_tree}/daemon/launch" in found.stderr

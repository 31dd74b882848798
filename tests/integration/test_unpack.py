# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources of the built-in benchmarks in a directory of the user's own: written, built by make, listed, and never overwritten."""

import json
import os
import re
import resource
import signal
import subprocess

import pytest

from support.benchctl import USAGE, Benchctl

TOUCHES = "unpack verb-unpack embedded"

TIMEOUT_S = 300


@pytest.fixture
def typed(build, tmp_path, daemon):
    return Benchctl(build, cwd=tmp_path, timeout=TIMEOUT_S, BENCHD_SOCKET=daemon.socket)


def listed(done):
    documents = json.loads(done.stdout)
    return {f"{row['area']}/{row['name']}" for one in (documents if isinstance(documents, list) else [documents]) for row in one["benchmarks"]}


def make(directory, *goals):
    environment = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CXXFLAGS", "CC", "CXX", "MAKEFLAGS")}
    return subprocess.run(["make", "-j2", "-C", directory, *goals], check=True, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment)


def test_all_areas_are_built_by_make_and_hold_what_is_built_in(typed, tmp_path):
    assert "make -C suites.src\n" in typed("unpack").stdout
    readme = (tmp_path / "suites.src/README").read_text()
    for source in (tmp_path / "suites.src").glob("*.c*"):
        assert re.search(rf"^  {source.name} +\w.{{15,}}$", readme, re.M), f"the overview says what {source.name} measures"
    made = make(tmp_path / "suites.src")
    assert "warning" not in made.stderr
    modules = sorted((tmp_path / "suites.src").glob("*.so"))
    built_in = listed(typed("list", "--format=json"))
    assert listed(typed("list", "--format=json", *modules)) == built_in

    make(tmp_path / "suites.src", "suites.so")
    assert listed(typed("list", "--format=json", "suites.src/suites.so")) == built_in
    make(tmp_path / "suites.src", "clean")
    assert not list((tmp_path / "suites.src").glob("*.[so]*o"))


def test_some_areas_go_where_they_are_told(typed, tmp_path):
    typed("unpack", "deeper", "strings")
    assert {path.name for path in (tmp_path / "deeper").glob("*.c*")} == {"strings.c"}
    make(tmp_path / "deeper")
    assert {name.split("/")[0] for name in listed(typed("list", "--format=json", "deeper/strings.so"))} == {"strings"}

    typed("unpack", "calls")
    assert {path.name.split(".")[0].split("_")[0] for path in (tmp_path / "suites.src").glob("*.c*")} == {"calls"}


def test_nothing_is_overwritten(typed, tmp_path):
    typed("unpack", "strings")
    source = tmp_path / "suites.src/strings.c"
    source.write_text("mine\n")
    done = typed("unpack")

    assert done.stderr == "benchctl: suites.src/strings.c exists already with other contents, and was left unchanged.\n"
    assert source.read_text() == "mine\n"
    source.unlink()
    assert "1 file written to suites.src" in typed("unpack").stdout
    assert "BENCH(strlen" in source.read_text()


def test_a_link_is_not_followed(typed, tmp_path):
    (tmp_path / "suites.src").mkdir()
    (tmp_path / "suites.src/strings.c").symlink_to("../elsewhere")
    typed("unpack", "strings")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("words, said", [
    (["strngs"], "Did you mean strings?"),
    (["here", "nosucharea"], "'nosucharea' is not an area"),
    (["strings", "strngs"], "'strngs' is not an area"),
    (["nosuch/deeper"], "Cannot make the directory nosuch/deeper: No such file"),
    (["/proc/self/comm"], "Cannot write to /proc/self/comm: Not a directory"),
])
def test_a_slip_writes_nothing(typed, tmp_path, words, said):
    before = set(tmp_path.iterdir())
    assert said in typed("unpack", *words, expect=USAGE).stderr
    assert set(tmp_path.iterdir()) == before


def test_a_file_that_could_not_be_written_whole_is_not_left(build, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    assert "File too large" in Benchctl(build, cwd=tmp_path)("unpack", "small", "strings", expect=USAGE, preexec_fn=limit).stderr
    assert all(path.stat().st_size < 1000 for path in (tmp_path / "small").iterdir())

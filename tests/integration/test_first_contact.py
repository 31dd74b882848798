# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact: what a new user types wrongly, what benchctl answers, and how it behaves in scripts.

Reads like a table: typed -> words, exit code. A hint that is a command is typed in turn, and must work."""

import os
import re
import subprocess

import pytest

DONE, USAGE = 0, 2
TIMEOUT_S = 120


@pytest.fixture
def typed(build, tmp_path):
    """Runs benchctl with the words, as typed in a directory of its own where no daemon is."""
    def run(*words, **options):
        environment = {**os.environ, "BENCHD_SOCKET": str(tmp_path / "no-daemon.sock"), **options.pop("environment", {})}
        return subprocess.run([build / "client/ctl/benchctl", *map(str, words)], capture_output=True, text=True,
                              timeout=TIMEOUT_S, cwd=tmp_path, env=environment, **options)
    return run


def assert_said(done, code, *words):
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout == ""
    assert done.stderr.startswith("benchctl: ")
    for word in words:
        assert word in done.stderr, done.stderr


# ---- verbs and options

@pytest.mark.parametrize("words, code, said", [
    ([], USAGE, ["no command was given", "benchctl run mybench.so", "benchctl list mybench.so", "benchctl compare old.so new.so"]),
    (["rnu", "a.so"], USAGE, ["unknown command 'rnu'", "Did you mean: benchctl run?"]),
    (["a.so"], USAGE, ["unknown command 'a.so'", "Did you mean: benchctl run a.so?"]),
    (["doctor"], USAGE, ["unknown command 'doctor'"]),
    (["s"], USAGE, ["command 's' is ambiguous: status, show, set-governor"]),
    (["run", "--privaet", "a.so"], USAGE, ["unknown option '--privaet'", "Did you mean --private?"]),
    (["run", "--precison=1%", "a.so"], USAGE, ["unknown option '--precison'", "Did you mean --precision?"]),
    (["run", "--pre=1", "a.so"], USAGE, ["option '--pre' is ambiguous: --prepare, --precision"]),
    (["help", "rnu"], USAGE, ["unknown command 'rnu'"]),
])
def test_a_slip_is_answered_with_what_was_meant(typed, words, code, said):
    assert_said(typed(*words), code, *said)


@pytest.mark.parametrize("words, as_words", [
    (["help"], ["--help"]),
    (["help", "run"], ["run", "--help"]),
    (["hel", "compare"], ["compare", "-h"]),
    (["version"], ["--version"]),
])
def test_help_and_version_are_words_too(typed, words, as_words):
    done = typed(*words)

    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout == typed(*as_words).stdout != ""

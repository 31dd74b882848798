# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/program.c times a whole program: what it prints goes nowhere, and what cannot be started is said."""

from support.benchctl import BENCHMARK, Benchctl
from support.paths import SOURCE

TOUCHES = "examples/program.c"

EXAMPLE = SOURCE / "examples/program.c"


def rows(typed, program, expect):
    done = typed.json("run", "--quick", *([f"--env=PROGRAM={program}"] if program else []), EXAMPLE, expect=expect)
    return {row["name"]: row for row in done["benchmarks"]}


def test_a_program_runs_once_an_iteration_with_its_words(build, daemon, tmp_path):
    typed = Benchctl(build, cwd=tmp_path, BENCHD_SOCKET=daemon.socket, timeout=300)
    found = rows(typed, "/bin/ls   -d /nowhere", None)
    assert found["program"]["label"] == "exit status 2" and not found["program"]["output"], "ls says why it failed, to nobody"
    assert found["program"]["time_ns"]["point"] > 0 and found["nothing"]["time_ns"]["point"] > 0
    assert found["nothing"]["label"] is None

    assert rows(typed, None, None)["program"]["failed"]["code"] == "skipped"
    failed = rows(typed, "nosuch", BENCHMARK)["program"]["failed"]
    assert "nosuch cannot be started: No such file" in failed["message"]

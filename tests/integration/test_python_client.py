# SPDX-License-Identifier: GPL-3.0-or-later
"""The example client, which knows PROTOCOL.md and benchd.proto only, as a program against the real daemon."""

import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import benchd_pb2 as pb

TOUCHES = "examples/python-client/* proto/PROTOCOL.md"

PROGRAM = pathlib.Path(__file__).parents[2] / "examples/python-client/benchd_client.py"

TWO = """
BENCH(first, .area = "words", .processes = 3) { bench_loop(b) bench_clobber(); }
BENCH(second, .area = "words", .args = BENCH_ARGS(n, 1, 2)) { bench_loop(b) bench_clobber(); }
"""

SPINS = """
BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }
"""


@pytest.fixture
def start(build, daemon):
    def start(*arguments):
        environment = os.environ | {"PYTHONPATH": str(build / "proto"), "BENCHD_SOCKET": str(daemon.socket),
                                    "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen([sys.executable, PROGRAM, *map(str, arguments)], env=environment, text=True, bufsize=1,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start


@pytest.fixture
def run(start):
    def run(*arguments):
        process = start(*arguments)
        out, errors = process.communicate(timeout=600)
        return process.returncode, out, errors

    return run


def test_it_is_short():
    assert len(PROGRAM.read_text().splitlines()) < 120
    assert set(re.findall(r"^ *(?:import|from) (\w+)", PROGRAM.read_text(), re.M)) == {
        "array", "benchd_pb2", "fcntl", "google", "os", "signal", "socket", "sys"}


def test_it_lists(run, modules):
    assert run("list", modules(TWO)) == (0, "words/first\nwords/second\n", "")


def test_it_runs_and_follows_progress(run, modules):
    code, out, errors = run("run", modules(TWO), "words/first", "second/n=2")
    assert code == 0
    names, times = zip(*(line.split("\t") for line in out.splitlines() if "\t" in line))
    assert sorted(names) == ["words/first", "words/second/n=2"]
    assert all(re.fullmatch(r"[0-9.e+-]+ ns", time) for time in times)
    assert re.search("verdict: (FIT|UNFIT|CANNOT_TELL)", out)
    for stage in ("LOADING", "QUEUED", "MEASURING"):
        assert f"... stage: {stage}" in errors


def test_an_interrupt_cancels_and_the_result_is_partial(start, modules):
    process = start("run", modules(SPINS))
    while "MEASURING" not in (line := process.stderr.readline()) or "spins" not in line:
        assert line
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "verdict: PARTIAL" in out
    assert "spins\t" not in out


def test_it_tells_the_status(run):
    code, out, errors = run("status")
    assert code == 0 and errors == ""
    assert 'daemon: "benchd' in out


def test_it_prints_sentences_of_errors(run, modules):
    code, out, errors = run("run", modules(TWO), "nonesuch")
    assert code == 1 and "result" not in out
    assert errors.splitlines()[-1].startswith("NO_MATCH: ")


@pytest.mark.parametrize("words, sentence", [
    (("run", "/nowhere/m.so"), "/nowhere/m.so: No such file or directory."),
    (("list", "/"), "/: Is a directory."),
])
def test_a_file_that_cannot_be_read_is_named(run, words, sentence):
    assert run(*words) == (1, "", sentence + "\n")


@pytest.mark.parametrize("words", [(), ("run",), ("wait",), ("nonsense",), ("nonsense", "x"), ("status", "x")])
def test_a_command_line_that_says_nothing_gets_the_usage(run, words):
    code, out, errors = run(*words)
    assert code == 1 and out == "" and errors.startswith("A client of benchd") and "Traceback" not in errors


def test_a_daemon_that_is_not_there_is_named(build, tmp_path):
    done = subprocess.run([sys.executable, PROGRAM, "status"], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(build / "proto"), "BENCHD_SOCKET": str(tmp_path / "s"), "PYTHONDONTWRITEBYTECODE": "1"})
    assert (done.returncode, done.stderr) == (1, f"{tmp_path}/s: No such file or directory.\n")


def test_without_the_generated_messages_it_says_how_to_make_them(tmp_path):
    done = subprocess.run([sys.executable, PROGRAM, "status"], capture_output=True, text=True, cwd=tmp_path,
                          env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 1 and "benchd_pb2" in done.stderr and "protoc --python_out" in done.stderr and "Traceback" not in done.stderr


def test_jobs_are_waited_for_shown_and_remembered(run, daemon, client, modules):
    run_id = client.call(client.module_fds(modules(TWO)), run={"module_name": "m.so", "detach": True,
                                                               "quick": True}).accepted.run_id
    code, out, errors = run("wait", run_id)
    assert code == 0, errors
    assert re.search("verdict: (FIT|UNFIT|CANNOT_TELL)", out)
    assert run("show", run_id)[1].count(" ns\n") == 3
    assert f'run_id: "{run_id}"' in run("history")[1]


# What PROTOCOL.md says is always set, in a run of which a benchmark fails.

def test_what_is_always_set_is_set(client, modules):
    request = client.submit(modules(TWO + 'BENCH(fails) { bench_fail(b, "so"); bench_loop(b) bench_clobber(); }'), quick=True)
    seen = set()
    for reply in client.replies(request):
        assert reply.HasField("id") and reply.HasField("last")
        for kind, fields in {"progress": ["stage"], "benchmark": ["area", "name", "index"],
                             "result": ["run_id", "verdict", "seed", "plan", "environment", "module",
                                        "comparability_key"]}.items():
            if reply.HasField(kind):
                seen.add(kind)
                assert all(getattr(reply, kind).HasField(field) for field in fields), reply
        if reply.HasField("benchmark"):
            assert reply.benchmark.HasField("failed") != reply.benchmark.time_ns.HasField("point")
        if reply.HasField("progress") and reply.progress.stage == pb.Progress.MEASURING:
            assert all(reply.progress.HasField(field) for field in ("benchmarks", "process", "processes", "left_ns"))
        if reply.HasField("progress") and reply.progress.stage == pb.Progress.QUEUED:
            assert reply.progress.HasField("queue_position")
    assert seen == {"progress", "benchmark", "result"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that are no files: on standard input, in a FIFO, in the shell's <(...)."""

import contextlib
import json
import os
import pathlib
import pty
import signal
import socket
import subprocess
import threading

import pytest

from support.benchctl import BENCHMARK, BRIEF, CANCELLED, TIMEOUT_S, USAGE, Benchctl

TOUCHES = "load target"

ADDS = "BENCH(adds) { bench_loop(b) bench_clobber(); }"
LIBRARY = "int answer(void) { return 42; }"
NEEDY = "int answer(void); BENCH(asks) { bench_loop(b) bench_use(answer()); }"
MODULE_MAX = 64 << 20


@pytest.fixture
def benchctl(build, daemon):
    return Benchctl(build, BENCHD_SOCKET=daemon.socket)


@pytest.fixture
def module(modules):
    return pathlib.Path(modules(ADDS))


@contextlib.contextmanager
def fifo(path, data):
    """A FIFO into which the data is written once somebody reads."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[data])
    writer.start()
    yield path
    writer.join()


def result_of(done):
    result = json.loads(done.stdout)
    assert [benchmark["failed"] for benchmark in result["benchmarks"]] == [None] * len(result["benchmarks"])
    return result


def test_a_module_on_standard_input_is_measured_as_stdin(benchctl, module):
    result = result_of(benchctl("run", "--format=json", *BRIEF, "-", input=module.read_bytes()))
    assert result["module"]["name"] == "stdin"
    assert result["benchmarks"][0]["name"] == "adds"


def test_standard_input_may_be_a_pipe_a_file_or_a_socket(benchctl, module):
    assert "adds" in benchctl("list", "-", input=module.read_bytes()).stdout
    with open(module, "rb") as file:
        assert "adds" in benchctl("list", "-", stdin=file).stdout
    here, there = socket.socketpair()
    sender = threading.Thread(target=lambda: (here.sendall(module.read_bytes()), here.close()))
    sender.start()
    assert "adds" in benchctl("list", "-", stdin=there).stdout
    sender.join()
    there.close()


def test_a_pipe_is_a_module_by_its_path_too(benchctl, module, tmp_path):
    data = module.read_bytes()
    assert result_of(benchctl("run", "--format=json", *BRIEF, "/dev/stdin", input=data))["module"]["name"] == "/dev/stdin"
    with fifo(tmp_path / "fifo", data) as path:
        assert result_of(benchctl("run", "--format=json", *BRIEF, path))["module"]["name"] == str(path)
    ours, theirs = os.pipe()  # as the shell's <(cat module.so)
    writer = threading.Thread(target=lambda: (os.write(theirs, data), os.close(theirs)))
    writer.start()
    assert "adds" in benchctl("list", f"/dev/fd/{ours}", pass_fds=[ours]).stdout
    writer.join()
    os.close(ours)


def test_a_pipe_is_either_side_of_a_comparison(benchctl, module, tmp_path):
    data = module.read_bytes()
    result = json.loads(benchctl("compare", "--format=json", *BRIEF, "-", module, input=data).stdout)
    assert (result["old_module"]["name"], result["module"]["name"]) == ("stdin", str(module))
    with fifo(tmp_path / "old", data) as old:
        result = json.loads(benchctl("compare", "--format=json", *BRIEF, old, "-", input=data).stdout)
    assert (result["old_module"]["name"], result["module"]["name"]) == (str(old), "stdin")
    assert [row["name"] for row in result["comparisons"]] == ["adds"]


def test_its_machine_code_is_shown_and_its_process_can_be_the_callers(benchctl, module):
    data = module.read_bytes()
    assert "bench_body_adds" in benchctl("disasm", "-", "adds", input=data).stdout
    refused = benchctl("source", "-", "adds", input=data, expect=BENCHMARK).stderr
    assert "was not opened: stdin names it" in refused and "the module's own directory" not in refused
    assert "BENCH(adds)" in benchctl("source", "--source-dir", module.parent, "-", "adds", input=data).stdout
    here = benchctl("run", "--here", "-", input=data)
    assert "adds" in here.stdout and "'benchctl run -' measures" in here.stdout + here.stderr


@pytest.mark.parametrize("beyond", [0, 1])
def test_as_much_is_read_as_a_module_may_have(benchctl, module, beyond):
    data = module.read_bytes()
    data += bytes(MODULE_MAX - len(data) + beyond)
    if beyond:
        said = benchctl("list", "-", input=data, expect=BENCHMARK).stderr
        assert said.startswith("benchctl: stdin is larger than 64 MiB, the most that a module may have.\n")
        assert "strip -g" in said
    else:
        assert "adds" in benchctl("list", "-", input=data).stdout


def test_an_endless_pipe_is_refused_at_the_limit(benchctl):
    with open("/dev/zero", "rb") as zero:
        assert "stdin is larger than 64 MiB, the most that a module may have." in benchctl("run", "-", stdin=zero, expect=BENCHMARK).stderr


@pytest.mark.parametrize("data, said", [
    (b"", "stdin is empty, not a compiled module."),
    (b"\x7fE", "stdin is not a compiled module (cc -O2 -g -shared -fPIC)."),
    (b"#include <benchd/bench.h>\n" + ADDS.encode(), "Source code is compiled where it is a file, not from a pipe."),
])
def test_what_is_no_module_is_told_in_words(benchctl, data, said):
    for words in ["run", "-"], ["list", "-"], ["disasm", "-", "adds"], ["compare", "-", "-"]:
        assert said in benchctl(*words, input=data, expect=BENCHMARK).stderr


def test_a_library_is_a_file(benchctl, module, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    assert "'-', standard input, is taken for a module by run" in benchctl("list", "--with=-", module, expect=USAGE).stderr
    assert "fifo is not a regular file." in benchctl("list", f"--with={tmp_path}/fifo", module, expect=USAGE).stderr


def test_standard_input_is_one_module(benchctl, module):
    for words in ["run", "-", "-"], ["compare", "-", "-"]:
        assert "read once" in benchctl(*words, input=module.read_bytes(), expect=USAGE).stderr


def test_a_terminal_is_no_module(benchctl):
    for words in ["run", "-"], ["list", "-"], ["compare", "-", "-"], ["disasm", "-", "adds"]:
        ours, theirs = pty.openpty()
        said = benchctl(*words, stdin=theirs, expect=USAGE).stderr
        assert "Standard input is a terminal" in said and "benchctl run - < mybench.so" in said
        os.close(ours)
        os.close(theirs)


def test_its_libraries_are_found_by_name_or_named(benchctl, modules, tmp_path):
    library = tmp_path / "libanswer.so"
    (tmp_path / "answer.c").write_text(LIBRARY)
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libanswer.so", "-o", library, tmp_path / "answer.c"], check=True)
    needy = pathlib.Path(modules(NEEDY, f"-L{tmp_path}", "-lanswer", "-Wl,-rpath,$ORIGIN")).read_bytes()

    said = benchctl("list", "-", input=needy, expect=BENCHMARK, cwd=tmp_path).stderr  # a pipe has no directory
    assert "stdin needs the library libanswer.so, which was not found." in said and "--with=FILE" in said
    assert "asks" in benchctl("list", f"--with={library}", "-", input=needy).stdout


def waits_for_a_pipe(pid):
    """True once it handles Ctrl-C and sleeps, for standard input (in poll) or for the FIFO's writer (in openat)."""
    process = pathlib.Path(f"/proc/{pid}")
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    return (int(status["SigCgt"], 16) >> signal.SIGINT - 1 & 1 and status["State"].startswith("S")
            and (process / "syscall").read_text().split()[0] in ("7", "257"))


def test_ctrl_c_ends_the_waiting_for_a_pipe(build, daemon, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for word in "-", tmp_path / "fifo":
        process = subprocess.Popen(Benchctl(build).command("run", word), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        while not waits_for_a_pipe(process.pid):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=TIMEOUT_S) == CANCELLED
        assert process.stderr.read() == b""
        process.stdin.close()
        process.stderr.close()

# SPDX-License-Identifier: GPL-3.0-or-later
"""python3-benchd of the build tree, against real daemons; and its baselines by themselves."""

import os
import pathlib
import random
import re
import select
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import threading

import pytest

from support.client import FEW, MEASURED_WORDS
from support.daemon import Daemon
from support.paths import BUILD, SOURCE, open_directory
from support.tree import PASS

TOUCHES = "python/*"


if not (BUILD / "python/benchd/benchd_pb2.py").exists():
    pytest.skip("the build has no Python package (-Dpython)", allow_module_level=True)
sys.path.insert(0, str(BUILD / "python"))

import benchd  # noqa: E402
from benchd import baseline, benchd_pb2 as pb  # noqa: E402
from benchd.transport import SocketTransport  # noqa: E402


TAKES = PASS + """
BENCH(takes, .area = "a") {{ bench_loop(b) simulated_pass({n}); }}
BENCH(sweep, .area = "a", .args = BENCH_ARGS(n, 10, 20)) {{ bench_loop(b) simulated_pass({n} * bench_arg(b, 0)); }}
"""

TWO = 'BENCH(first, .area = "a") { bench_loop(b) bench_clobber(); }\nBENCH(second, .area = "a") { bench_loop(b) bench_clobber(); }'
LONG = FEW | {"processes": 1000}  # so that it is not over before it is cancelled


def bridge(socket):
    return [str(BUILD / "client/ctl/benchctl"), "bridge", f"--socket={socket}"]


@pytest.fixture(params=["socket", "bridge"])
def client(request, daemon):
    with benchd.connect(daemon.socket) if request.param == "socket" else benchd.bridge(bridge(daemon.socket)) as client:
        yield client


@pytest.fixture
def simulated(simulated_daemon):
    with benchd.connect(simulated_daemon.socket) as client:
        yield client


def test_a_result_tells_the_commit_of_the_environment_or_of_an_option(client, modules, monkeypatch):
    module = modules(TWO)
    assert not client.run(module, "first", **FEW).result.module.HasField("commit")
    monkeypatch.setenv("BENCHD_COMMIT", "4b825dc-dirty")
    run = client.run(module, "first", **FEW)
    assert (run.result.module.commit.id, run.result.module.commit.dirty) == ("4b825dc", True)
    result = client.compare(module, module, "first", commit={"id": "r1"}, **FEW).run.result
    assert result.module.commit.id == "r1" and not result.old_module.HasField("commit")


def connect_late(socket):
    """Greets when the daemon has closed the connection already."""
    transport = SocketTransport(socket)
    closed = select.poll()
    closed.register(transport._socket, 0)
    assert closed.poll()[0][1] & select.POLLHUP
    return benchd.Client(transport)


@pytest.mark.parametrize("connect", [benchd.connect, connect_late, lambda socket: benchd.bridge(bridge(socket))], ids=["socket", "late", "bridge"])
def test_who_finds_no_place_is_told_the_limit(build, connect):
    with open_directory() as directory:
        with Daemon(build, directory, config="[connections]\nclients_per_user=1\n", launch=["--no-probes"]) as daemon, daemon.connect():
            with pytest.raises(benchd.RequestError, match=r"This user has 1 connection open.* clients_per_user= of benchd\.conf") as failed:
                connect(daemon.socket)
            assert failed.value.code == "busy"


def test_the_package_is_that_of_the_build():
    assert re.fullmatch(r"\d+\.\d+\.\d+", benchd.__version__)
    assert pathlib.Path(benchd.__file__).parent == BUILD / "python/benchd"


def test_a_run_gives_its_rows_by_name_and_tells_its_progress(simulated, modules):
    stages = []
    run = simulated.run(modules(TAKES.format(n=1000)), on_progress=lambda progress: stages.append(benchd.word(progress, "stage")), **FEW)

    assert list(run.benchmarks) == ["a/takes", "a/sweep/n=10", "a/sweep/n=20"]
    assert run["a/takes"].time_ns.point == pytest.approx(1000, rel=1e-3)
    assert run["a/sweep/n=20"].time_ns.point == pytest.approx(20000, rel=1e-3)
    assert run.result.seed == 1 and len(run.run_id) == 32 and run.verdict in MEASURED_WORDS
    assert {"loading", "queued", "measuring"} <= set(stages)
    with pytest.raises(ValueError, match="3 benchmarks"):
        run.benchmark
    assert simulated.run(modules(TAKES.format(n=1000)), "sweep/n=10", **FEW).benchmark.args[0].value == 10


def test_a_comparison_has_a_verdict_in_words(simulated, modules):
    short, long = modules(TAKES.format(n=1000), name="short"), modules(TAKES.format(n=2000), name="long")
    result = simulated.compare(short, long, "takes", **FEW)

    assert result.verdict == "slower" and simulated.compare(long, short, "takes", **FEW).verdict == "faster"
    assert result["a/takes"].ratio.point == pytest.approx(2, rel=1e-3)
    assert re.fullmatch(r"<Comparison: a/takes is slower than the old side: 2 times its time "
                        r"\(95 % interval (1\.99\d*|2) to (2|2\.0\d*), margin 0\.5 %\)>", repr(result))
    assert list(result.run.benchmarks) == list(result.run.old_benchmarks) == ["a/takes"]
    assert simulated.compare(short, short, "takes", **FEW).verdict == "same"
    assert simulated.compare(long, short, old_benchmark="a/takes", new_benchmark="a/takes", **FEW).verdict == "faster"


def test_of_several_rows_the_worst_verdict_is_that_of_the_comparison():
    def rows(*verdicts):
        made = {word: benchd.pb.ComparisonResult(verdict=getattr(benchd.pb.ComparisonResult, word.upper())) for word in verdicts}
        return benchd.Comparison(None, made)

    assert rows("faster", "slower", "unresolved", "same").verdict == "slower"
    assert rows("faster", "unresolved", "same").verdict == "unresolved"
    assert rows("faster", "same").verdict == "same"
    with pytest.raises(benchd.BenchmarkError):
        rows().verdict


def test_a_source_is_compiled_and_its_flags_reach_the_compiler(client, tmp_path):
    (tmp_path / "own.c").write_text('#include <benchd/bench.h>\nBENCH(NAME, .area = "a") { bench_loop(b) bench_clobber(); }\n')

    assert [row.name for row in client.list(tmp_path / "own.c", flags=["-DNAME=chosen"])] == ["chosen"]
    with pytest.raises(benchd.CompileError, match="does not compile") as refused:
        (tmp_path / "own.c").write_text("BENCH(")
        client.list(tmp_path / "own.c")
    assert "error" in refused.value.output


def test_a_compiler_that_is_missing_is_named(client, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    (tmp_path / "own.c").write_text("")
    with pytest.raises(benchd.CompileError, match="Cannot run the compiler no-such-compiler"):
        client.list(tmp_path / "own.c")


def test_libraries_are_preloaded_on_each_side(client, modules, tmp_path):
    one, two = (modules(f"long random(void) {{ return {number}; }}", f"-Wl,-soname,lib{number}.so", name=f"lib{number}") for number in (1, 2))
    module = modules('BENCH(x) { bench_counter(b, "first", random()); bench_loop(b) bench_clobber(); }', "-include", "stdlib.h", name="asks")
    first = lambda row: {counter.name: counter.value for counter in row.counters}["first"]  # noqa: E731
    row, = client.run(module, libraries=[two], preload=[one], **FEW).benchmarks.values()
    assert first(row) == 1
    run = client.compare(module, module, old_preload=[one], new_preload=[two], **FEW).run
    assert [first(row) for side in (run.old_benchmarks, run.benchmarks) for row in side.values()] == [1, 2]
    assert [entry.name for entry in client.list(module, preload=[one])] == ["x"]


def test_libraries_inputs_and_environment_reach_the_body(client, modules, tmp_path):
    (tmp_path / "data").write_text("seven")
    library = modules("int value(void) { return 41; }", "-Wl,-soname,libvalue.so", name="libvalue")
    module = modules('''#include <stdio.h>
#include <stdlib.h>
        int value(void);
        BENCH(reads, .area = "a") {
                char text[8] = "";
                FILE *file = fopen("given", "r");
                bench_counter(b, "value", value());
                if (!file || !fgets(text, sizeof text, file)) bench_fail(b, "no input");
                bench_label(b, "%s %s", text, getenv("GIVEN"));
                bench_loop(b) bench_clobber();
        }''', str(library), name="user")
    run = client.run(module, libraries={"libvalue.so": library}, inputs={"given": tmp_path / "data"}, environment={"GIVEN": "word"}, **FEW)

    assert run.benchmark.counters[0].value == 41 and run.benchmark.label == "seven word"


def test_a_benchmark_that_fails_raises_unless_it_is_not_checked(client, modules):
    module = modules('BENCH(good, .area = "a") { bench_loop(b) bench_clobber(); }\nBENCH(bad, .area = "a") { bench_fail(b, "so"); bench_loop(b) bench_clobber(); }')
    with pytest.raises(benchd.BenchmarkError, match="^a/bad: .*so") as failed:
        client.run(module, **FEW)
    assert failed.value.run["a/good"].time_ns.HasField("point")
    assert client.run(module, check=False, **FEW).verdict == "partial"


def test_a_command_is_a_run_with_each_of_its_runs(daemon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with benchd.connect(daemon.socket) as client:
        row = client.exec("printf x >> ran; cat ran", processes=2, samples=3).benchmark
    assert row.title == "printf x >> ran; cat ran" and row.manual_time
    samples = [process.samples for process in row.processes]
    written = [value for each in samples for counts in each.counters if counts.name == "written_bytes" for value in counts.values]
    assert sum(len(each.time_ns) for each in samples) == len(written) == 2 * 3 and len(set(written)) == 2 * 3
    assert (tmp_path / "ran").exists()


def test_several_commands_are_a_comparison(daemon, tmp_path):
    with benchd.connect(daemon.socket) as client:
        compared = client.exec("sleep 0.001", "sleep 0.02", ["sleep", "0.03"], processes=3, samples=2)
        assert {row.title for row in compared.run.old_benchmarks.values()} == {"sleep 0.001"}
        assert len(compared.rows) == 2 and compared["exec/sleep_0.02"].ratio.point > 2
        with pytest.raises(benchd.BenchmarkError, match="exit code 7"):
            client.exec("exit 7", warmup=0, processes=1, samples=1)
        with pytest.raises(benchd.BenchdError, match="failed: exit code 7"):  # in the trial
            client.exec("exit 7")
        with pytest.raises(benchd.BenchdError, match="no program 'no-such-program'"):
            client.exec(["no-such-program"])
        with pytest.raises(TypeError, match="one program"):
            client.exec(["true"], "true")
    with benchd.bridge(bridge(daemon.socket)) as client, pytest.raises(benchd.BenchdError, match="this machine"):
        client.exec("true")


def test_an_option_of_exec_is_a_word_of_benchctl():
    options = {"warmup": 3, "ignore_failure": True, "shell": None, "prepare": ["a b", "c"], "parameter_list": ("n", "1,2"), "input": pathlib.Path("x")}
    assert benchd.commands.words(["true", ["ls", "-l"]], options) == [
        "--warmup=3", "--ignore-failure", "--prepare=a b", "--prepare=c", "--parameter-list", "n", "1,2", "--input=x", "true", "--", "ls", "-l"]


def test_jobs_outlive_their_connection_and_are_remembered(daemon, client, modules):
    module = modules(TWO)
    with benchd.connect(daemon.socket) as first:
        job = first.submit(module, "first", **FEW)
    run = client.wait(job)

    assert client.show(job[:8]).run_id == run.run_id == job and list(run.benchmarks) == ["a/first"]
    assert [entry.run_id for entry in client.history(module_glob=module.name, limit=1)] == [job]
    assert client.cancel(job) is False
    with pytest.raises(benchd.BenchdError, match=r"submit\(\)"):
        client.run(module, "first", detach=True)


def test_a_cancelled_run_has_what_is_complete_and_the_connection_goes_on(client, modules):
    job = client.start(modules(TWO), **LONG)
    cancelled = False
    for event in job:
        if isinstance(event, benchd.pb.Progress) and event.process >= 4 and not cancelled:
            cancelled = True
            assert job.run_id and client.status().daemon.startswith("benchd")  # a request of its own, meanwhile
            job.cancel()
    assert job.result().verdict == "partial" and 4 <= sum(len(row.processes) for row in job.result().benchmarks.values()) < 2000
    assert [row.name for row in client.list(modules(TWO))] == ["first", "second"]


class Interrupted:
    """A socket that Ctrl-C meets as it waits for bytes, when it is told."""

    def __init__(self, real):
        self.real = real
        self.now = False

    def __getattr__(self, name):
        return getattr(self.real, name)

    def recv(self, n_bytes):
        if self.now:
            self.now = False
            raise KeyboardInterrupt
        return self.real.recv(n_bytes)


@pytest.mark.parametrize("in_callback", [True, False])
def test_ctrl_c_cancels_the_run(client, modules, in_callback):
    def interrupt(progress):
        if progress.process == 4:
            client._transport._socket.now = not in_callback
            if in_callback:
                raise KeyboardInterrupt

    client._transport._socket = Interrupted(client._transport._socket)
    job = client.start(modules(TWO), **LONG)
    with pytest.raises(KeyboardInterrupt):
        job.result(interrupt)
    assert job.result().verdict == "partial"
    assert len(client.list(modules(TWO))) == 2


def test_replies_to_a_request_that_was_given_up_are_nobodys(client, modules):
    job = client.start(modules(TWO), **LONG)
    next(iter(job))
    job.cancel()
    del job
    assert len(client.list(modules(TWO))) == 2 and len(client._open) == 0


@pytest.mark.parametrize("options, words", [
    ({"nothing": 1}, "RunRequest has no option 'nothing'"),
    ({"processes": "many"}, "The option processes does not take 'many'"),
    ({"seed": 1 << 64}, "The option seed does not take"),
])
def test_an_option_that_is_none_is_named(client, modules, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        client.run(modules(TWO), **options)


def test_the_daemon_s_words_are_those_of_the_exception(client, modules):
    with pytest.raises(benchd.RequestError, match="No benchmark of .* matches nonesuch") as refused:
        client.run(modules(TWO), "nonesuch")
    assert refused.value.code == "no_match" and refused.value.hint
    with pytest.raises(benchd.RequestError) as refused:
        client.run(modules(TWO), processes=0)
    assert refused.value.code == "bad_request"
    with pytest.raises(benchd.BenchdError, match="Cannot read .*: No such file"):
        client.run("/nowhere/m.so")


def test_a_daemon_that_is_not_there_or_goes_away_is_named(tmp_path):
    with pytest.raises(benchd.NoDaemonError, match="Cannot reach the daemon at .*: No such file or directory"):
        benchd.connect(tmp_path / "s")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        threading.Thread(target=lambda: listener.accept()[0].close()).start()
        with pytest.raises(benchd.ConnectionLostError, match="Lost the daemon"):
            benchd.connect(tmp_path / "s")


@pytest.mark.filterwarnings("ignore:Unexpected end-group tag")  # of protobuf
@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9, b"\xff\xff\xff\xff", b"\x04\xff\xff\xff\xff"],
                         ids=["http", "no length", "no message"])
def test_what_is_not_benchd_is_told_apart(tmp_path, said):
    def answer():
        connection = listener.accept()[0]
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1 << 16)
        connection.close()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(benchd.ConnectionLostError):
            benchd.connect(tmp_path / "s")
        thread.join()


def deep(error):
    """All texts of an exception that a program prints."""
    return [str(error), repr(error), *(getattr(error, name, "") for name in ("message", "hint", "output"))]


def test_no_control_character_of_others_is_in_an_exception_or_in_what_is_printed():
    evil, found = "a\033[2J\a\x9b31m\u202e\n\r\tb", "a?[2J??31m?   b"
    error = benchd.RequestError(pb.Error(code=pb.Error.NO_MATCH, message=evil, hint=evil, output=evil))
    row = pb.BenchmarkResult(area=evil, name=evil, failed=pb.Failure(message=evil))
    run = benchd.Run.of(pb.RunResult(run_id=evil), [row])
    with pytest.raises(benchd.BenchmarkError) as failed:
        run.check()
    texts = [*deep(error), *deep(failed.value), *deep(benchd.NoDaemonError(evil)), *deep(benchd.CompileError(evil, evil)), repr(run)]
    for text in texts:
        assert not [character for character in text if character != "\n" and not character.isprintable()], text.encode()
    assert error.message == error.hint == found and str(error) == f"{found} {found}"
    assert error.output == "a?[2J??31m?\n  b", "lines stay"


# ---- another machine's daemon

@pytest.mark.parametrize("command, words", [
    (["/nowhere/ssh", "lab1"], "Cannot run '/nowhere/ssh' to reach a daemon: No such file or directory"),
    (["true"], "Cannot reach a daemon through 'true': it ended before benchctl there answered"),
    (["echo", "Welcome to lab1"], 'it printed "Welcome to lab1" before benchctl there could answer'),
    (["sh", "-c", "printf benchd-; sleep 0.1; echo 'bridge 2'"], 'it printed "benchd-bridge 2" before'),
    (["printf", "\\033[2J\\033]0;title\\a\\033[31m red \\302\\233 \\342\\200\\256 back"], 'it printed "?[2J?]0;title??[31m red ? ? back" before'),
])
def test_a_command_that_leads_nowhere_is_named(command, words):
    with pytest.raises(benchd.NoDaemonError, match=re.escape(words)):
        benchd.bridge(command)


def test_a_command_outlives_what_ends_a_job_and_ends_with_its_client(daemon, modules):
    with benchd.bridge(bridge(daemon.socket)) as client:
        process = client._transport._process
        for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
            process.send_signal(number)
        assert len(client.list(modules(TWO))) == 2
    assert process.returncode == 0

    with benchd.bridge(["sh", "-c", f"{shlex.join(bridge(daemon.socket))}; exec sleep 600"]) as client:
        process = client._transport._process
    assert process.returncode < 0


@pytest.mark.parametrize("size", [0, (64 << 20) + 1])
def test_a_file_of_a_size_that_no_bridge_takes_is_refused_and_the_connection_goes_on(daemon, modules, tmp_path, size):
    with open(tmp_path / "input", "wb") as file:
        file.truncate(size)
    with benchd.bridge(bridge(daemon.socket)) as client:
        with pytest.raises(benchd.BenchdError, match=f"has 1 byte to 64 MiB; this one has {size} bytes"):
            client.run(modules(TWO), inputs=[tmp_path / "input"], **FEW)
        assert len(client.list(modules(TWO))) == 2


@pytest.mark.parametrize("host", ["", "-oProxyCommand=x"])
def test_what_is_no_name_of_a_machine_is_refused(host):
    with pytest.raises(benchd.NoDaemonError, match="is no name of a machine"):
        benchd.connect(host=host)


# ---- a daemon of one's own

@pytest.fixture
def runtime(monkeypatch):
    """A short path, as of a socket's it has to be."""
    with open_directory() as path:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(path))
        yield path


def test_a_private_daemon_ends_with_its_block_and_leaves_nothing(runtime):
    with benchd.private() as client:
        assert client.status().daemon.startswith("benchd")
        (directory,) = runtime.iterdir()
        assert re.fullmatch("benchd-[0-9a-f]{6}", directory.name)
        assert (directory / "benchd.sock.lock").stat().st_mode & 0o777 == 0o600
        path = directory / "benchd.sock"
    assert list(runtime.iterdir()) == []
    with pytest.raises(benchd.NoDaemonError):
        benchd.connect(path)


def test_a_private_daemon_ends_with_a_process_that_is_killed(runtime):
    program = ("import benchd, os, sys\n"
               "with benchd.private() as client:\n"
               "    print(open(f'/proc/self/task/{os.getpid()}/children').read(), flush=True)\n"
               "    sys.stdin.read()\n")
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
    launcher = os.pidfd_open(int(process.stdout.readline()))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert select.select([launcher], [], [], 300)[0], "the daemon outlives its user"
    os.close(launcher)


def test_a_private_daemon_that_does_not_start_says_why(runtime, tmp_path):
    with pytest.raises(benchd.NoDaemonError, match="ended before it was ready. .*nonsense"):
        with benchd.private(options=["--nonsense"]):
            pass
    with pytest.raises(benchd.NoDaemonError, match="Cannot start .*no-launch: No such file or directory"):
        with benchd.private(launch=tmp_path / "no-launch"):
            pass
    assert list(runtime.iterdir()) == []


# ---- its documentation

def example(text, first, last):
    """Indented lines of a docstring."""
    found = re.search(rf"^    {first}.*?\n\n(?={last})", text, re.M | re.S)[0]
    return "\n".join(line[4:] for line in found.rstrip().splitlines()) + "\n"


def test_the_example_of_the_package_runs_as_it_stands_there(runtime, tmp_path):
    (tmp_path / "mybench.c").write_text((SOURCE / "examples/minimal.c").read_text())
    (tmp_path / "program.py").write_text(example(benchd.__doc__, "import benchd", "A module"))
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"mybench/strlen_1000 [0-9.]+ ns\n", done.stdout)


def test_pydoc_tells_of_each_public_name():
    for name in benchd.__all__:
        assert name == "pb" or getattr(benchd, name).__doc__, name
    for name, member in vars(benchd.Client).items():
        assert name.startswith("_") or member.__doc__, name


# ---- baselines

def test_a_ratio_of_two_times_covers_the_truth_as_often_as_it_says():
    seed = random.randrange(1 << 32)
    draw = random.Random(seed)
    z = statistics.NormalDist().inv_cdf(0.975)

    def time(mean, spread):
        log = draw.gauss(mean, spread)
        return baseline.Estimate(*(2.718281828459045 ** (log + k * spread) for k in (0, -z, z)))

    covered = 0
    for _ in range(4000):
        of = baseline.ratio(time(3.2, 0.01), time(3.0, 0.04))
        covered += of.low <= 2.718281828459045 ** 0.2 <= of.high
    assert 0.93 < covered / 4000 < 0.97, f"seed {seed}"


@pytest.mark.parametrize("low, high, word", [
    (1.06, 1.2, "slower"), (1.04, 1.2, "unresolved"), (0.96, 1.04, "same"), (0.8, 0.94, "faster"), (0.94, 1.04, "unresolved"),
])
def test_a_verdict_needs_the_whole_interval(low, high, word):
    assert baseline.verdict(baseline.Estimate(1, low, high), 0.05) == word


def test_what_is_no_baseline_is_not_overwritten(tmp_path):
    path = tmp_path / "x.benchd.json"
    for text in ("", "[]", "{}", '{"benchd_baseline": 99, "machines": {}}'):
        path.write_text(text)
        with pytest.raises(benchd.BenchdError, match="is not a baseline"):
            baseline.BaselineFile(path).store("key", {}, "test", {})
        assert path.read_text() == text


def stored(path):
    return baseline.BaselineFile(path).store("key", {}, "test", {"row": {"time_ns": {"point": 1, "low": 1, "high": 1}}})


def test_a_baseline_is_written_whole_with_its_mode_and_nothing_beside_it(tmp_path):
    path = tmp_path / "x.benchd.json"
    mask = os.umask(0o027)
    try:
        stored(path)
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    (tmp_path / "link").symlink_to("x.benchd.json")
    stored(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and path.stat().st_mode & 0o777 == 0o604
    before = path.read_bytes()
    with pytest.raises(TypeError):
        baseline.BaselineFile(path).store("key", {}, "test", {"row": {"time_ns": object()}})
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "x.benchd.json"]


def test_baselines_that_are_stored_at_once_are_all_kept(tmp_path):
    path = tmp_path / "x.benchd.json"
    def store(i):
        baseline.BaselineFile(path).store(f"key{i}", {}, "test", {})
    threads = [threading.Thread(target=store, args=(i,)) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(baseline.BaselineFile(path).machines()) == {f"key{i}" for i in range(40)}
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.benchd.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_no_strangers_link_or_lock_leads_a_baseline_astray():
    with open_directory() as place:
        place.chmod(0o777)
        (place / "root's").write_text("root's")
        for name in (".x.benchd.json.new", "x.benchd.json.new", "y.benchd.json"):
            (place / name).symlink_to("root's")
            os.lchown(place / name, 4322, 4322)
        locker = subprocess.Popen([sys.executable, "-c", "import fcntl, os, sys\nos.setuid(4322)\nfd = os.open(sys.argv[1], os.O_RDONLY)\n"
                                   "fcntl.flock(fd, fcntl.LOCK_EX)\nprint(flush=True)\nsys.stdin.read()", place],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        locker.stdout.readline()
        stored(place / "x.benchd.json")
        with pytest.raises(benchd.BenchdError, match="the symbolic link .*y.benchd.json belongs to another user"):
            stored(place / "y.benchd.json")
        locker.communicate()
        assert (place / "root's").read_text() == "root's"
        assert set(baseline.BaselineFile(place / "x.benchd.json").machines()) == {"key"}


def environment_with(*controls):
    return pb.RunResult(environment=pb.Environment(controls=[
        pb.Control(name=name, outcome=pb.Control.Outcome.Value(outcome), **{"is": value}) for name, outcome, value in controls]))


def test_settings_of_another_daemon_are_one_difference_or_none():
    alone = baseline.conditions(environment_with(("governor", "APPLIED", "performance"), ("boost", "APPLIED", "0")), "1")
    beside = baseline.conditions(environment_with(("tuning", "ALREADY", "set by another benchd, process 7"),
                                                  ("governor", "ALREADY", "performance"), ("boost", "ALREADY", "0")), "1")
    held = baseline.conditions(environment_with(("tuning", "DENIED", "another benchd has set them")), "1")
    assert baseline.differences(alone, beside) == []
    assert baseline.differences(alone, held) == [f"{baseline.TUNING} was unknown and is {baseline.HELD}"]

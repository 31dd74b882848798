# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl as the program that people run: what it prints, where, and what it exits with."""

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys

import pytest

import benchd_pb2 as pb
from support import schemas
from support.benchctl import ANY, BENCHMARK, BRIEF, CANCELLED, DAEMON, DONE, FOREVER, TIMEOUT_S, USAGE, Benchctl
from support.client import MEASURED_WORDS
from support.daemon import Daemon
from support.modules import EMPTY, SPINS
from support.paths import let_others_enter, open_directory
from support.processes import names_below

TOUCHES = "client/ctl/app/main.* settings* verb* help show* complain target"


@pytest.fixture(params=["private", "socket"])
def either(request, build):
    """A benchctl with a daemon of its own, then one with another's."""
    if request.param == "private":
        return Benchctl(build, "--private")
    return Benchctl(build, f"--socket={request.getfixturevalue('daemon').socket}")


@pytest.fixture(scope="session")
def schema():
    return schemas.validator("run-result")


# ---- a time limit

def test_a_time_limit_beyond_the_daemons_is_refused_with_the_option_that_has_it(benchctl, modules):
    said = benchctl("run", modules(EMPTY), "--timeout=601", *BRIEF, expect=2).stderr
    assert "601 s are more than the 600 s that timeout_max= of benchd.conf allows" in said


def test_a_private_daemon_serves_one_user_who_sets_the_limits(build, modules):
    Benchctl(build, "--private")("run", modules(EMPTY), "--timeout=86400", *BRIEF)


# ---- a run

def test_a_run_ends_with_a_table_on_stdout_and_nothing_else(either, modules):
    done = either("run", modules(EMPTY), *BRIEF)
    lines = done.stdout.splitlines()

    assert lines[0].startswith("# ") and lines[1].startswith("# ")
    assert "3 processes × 3 samples" in lines[1]
    assert any(re.match(r"  empty +-?[\d.]+ [pnµm]?s( |$)", line) for line in lines), lines  # without an interval where too few were alone
    assert re.fullmatch(r"(OK: 1 benchmark|1 of 1 row not reliable|Cannot tell: 1 of 1 row unwatched).* Job [0-9a-f]{8}\.", lines[-1])
    assert done.stderr == ""


def test_json_is_one_object_that_the_schema_describes(either, modules, schema):
    result = either.json("run", modules(EMPTY), *BRIEF, "--seed=7")

    schema.validate(result)
    assert re.fullmatch("[0-9a-f]{32}", result["run_id"])
    assert result["seed"] == 7
    assert result["verdict"] in MEASURED_WORDS
    assert [benchmark["name"] for benchmark in result["benchmarks"]] == ["empty"]
    assert len(result["benchmarks"][0]["processes"]) >= 3  # and some more on a machine that disturbs them


def test_what_no_process_lived_to_try_is_not_told(benchctl, modules, schema):
    module = modules("#include <stdlib.h>\nBENCH(crashes) { abort(); }")
    result = benchctl.json("run", module, *BRIEF, expect=BENCHMARK)
    environment = result["environment"]

    schema.validate(result)
    assert result["verdict"] == "failed"
    assert (environment["scheduler"], environment["isolation"], environment["controls"]) == (None, None, [])
    assert not any("FIFO" in warning or "pinned" in warning for warning in result["warnings"])
    assert re.search(r"^Failed: 1 benchmark\.", benchctl("show", result["run_id"], expect=BENCHMARK).stdout,
                     re.M)


def test_arguments_are_shown_and_told_as_what_they_are(benchctl, modules, schema):
    module = modules('BENCH(x, .args = BENCH_PRODUCT3(BENCH_TEXTS(s, "0", "1e300"), BENCH_REALS(load, 0.25, 3), BENCH_LINEAR(n, 0, 9, 9)))'
                     " { bench_loop(b) bench_clobber(); }")
    table = benchctl("run", module, *BRIEF, "--", "*/n=9").stdout
    result = benchctl.json("run", module, *BRIEF, "--", "*/s=1e300/*/n=0")
    listing = benchctl.json("list", module)

    schema.validate(result)
    assert [row["args"] for row in result["benchmarks"]] == [{"s": "1e300", "load": load, "n": 0} for load in (0.25, 3)]
    assert "  x s=1e300 load=0.25 n=9 " in table and "  x s=0 load=3 n=9 " in table
    assert "s=0,1e300 load=0.25,3 n=0,9" in benchctl("list", module).stdout
    assert listing["benchmarks"][0]["args"] == [{"name": "s", "values": ["0", "1e300"]}, {"name": "load", "values": [0.25, 3]},
                                                {"name": "n", "values": [0, 9]}]


def test_a_module_that_is_skipped_as_a_whole_has_not_failed(benchctl, modules, schema):
    module = modules("BENCH(skips) { bench_skip(b, \"not here\"); }\nBENCH(crowd, .threads = BENCH_THREADS(1000)) { bench_loop(b); }")
    done = benchctl("run", module, *BRIEF)
    result = benchctl.json("run", module, *BRIEF)

    schema.validate(result)
    assert result["verdict"] == "skipped"
    assert [benchmark["failed"]["code"] for benchmark in result["benchmarks"]] == ["skipped", "skipped"]
    assert re.search(r"^Skipped.*: 2 benchmarks\.", done.stdout, re.M)
    assert "1000 threads; this machine can lend at most" in done.stdout


def test_several_modules_are_several_tables(benchctl, modules):
    other = modules("BENCH(other) { bench_loop(b) bench_clobber(); }")
    done = benchctl("run", modules(EMPTY), other, *BRIEF)

    assert done.stdout.index("  empty ") < done.stdout.index("  other ")
    assert len(re.findall("^(?:OK|1 of 1 row not reliable|Cannot tell)", done.stdout, re.M)) == 2
    assert "\n\n# " in done.stdout


def test_the_first_module_that_fails_decides_and_the_others_run(benchctl, modules):
    failing = modules('BENCH(failing) { bench_fail(b, "on purpose"); }')
    done = benchctl("run", failing, modules(EMPTY), *BRIEF, expect=BENCHMARK)

    assert "on purpose" in done.stdout
    assert "  empty " in done.stdout


def test_what_skips_itself_is_no_failure(benchctl, modules):
    done = benchctl("run", modules('BENCH(skips) { bench_skip(b, "not here"); }'), *BRIEF)
    assert "not here" in done.stdout


def test_threads_and_preparation_are_chosen_on_the_command_line(benchctl, modules, schema):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    result = benchctl.json("run", *BRIEF, "--threads=2", "--prepare=none", modules(EMPTY))

    schema.validate(result)
    assert result["benchmarks"][0]["threads"] == 2
    outcomes = {control["name"]: control["outcome"] for control in result["environment"]["controls"]}
    assert {outcomes[name] for name in ("scheduler", "affinity", "memory")} == {"omitted"}
    table = benchctl("run", *BRIEF, "--threads=2", "--prepare=full", modules(EMPTY)).stdout
    assert re.search(r"^  empty threads=2 ", table, re.M)


def test_filters_follow_two_dashes(benchctl, modules):
    module = modules("BENCH(one) { bench_loop(b) bench_clobber(); } BENCH(two) { bench_loop(b) bench_clobber(); }")

    assert [b["name"] for b in benchctl.json("run", module, *BRIEF, "--", "two")["benchmarks"]] == ["two"]
    done = benchctl("run", module, *BRIEF, "--", "three", expect=USAGE)
    assert "three" in done.stderr and done.stdout == ""


def test_a_variable_reaches_the_module(benchctl, modules):
    module = modules("""
#include <stdlib.h>
BENCH(variable)
{
        bench_counter(b, "value", atof(getenv("GIVEN")));
        bench_loop(b)
                bench_clobber();
}
""")
    result = benchctl.json("run", module, *BRIEF, "--env=GIVEN=17.5")
    assert result["benchmarks"][0]["counters"] == {"value": 17.5}


def test_a_library_of_ones_own_is_found_where_with_says(benchctl, modules, tmp_path):
    (tmp_path / "own.c").write_text("int own(void); int own(void) { return 42; }")
    library = tmp_path / "libbenchctl-own.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libbenchctl-own.so", tmp_path / "own.c", "-o", library],
                   check=True)
    module = modules("""
int own(void);
BENCH(owned)
{
        bench_counter(b, "value", own());
        bench_loop(b)
                bench_use(own());
}
""", str(library), name="owned")

    done = benchctl("run", module, *BRIEF, expect=BENCHMARK)
    assert "libbenchctl-own.so" in done.stderr and "--with=" in done.stderr
    result = benchctl.json("run", module, *BRIEF, f"--with={library}")
    assert result["benchmarks"][0]["counters"] == {"value": 42}
    assert [row["name"] for row in result["module"]["libraries"]] == ["libbenchctl-own.so"]


def test_output_goes_to_a_file_that_only_a_result_empties(benchctl, modules, tmp_path, schema):
    path = tmp_path / "result.json"
    path.write_text("kept")

    benchctl("run", modules(EMPTY), *BRIEF, f"--output={path}", "--", "nonesuch", expect=USAGE)
    assert path.read_text() == "kept"
    done = benchctl("run", modules(EMPTY), *BRIEF, "--format=json", "-o", path)
    assert done.stdout == ""
    schema.validate(json.loads(path.read_text()))
    done = benchctl("run", modules(EMPTY), *BRIEF, f"--output={tmp_path}/none/x", expect=USAGE)
    assert "/none/x" in done.stderr


# ---- list and status

@pytest.mark.parametrize("format", ["table", "json", "details"])
def test_a_reader_that_leaves_early_is_no_error(benchctl, modules, format):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(benchctl.command("run", "--quick", f"--format={format}", modules(EMPTY)), stdout=writer,
                          stderr=subprocess.PIPE, text=True, timeout=600)
    os.close(writer)
    assert (done.returncode, done.stderr) == (DONE, "")


def test_a_hidden_area_runs_when_its_name_is_written_out(benchctl, modules):
    module = modules('BENCH_AREA(quiet, .hidden = 1);\n'
                     'BENCH(a, .area = "quiet") { bench_loop(b) bench_clobber(); }\n'
                     'BENCH(b_too, .area = "quiet") { bench_loop(b) bench_clobber(); }\n')
    assert "hidden" in benchctl("run", "--quick", module, expect=USAGE).stderr
    rows = benchctl.json("run", "--quick", module, "--", "quiet")["benchmarks"]
    assert [row["name"] for row in rows] == ["a", "b_too"]


def test_list_names_areas_benchmarks_and_arguments(either, modules):
    module = modules("""
BENCH(sweep, .area = "sorting", .about = "in words", .args = BENCH_ARGS(n, 1, -2)) { bench_loop(b) bench_clobber(); }
BENCH(unseen, .hidden = 1) { bench_loop(b) bench_clobber(); }
""")
    table = either("list", module).stdout
    listing = {row["name"]: row for row in either.json("list", module)["benchmarks"]}

    assert re.search(r"^sorting$", table, re.M)
    assert re.search(r"^  sweep +n=1,-2 +in words$", table, re.M)
    assert re.search(r"^  unseen +\(hidden\)$", table, re.M)
    assert listing["sweep"]["args"] == [{"name": "n", "values": [1, -2]}]
    assert listing["unseen"]["hidden"] is True


def test_status_tells_of_the_daemon_and_the_machine(either):
    status = either.json("status")

    assert status["daemon"].startswith("benchd ")
    assert status["environment"]["kernel"] == " ".join((os.uname().sysname, os.uname().release, os.uname().machine))
    assert re.search(r"^daemon +benchd ", either("status").stdout, re.M)
    assert re.search(rf"^CPUs available +CPUs? [\d,-]+ \(of {status['online_cpus']}\)", either("status").stdout, re.M)


def test_status_tells_of_the_clock_that_a_run_needed(benchctl, modules):
    benchctl("run", modules(EMPTY), *BRIEF)

    assert benchctl.json("status")["environment"]["tsc"]["hz"] > 1e8
    assert re.search(r"^clock +(time-stamp counter, [\d.]+ GHz|CLOCK_MONOTONIC_RAW)", benchctl("status").stdout, re.M)


# ---- what goes wrong

@pytest.mark.parametrize("words, code, mentions", [
    ([], USAGE, "no command"),
    (["frobnicate"], USAGE, "frobnicate"),
    (["run", "nosucharea"], USAGE, "neither a file nor an area"),
    (["run", "--processes=0", "x.so"], USAGE, "from 1 to 1000"),
    (["run", "/nonexistent.so"], USAGE, "/nonexistent.so"),
    (["run", "--private", "--detach", "x.so"], USAGE, "--detach"),
    (["status", "--socket=/nonexistent/s"], DAEMON, "--private"),
    (["history", "--socket=/nonexistent/s"], DAEMON, "/nonexistent/s"),
    (["history", "--socket=/nonexistent/s", "--state=odd"], USAGE, "'odd'"),
    (["history", "--socket=/nonexistent/s", "--since=odd"], USAGE, "'odd'"),
    (["history", "--socket=/nonexistent/s", "--limit=1001"], USAGE, "'1001'"),
    (["history", "--socket=/nonexistent/s", "a", "b"], USAGE, "one filter"),
    (["show", "--socket=/nonexistent/s", "xyz"], USAGE, "'xyz'"),
    (["cancel"], USAGE, "one job"),
    (["history", "--private", "--state=done"], USAGE, "--state"),
])
def test_a_mistake_has_words_and_an_exit_code(build, words, code, mentions):
    done = Benchctl(build)(*words, expect=ANY)

    assert done.returncode == code, done.stderr
    assert mentions in done.stderr
    assert done.stderr.startswith("benchctl: ")
    assert done.stdout == ""


def test_a_file_that_is_no_module_is_the_modules_failure(benchctl, tmp_path):
    (tmp_path / "text.so").write_text("no module")
    assert benchctl("run", tmp_path / "text.so", expect=BENCHMARK).stderr.startswith("benchctl: ")


def run_with_few_descriptors(build, module, limit):
    return subprocess.run(["prlimit", f"--nofile={limit}", *Benchctl(build, "--private").command("run", module, *BRIEF)],
                          capture_output=True, text=True, timeout=TIMEOUT_S)


@pytest.mark.parametrize("limit, words", [("8", "Too many open files"), ("12", "limit of open files is 12"),
                                          ("100", "limit of open files is 100")])
def test_too_few_descriptors_are_named_with_the_limit(build, modules, limit, words):
    done = run_with_few_descriptors(build, modules(EMPTY), limit)

    assert done.returncode == DAEMON
    assert words in done.stderr and "ulimit -n 1024" in done.stderr
    assert ".c:" not in done.stderr, "a line of source tells no user anything"


@pytest.mark.parametrize("limit", ["256", "12:1024"])
def test_descriptors_that_the_hard_limit_allows_are_enough(build, modules, limit):
    assert run_with_few_descriptors(build, modules(EMPTY), limit).returncode == DONE


def test_nobody_is_told_to_be_somebody(benchctl, benchctl_for_all, daemon, modules):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be nobody")
    module = modules(EMPTY)
    let_others_enter(module)
    let_others_enter(daemon.socket)
    done = subprocess.run([benchctl_for_all, *benchctl.command("run", module)[1:]], user=65534, group=65534, extra_groups=[],
                          capture_output=True, text=True, timeout=TIMEOUT_S)

    assert done.returncode == DAEMON
    assert "ordinary user" in done.stderr and "nobody" in done.stderr
    assert "group" not in done.stderr


# ---- terminals and Ctrl-C

def test_colours_are_for_terminals_that_want_them(benchctl):
    def output(**environment):
        status = benchctl.on_terminal("status", everything=True, **environment)
        status.end(DONE)
        return status.seen

    assert b"\033[" in output(NO_COLOR="")
    assert b"\033[" not in output(NO_COLOR="1")
    assert b"\033[" not in output(TERM="dumb")
    assert "\033[" not in benchctl("status").stdout


def test_the_plan_and_its_expected_end_are_shown_before_it_is_measured(benchctl, modules):
    run = benchctl.on_terminal("run", modules(EMPTY), "--processes=4", "--samples=2", "--warmup=1")
    run.end(DONE)
    said = run.seen.decode()
    plan = re.search(r"\S+\.so: 1 benchmark in 4 processes, about \d+ m?s, until \d\d:\d\d:\d\d\r\n", said)

    assert plan, said
    assert plan.start() < said.index("process 1 of 4")
    assert said.count(" in 4 processes") == 1
    quiet = benchctl.on_terminal("run", modules(EMPTY), "--quiet", *BRIEF)
    quiet.end(DONE)
    assert quiet.seen == b""


def test_ctrl_c_cancels_a_run_and_prints_what_is_complete(either, modules):
    run = either.on_terminal("run", modules(EMPTY), "--processes=1000", "--samples=2", "--warmup=1")
    run.await_text("process ([3-9]|[0-9]{2,}) of [0-9]+")
    run.process.send_signal(signal.SIGINT)
    table = run.end(CANCELLED)

    assert b"Cancelling" in run.seen
    assert re.search(r"^  empty +\d", table, re.M)
    assert re.search(r"^Partial.*: 1 benchmark\b.* Job ", table, re.M)


def test_a_trace_stands_below_the_table(either, modules):
    done = either("run", modules(EMPTY), "--trace", *BRIEF)

    table, trace = done.stdout.split("first process\n")
    assert re.search(r"time +interval", table)
    phases = [line.split()[0] for line in trace.splitlines() if line.startswith("    ")]
    # The last batches of the warm-up may be all the samples that were asked for.
    assert [phase for phase in phases if phase != "sampling"] == ["setup", "first-call", "warmup", "loop", "teardown"]


def test_details_stand_below_the_table(either, modules):
    done = either("run", modules(EMPTY), *BRIEF, "--format=details")
    titles, row = done.stdout.splitlines()[-2:]

    assert re.match(r"spread +within +between +ess +drift +harness error +1 sd \(68\.3 %\) +2 sd \(95\.4 %\) +median lies in +raw speed"
                    " +gymnastics",
                    titles)
    assert re.match(r"empty +[\d.,]+ %", row)


def test_a_precision_is_typed_in_percent(either, modules):
    done = either("run", modules(EMPTY), "--quick", "--precision=100%", "--processes=6")

    assert re.search(r"\S+: (up to )?[4-6] processes × 40 samples, for ± 100 %", done.stdout.replace("\n#", ""))
    assert "warning: quick:" in done.stdout


def test_a_cold_run_says_so_in_its_last_line(benchctl, modules):
    assert re.search(r"^(OK|1 of 1 row not reliable|Cannot tell).*, cold", benchctl("run", modules(EMPTY), "--cold", *BRIEF).stdout, re.M)


def test_a_second_ctrl_c_leaves_at_once(benchctl, modules, daemon):
    run = benchctl.on_terminal("run", modules(SPINS), *FOREVER)
    run.await_text("process 1 of 1")
    with daemon.connect() as client:  # answered while the daemon stands still: the second one must not wait for it
        front = daemon.front_end()
        assert client.status().running == 1
    daemon.kill(front, signal.SIGSTOP)
    try:
        run.process.send_signal(signal.SIGINT)
        run.await_text("press Ctrl-C again to quit now")
        run.press_until_end(signal.SIGINT)  # two within 0.2 s count as one
        run.end(CANCELLED)
    finally:
        daemon.kill(front, signal.SIGCONT)


def test_a_private_daemon_ends_with_its_run(build, modules):
    private = Benchctl(build, "--private")
    run = private.on_terminal("run", modules(SPINS), *FOREVER)
    run.await_text("process 1 of 1")
    with open(f"/proc/{run.process.pid}/task/{run.process.pid}/children") as file:
        launcher = int(file.read().split()[0])
    pidfd = os.pidfd_open(launcher)
    run.process.send_signal(signal.SIGTERM)
    run.end(CANCELLED)
    with pytest.raises(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, 0)
    os.close(pidfd)


def make_old(path):
    """As if nobody had changed it for an hour."""
    os.utime(path, (path.stat().st_mtime - 3600,) * 2)


def test_the_directory_of_a_benchctl_that_was_killed_is_removed_by_a_later_one(build, modules, tmp_path):
    private = Benchctl(build, "--private")
    here = {"XDG_RUNTIME_DIR": str(tmp_path)}
    run = private.on_terminal("run", modules(SPINS), *FOREVER, **here)
    run.await_text("process 1 of 1")
    (directory,) = tmp_path.iterdir()
    make_old(directory)
    private("status", **here)
    assert (directory / "benchd.sock").exists(), "one that is in use was removed"

    with open(f"/proc/{run.process.pid}/task/{run.process.pid}/children") as file:
        launcher = os.pidfd_open(int(file.read().split()[0]))
    run.process.kill()
    run.end(-signal.SIGKILL)
    assert select.select([launcher], [], [], TIMEOUT_S)[0]
    os.close(launcher)
    private("status", **here)
    assert directory.exists(), "it changed a moment ago"

    (directory / "benchd.sock.work" / "0123" / "work").mkdir(parents=True)
    (directory / "benchd.sock.work" / "0123" / "work" / "file").write_text("left")
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(directory / "benchd.sock"))
    left.close()
    make_old(directory)
    private("status", **here)
    assert list(tmp_path.iterdir()) == []


LOCKER = """
import fcntl, os, sys
os.setgroups([]); os.setgid(4322); os.setuid(4322)
held = []
for path in sys.argv[1], *(os.path.join(sys.argv[1], name) for name in sorted(os.listdir(sys.argv[1]))):
    try:
        held.append(os.open(path, os.O_RDONLY))
    except OSError:
        continue
    for lock in (lambda fd: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB), lambda fd: fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)):
        try:
            lock(held[-1])
        except OSError:
            pass
print(len(held), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_what_another_user_locks_keeps_nothing_from_being_put_back(build, modules):
    """All that a stranger can open of a killed daemon's directory is locked."""
    with open_directory() as place:
        here = {"XDG_RUNTIME_DIR": str(place)}
        run = Benchctl(build, "--private").on_terminal("run", modules(SPINS), *FOREVER, **here)
        run.await_text("process 1 of 1")
        (directory,) = place.iterdir()
        names, pidfds = names_below(run.process.pid), {}
        for pid in names:
            with contextlib.suppress(ProcessLookupError):  # the births of a run come and go
                pidfds[pid] = os.pidfd_open(pid)
        locker = subprocess.Popen([sys.executable, "-c", LOCKER, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert int(locker.stdout.readline()) > 0, "the directory can be opened"
        for pid in sorted(pidfds, key=lambda pid: names[pid] != "benchctl"):
            if names[pid] in ("benchctl", "benchd-launch"):
                signal.pidfd_send_signal(pidfds[pid], signal.SIGKILL)
        run.end(-signal.SIGKILL)
        for pidfd in pidfds.values():
            assert select.select([pidfd], [], [], TIMEOUT_S)[0]
            os.close(pidfd)
        make_old(directory)
        Benchctl(build, "--private")("status", **here)
        assert list(place.rglob("*")) == []
        locker.communicate()


def test_directories_that_are_not_left_over_stay(build, tmp_path):
    def old(name, *files):
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_text("kept")
        make_old(tmp_path / name)

    old("benchd-source", "README.md")
    old("benchd-longname")
    old("benchd-damage", "benchd.sock.restore")  # a journal that cannot be restored from is set aside
    old("benchd-backup7")
    old("benchd-listen")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "benchd-listen" / "benchd.sock"))
    listener.listen()
    make_old(tmp_path / "benchd-listen")
    old("benchd-locked")
    locked = os.open(tmp_path / "benchd-locked", os.O_RDONLY)
    fcntl.flock(locked, fcntl.LOCK_EX)
    if os.geteuid() == 0:
        old("benchd-others")
        os.chown(tmp_path / "benchd-others", 4321, 4321)
        make_old(tmp_path / "benchd-others")
    (tmp_path / "benchd-linked").symlink_to(tmp_path / "benchd-backup7")
    old("benchd-nobody")
    before = set(tmp_path.iterdir())

    Benchctl(build, "--private")("status", XDG_RUNTIME_DIR=str(tmp_path))
    os.close(locked)
    listener.close()
    assert before - set(tmp_path.iterdir()) == {tmp_path / "benchd-nobody"}


# ---- jobs

def detach(benchctl, module, *options):
    stdout = benchctl("run", "--detach", module, *options).stdout
    assert re.fullmatch("[0-9a-f]{32}\n", stdout)
    return stdout.strip()


def test_detached_runs_print_their_ids_alone_and_are_waited_for(benchctl, modules, schema):
    module = modules(EMPTY)
    jobs = benchctl("run", "--detach", module, module, *BRIEF).stdout.split("\n")

    assert len(jobs) == 3 and jobs[2] == ""
    assert all(re.fullmatch("[0-9a-f]{32}", job) for job in jobs[:2])
    for job in jobs[:2]:
        result = benchctl.json("wait", "@" + job)
        schema.validate(result)
        assert result["run_id"] == job
        assert result["verdict"] in MEASURED_WORDS
        assert benchctl.json("show", job[:16].upper()) == result
    assert "  empty " in benchctl("show", jobs[0]).stdout


def test_waiting_for_a_job_that_fails_exits_as_its_run_would(benchctl, modules):
    job = detach(benchctl, modules('BENCH(failing) { bench_fail(b, "on purpose"); }'), *BRIEF)
    assert "on purpose" in benchctl("wait", job, expect=BENCHMARK).stdout
    job = detach(benchctl, modules(EMPTY), *BRIEF, "--", "nonesuch")
    assert "nonesuch" in benchctl("wait", job, expect=USAGE).stderr


def test_ctrl_c_ends_the_waiting_and_not_the_job(benchctl, modules):
    job = detach(benchctl, modules(SPINS), *FOREVER)
    wait = benchctl.on_terminal("wait", job)
    wait.await_text("process 1 of 1")
    wait.process.send_signal(signal.SIGINT)
    wait.end(CANCELLED)
    assert b"the job continues" in wait.seen and job.encode() in wait.seen

    assert [entry["state"] for entry in benchctl.json("history")["entries"]] == ["running"]
    done = benchctl("show", job, expect=DAEMON)
    assert "not over yet" in done.stderr and "benchctl wait" in done.stderr

    wait = benchctl.on_terminal("wait", job)
    wait.await_text("process 1 of 1")
    assert benchctl("cancel", job).stderr == ""
    wait.end(CANCELLED)
    assert [entry["state"] for entry in benchctl.json("history")["entries"]] == ["cancelled"]
    assert "already ended" in benchctl("cancel", job).stderr


def test_a_job_that_there_is_not_is_a_mistake_of_the_user(benchctl):
    for verb in "wait", "show", "cancel", "pin", "unpin":
        done = benchctl(verb, "00000000", expect=USAGE)
        assert "00000000" in done.stderr and "history" in done.stderr


def test_history_shows_what_was_run_and_what_is_asked_of_it(benchctl, modules):
    good, bad = modules(EMPTY, name="good"), modules("int nothing;", name="bad")
    benchctl("run", good, *BRIEF)
    benchctl("run", bad, expect=BENCHMARK)
    jobs = benchctl.json("history")["entries"]
    failed, done = jobs

    assert [job["module_name"] for job in jobs] == [str(bad), str(good)]
    assert (done["state"], done["benchmarks"], done["error"]) == ("done", 1, None)
    assert done["verdict"] in MEASURED_WORDS
    assert (failed["state"], failed["verdict"], failed["error"]["code"]) == ("failed", None, "bad-module")

    lines = benchctl("history").stdout.splitlines()
    assert lines[0].split() == ["job", "submitted", "module", "state", "benchmarks", "note"]
    assert re.fullmatch(rf"{failed['run_id'][:8]} +\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d +{bad} +failed +\S.*", lines[1])
    assert re.fullmatch(rf"{done['run_id'][:8]} +\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d +{good} +done(, not reliable|, cannot-tell)? +1", lines[2])

    def names(*options):
        return [job["module_name"] for job in benchctl.json("history", *options)["entries"]]

    assert names("--module=good*") == [str(good)]
    assert names(good.name) == [str(good)]
    assert names("--state=failed") == [str(bad)]
    assert names("--limit=1") == [str(bad)]
    assert names("--since=1h") == [str(bad), str(good)]
    assert names("--module=nonesuch") == []
    assert benchctl("history", "nonesuch.so").stdout == "No jobs.\n"


def test_a_pinned_job_is_marked(build, state, modules):
    with Daemon(build, state.parent, state=state) as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        job = benchctl.json("run", modules(EMPTY), *BRIEF)["run_id"]

        assert benchctl("pin", job).stdout == ""
        assert benchctl("history").stdout.splitlines()[1].endswith("   pinned")
        assert benchctl.json("unpin", job) == {"pinned": False, "stored": True}
        assert "pinned" not in benchctl("history").stdout


def test_a_job_that_its_daemon_did_not_live_to_end_is_lost(build, state, modules):
    daemon = Daemon(build, state.parent, state=state)
    daemon.__enter__()
    benchctl = Benchctl(build, f"--socket={daemon.socket}")
    done = benchctl.json("run", modules(EMPTY), *BRIEF)["run_id"]
    job = detach(benchctl, modules(SPINS), *FOREVER)
    with daemon.connect() as client:
        for reply in client.replies(client.send(wait=pb.WaitRequest(run_id=job))):
            if reply.progress.stage == pb.Progress.MEASURING:
                break
    daemon.die()

    with Daemon(build, state.parent, state=state):
        for verb in "wait", "show":
            said = benchctl(verb, job, expect=DAEMON).stderr
            assert "is lost" in said and "Submit it again" in said
        assert benchctl.json("show", done)["run_id"] == done
        assert [entry["state"] for entry in benchctl.json("history")["entries"]] == ["lost", "done"]


def test_other_users_jobs_are_theirs(benchctl, benchctl_for_all, daemon, modules):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be somebody else")
    job = benchctl.json("run", modules(EMPTY), *BRIEF)["run_id"]
    let_others_enter(daemon.socket)

    def as_other(*words):
        return subprocess.run([benchctl_for_all, *benchctl.command(*words)[1:]], user=4321, group=4321, extra_groups=[],
                              capture_output=True, text=True, timeout=TIMEOUT_S)

    assert as_other("history").stdout == "No jobs.\n"
    assert as_other("show", job).returncode == USAGE
    assert as_other("history", "--all-users").returncode == DAEMON
    assert [entry["run_id"] for entry in benchctl.json("history", "--all-users")["entries"]] == [job]

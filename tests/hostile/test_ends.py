# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that misbehave: each gets its own clear sentence, and the daemon goes on."""

import os
import pathlib
import subprocess

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, Failed
from support.paths import IS_SANITIZED, let_others_enter

TOUCHES = "runner-block block process-end"

MODULES = pathlib.Path(__file__).parent / "modules"

# benchmark: words that its sentence must have
ENDS = {
    "by_break": ["break"],
    "by_return": ["return"],
    "by_goto": ["goto"],
    "by_longjmp": ["longjmp"],
    "by_fail": ["the answer is 41, not 42"],
    "by_skip": ["flux capacitor"],
    "by_exit": ["exit", "3"],
    "by_quick_exit": ["exit", "0"],
    "without_loop": ["bench_loop", "nothing to time"],
    "two_loops": ["second"],
    "loop_in_loop": ["within"],
    "by_segv": ["signal 11", "Segmentation fault", "warm"],
    "by_abort": ["signal 6", "Abort", "first call"],
    "by_stack_overflow": ["signal 11"],
    "by_pthread_exit": ["exit"],
    "paused_twice": ["bench_pause", "paused already"],
    "resumed_unpaused": ["bench_resume", "without bench_pause"],
    "left_paused": ["bench_pause", "without bench_resume"],
    "input_unasked": ["bench_input", "without bench_inputs"],
    "inputs_in_loop": ["bench_inputs", "within the loop"],
    "inputs_of_nothing": ["bench_inputs", "needs a size"],
    "with_method": ["mark4", "does not take --quick"],
    "with_unknown_method": ["'mark9'", "methods are: benchd, measureit"],
    "with_threads": ["1000 threads", "at most"],
    "leaves_thread": ["more than 16 batches", "keep a pool"],
    "without_argument": ["bench_arg(b, 3), but the benchmark has 0 arguments"],
}


@pytest.fixture(scope="module")
def ends(modules, tmp_path_factory, build):
    from support.steady import SteadyDaemon

    with SteadyDaemon(build, tmp_path_factory.mktemp("ends")) as daemon, daemon.connect() as client:
        yield client.run(modules(MODULES / "ends.c"), quick=True)


def test_the_good_one_beside_them_is_right(ends):
    assert ends.result.verdict == pb.RunResult.PARTIAL
    well = ends.benchmarks["ends/well"]
    assert not well.HasField("failed")
    assert well.time_ns.point > 0


@pytest.mark.parametrize("name", ENDS)
def test_each_way_out_has_its_own_sentence(ends, name):
    result = next(r for full, r in ends.benchmarks.items() if full.startswith(f"ends/{name}"))

    assert result.HasField("failed"), "it passed for a result"
    assert result.failed.code
    for word in ENDS[name]:
        assert word.lower() in result.failed.message.lower(), result.failed.message


# benchmark: its code, and words that its sentence must have; None: it is measured
CLOSES = {
    "all_before": ("descriptors", ["closefrom", "benchd's"]),
    "all_within": ("descriptors", ["closefrom"]),
    "range": ("descriptors", ["close_range"]),
    "one_by_one": ("descriptors", ["closed"]),
    "all_and_makes_pipes": ("descriptors", ["replaced"]),
    "puts_a_file_there": ("descriptors", ["replaced", "dup2"]),
    "standard_ones": None,
    "limit_of_none": None,
    "child_goes_on": ("child", ["forked", "_exit()"]),
    "child_breaks": ("child", ["forked", "_exit()"]),
    "child_from_before": ("child", ["forked"]),
    "child_exits": None,
    "child_stays": None,
    "goes_to_background": (("child", "exited"), ["daemon"]),  # by whichever comes to say it
    "becomes_another": ("exited", ["exec"]),
}


@pytest.fixture(scope="module")
def closes(modules, tmp_path_factory, build):
    from support.steady import SteadyDaemon

    with SteadyDaemon(build, tmp_path_factory.mktemp("closes")) as daemon, daemon.connect() as client:
        yield client.run(modules(MODULES / "closes.c"), quick=True).benchmarks


@pytest.mark.parametrize("name", CLOSES)
def test_closed_descriptors_and_children_that_return_are_told_as_such(closes, name):
    result = closes[f"closes/{name}"]

    if CLOSES[name] is None:
        assert not result.HasField("failed"), result.failed.message
        return
    code, words = CLOSES[name]
    assert result.failed.code in code, result.failed.message
    for word in words:
        assert word in result.failed.message, result.failed.message


def test_no_two_ways_out_say_the_same(ends):
    messages = {name: r.failed.message for name, r in ends.benchmarks.items() if r.HasField("failed")}

    assert len(messages) == len(ENDS)
    alike = ("ends/by_goto", "ends/by_stack_overflow", "ends/by_pthread_exit")  # return, a crash, exit
    different = {message for name, message in messages.items() if name not in alike}
    assert len(different) == len(messages) - len(alike)


def test_an_exception_ends_the_benchmark_with_its_words(client, modules):
    run = client.run(modules(MODULES / "throws.cc"), quick=True)

    assert "out of patience" in run.benchmarks["throws/by_exception"].failed.message
    assert "exception" in run.benchmarks["throws/by_odd_exception"].failed.message
    assert not run.benchmarks["throws/caught_inside"].HasField("failed")


@pytest.mark.parametrize("name", ["spins", "stops_itself"])
def test_what_never_ends_is_killed_after_its_timeout(daemon, client, modules, name):
    run = client.run(modules(MODULES / "ends.c"), filters=[f"ends/{name}"], timeout_ns=2 * 10**9)
    failed = run.benchmarks[f"ends/{name}"].failed

    assert run.result.verdict == pb.RunResult.FAILED
    assert "2 s" in failed.message and "timeout" in failed.message.lower()
    assert daemon.find("benchd-runner") == []


@pytest.fixture
def bad_modules(modules, tmp_path):
    def text():
        path = tmp_path / "text.so"
        path.write_text("This is no module.\n")
        return path

    def other_machine():
        good = bytearray(modules("BENCH(x) { bench_loop(b) ; }").read_bytes())
        good[18:20] = (183).to_bytes(2, "little")  # e_machine: EM_AARCH64
        path = tmp_path / "arm.so"
        path.write_bytes(good)
        return path

    def cut_short():
        path = tmp_path / "short.so"
        path.write_bytes(modules("BENCH(x) { bench_loop(b) ; }").read_bytes()[:5000])
        return path

    def hides():
        path = tmp_path / "hides.map"
        path.write_text("{ local: *; };\n")
        return path

    def missing_library():
        library = tmp_path / "libgone.so"
        subprocess.run(["gcc", "-shared", "-o", library, "-x", "c", "/dev/null"], check=True)
        module = modules("BENCH(x) { bench_loop(b) ; }", "-Wl,--no-as-needed", library)
        library.unlink()
        return module

    return {
        "cut short": (cut_short, ["cut short"]),
        "text": (text, ["not an ELF"]),
        "other machine": (other_machine, ["another architecture than x86-64: aarch64"]),
        "program": (lambda: pathlib.Path("/bin/true"), ["shared object"]),
        "missing symbol": (lambda: modules("void nowhere(void); BENCH(x) { bench_loop(b) nowhere(); }",
                                           "-Wl,--unresolved-symbols=ignore-all"), ["nowhere"]),
        "no benchmarks": (lambda: modules("int x;"), ["no benchmark: write one with BENCH() of benchd/bench.h."]),
        "hidden": (lambda: modules("BENCH(x) { bench_loop(b) ; }", f"-Wl,--version-script={hides()}"), ["version script"]),
        "not for benchd": (lambda: next(pathlib.Path("/lib/x86_64-linux-gnu").glob("libz.so.1")), ["no benchmark: write one"]),
        "constructor crashes": (lambda: modules("__attribute__((constructor)) static void c(void) { *(volatile int *)8 = 1; }"
                                                "BENCH(x) { bench_loop(b) ; }"), ["signal 11", "load"]),
        "constructor exits": (lambda: modules("#include <stdlib.h>\n"
                                              "__attribute__((constructor)) static void c(void) { exit(9); }"
                                              "BENCH(x) { bench_loop(b) ; }"), ["exit", "9", "load"]),
        "missing library": (missing_library, ["libgone.so"]),
        "bad name": (lambda: modules('BENCH(x, .area = "a/b c") { bench_loop(b) ; }'), ["a/b c"]),
        "bad range": (lambda: modules("BENCH(x, .args = BENCH_RANGE(n, 5, 1, 2)) { bench_loop(b) ; }"), ["BENCH_RANGE(n, 5, 1, 2)"]),
        "another ABI": (lambda: modules("#undef BENCH_ABI\n"
                                        "BENCH(x) { bench_loop(b) ; }\n"
                                        "__attribute__((constructor)) static void c(void) { benchd_module.abi = 77; }"),
                        ["ABI", "77"]),
    }


@pytest.mark.parametrize("name", ["text", "cut short", "other machine", "program", "missing symbol", "no benchmarks", "hidden",
                                  "not for benchd",
                                  "constructor crashes", "constructor exits", "missing library", "bad name", "bad range",
                                  "another ABI"])
def test_what_cannot_be_loaded_is_refused_with_its_reason(client, bad_modules, name):
    make, words = bad_modules[name]
    with pytest.raises(Failed) as failed:
        client.run(make(), quick=True)
    assert failed.value.code == "BAD_MODULE"
    for word in words:
        assert word.lower() in failed.value.message.lower(), failed.value.message


def own_status(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(value for name, _, value in (line.partition(":\t") for line in lines) if name == key)


def test_a_runner_has_nothing_left_to_give_away(client, modules):
    module = modules(r"""
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static double of_status(const char *key, int base)
{
        char line[256];
        double value = -1;
        FILE *file = fopen("/proc/self/status", "re");

        while (file && fgets(line, sizeof line, file))
                if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
                        value = strtoull(line + strlen(key) + 1, NULL, base);
        fclose(file);
        return value;
}

BENCH(rights)
{
        bench_counter(b, "uid", getuid());
        bench_counter(b, "gid", getgid());
        bench_counter(b, "groups", getgroups(0, NULL));
        bench_counter(b, "CapEff", of_status("CapEff", 16));
        bench_counter(b, "CapPrm", of_status("CapPrm", 16));
        bench_counter(b, "CapBnd", of_status("CapBnd", 16));
        bench_counter(b, "Seccomp", of_status("Seccomp", 10));
        bench_counter(b, "Seccomp_filters", of_status("Seccomp_filters", 10));
        bench_counter(b, "NoNewPrivs", of_status("NoNewPrivs", 10));
        bench_counter(b, "setuid", setuid(0));
        bench_counter(b, "nice", nice(-5));
        bench_counter(b, "write", open("/tmp/benchd-hostile", O_WRONLY | O_CREAT, 0600) >= 0 &&
                                  write(3, "x", 1) > 0);
        bench_counter(b, "descriptors", dup(0));
        bench_loop(b)
                bench_clobber();
}
""")
    counters = {c.name: c.value for c in next(iter(client.run(module, quick=True).benchmarks.values())).counters}

    if os.geteuid() == 0:
        assert counters["uid"] not in (0, 65534)
        assert counters["gid"] != 0
        assert counters["groups"] == 0
        assert counters["CapBnd"] == 0
        assert counters["setuid"] == -1
        assert counters["nice"] == -1
    assert counters["CapEff"] == counters["CapPrm"] == 0
    for key in ("Seccomp", "Seccomp_filters"):
        assert counters[key] == int(own_status(key)), "what is measured has no filter but those around the tests"
    assert counters["NoNewPrivs"] == 1
    assert counters["write"] == 0
    assert counters["descriptors"] < 16, "the runner was born with descriptors that it has no use for"


def test_what_a_runner_leaves_behind_is_killed(daemon, client, modules):
    module = modules(r"""
#include <sys/prctl.h>
#include <unistd.h>

BENCH(forks, .processes = 1)
{
        for (int i = 0; i < 5; i++)
                if (fork() == 0) {
                        prctl(PR_SET_NAME, "leftover");
                        setsid();
                        if (fork() != 0)
                                _exit(0);
                        for (;;)
                                pause();
                }
        bench_loop(b)
                bench_clobber();
}
""")
    run = client.run(module, quick=True)
    assert not next(iter(run.benchmarks.values())).HasField("failed")
    client.status()
    assert daemon.find("leftover") == []


def test_a_block_that_the_module_scribbled_on_is_no_result(client, modules):
    module = modules(r"""
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

BENCH(scribbles)
{
        char *block = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);

        bench_loop(b)
                bench_clobber();
        memset(block + 64, 0xff, 65536 - 64);
}
""")
    result = next(iter(client.run(module, quick=True).benchmarks.values()))
    assert result.HasField("failed")
    assert client.status().daemon


ALL_AT_ONCE = {
    "crash": "BENCH(crash) { bench_loop(b) *(volatile int *)8 = 1; }",
    "spin": "BENCH(spin) { bench_loop(b) for (;;) bench_clobber(); }",
    "print": """
#include <stdio.h>
#include <string.h>
BENCH(print, .iterations = 1, .processes = 1)
{
        static char text[1 << 20];
        int n = 0;

        memset(text, 'x', sizeof text - 1);
        bench_loop(b)
                if (n++ < 100)
                        puts(text);
}""",
    "symbol": "void nowhere(void); BENCH(x) { bench_loop(b) nowhere(); }",
    "good": "BENCH(good) { bench_loop(b) bench_clobber(); }",
}


def test_a_good_module_among_bad_ones_all_at_once(daemon, modules, tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no module\n")
    other = bytearray(modules(ALL_AT_ONCE["good"]).read_bytes())
    other[18:20] = (183).to_bytes(2, "little")
    clients = {name: daemon.connect() for name in [*ALL_AT_ONCE, "text", "other"]}
    ids = {}
    for name, client in clients.items():
        if name == "text":
            ids[name] = client.submit(text, quick=True)
        elif name == "other":
            ids[name] = client.submit(bytes(other), quick=True)
        else:
            flags = ["-Wl,--unresolved-symbols=ignore-all"] if name == "symbol" else []
            ids[name] = client.submit(modules(ALL_AT_ONCE[name], *flags), quick=True,
                                      timeout_ns=(3 if name == "spin" else 120) * 10**9)

    outcome = {}
    with daemon.connect() as observer:
        for name, client in clients.items():
            assert observer.status().daemon
            for pid in (daemon.front_end(), daemon.process.pid):
                if not IS_SANITIZED:
                    assert daemon.rss_bytes(pid) < 32 << 20, pid
            try:
                run = client.collect(ids[name])
                outcome[name] = next(iter(run.benchmarks.values()))
            except Failed as failed:
                outcome[name] = failed
            client.socket.close()

    assert not outcome["good"].HasField("failed")
    assert outcome["good"].time_ns.point > 0
    assert "signal 11" in outcome["crash"].failed.message
    assert "3 s" in outcome["spin"].failed.message
    assert any("64 KiB" in warning for warning in outcome["print"].warnings)
    assert "not an ELF" in outcome["text"].message
    assert "another architecture" in outcome["other"].message
    assert "nowhere" in outcome["symbol"].message


def test_identity_is_the_one_that_connected(daemon, modules):
    if os.geteuid() != 0:
        pytest.skip("needs root, to connect as somebody else")
    module = modules('#include <unistd.h>\nBENCH(who) { bench_counter(b, "uid", getuid()); bench_loop(b) bench_clobber(); }')
    let_others_enter(daemon.socket)
    with daemon.connect(uid=4321) as client:
        result = next(iter(client.run(module, quick=True).benchmarks.values()))
    assert result.counters[0].value == 4321


def test_nobody_and_the_front_end_itself_run_nothing(daemon, modules):
    if os.geteuid() != 0:
        pytest.skip("needs root, to connect as somebody else")
    let_others_enter(daemon.socket)
    for uid in (65534, 65530):
        with daemon.connect(uid=uid) as client:
            with pytest.raises(Failed) as failed:
                client.run(modules(ALL_AT_ONCE["good"]), quick=True)
            assert failed.value.code == "DENIED"


def test_the_launcher_keeps_five_capabilities_and_the_front_end_none(daemon):
    if os.geteuid() != 0:
        pytest.skip("needs root, to have capabilities to give up")

    def effective(pid):
        with open(f"/proc/{pid}/status") as file:
            status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
        return int(status["CapEff"], 16), int(status["CapBnd"], 16), status["Uid"].split()[1]

    kept = sum(1 << bit for bit in (5, 6, 7, 8, 23)) & int(own_status("CapBnd"), 16)  # KILL SETGID SETUID SETPCAP SYS_NICE, where there are
    assert effective(daemon.process.pid) == (kept, kept, "0")
    caps, _, uid = effective(daemon.front_end())
    assert caps == 0
    assert uid != "0"


def test_a_corpse_that_is_traced_keeps_nobody_waiting(daemon, client, modules):
    for name in ("runner", "leftover"):
        client.run(modules(MODULES / "corpse.c"), filters=[f"corpse/{name}"], quick=True, timeout_ns=120 * 10**9)
        run = client.run(modules(ALL_AT_ONCE["good"]), quick=True)
        assert run.result.verdict in MEASURED
        assert daemon.find("tracer") == []


def test_what_root_holds_open_or_stands_in_does_not_reach_a_module(build, modules, tmp_path):
    """The daemon is started with a secret at a high descriptor, from a directory that only root may enter."""
    from support.steady import SteadyDaemon
    from support.paths import open_directory

    module = modules(r"""
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

BENCH(reach)
{
        char directory[4096];
        int n = 0;

        for (int fd = 0; fd < 1024; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        bench_counter(b, "descriptors", n);
        bench_counter(b, "own", getcwd(directory, sizeof directory) && strcmp(directory, getenv("TMPDIR")) == 0);
        bench_loop(b)
                bench_clobber();
}
""".replace("#include <dirent.h>", "#include <fcntl.h>\n#include <string.h>"))
    secret = os.open("/etc/passwd", os.O_RDONLY)
    try:
        os.dup2(secret, 200)
        with (open_directory() as directory, SteadyDaemon(build, directory, pass_fds=(200,), cwd=tmp_path) as daemon,
              daemon.connect() as client):
            result = next(iter(client.run(module, quick=True).benchmarks.values()))
    finally:
        os.close(secret)
        os.close(200)
    counters = {counter.name: counter.value for counter in result.counters}
    assert counters["own"] == 1
    assert counters["descriptors"] == 14, "0 to 2, plan, block, two pipes, module, four for counters of the core, status, module as sent"


def test_a_module_that_moves_to_another_cpu_gets_no_window(client, modules):
    module = modules(r"""
#include <sched.h>

BENCH(moves)
{
        cpu_set_t own, other;
        int moved = 0;

        sched_getaffinity(0, sizeof own, &own);
        for (int cpu = 0; !moved && cpu < CPU_SETSIZE; cpu++) {
                CPU_ZERO(&other);
                CPU_SET(cpu, &other);
                moved = !CPU_ISSET(cpu, &own) && sched_setaffinity(0, sizeof other, &other) == 0;
        }
        bench_counter(b, "moved", moved);
        bench_loop(b)
                bench_clobber();
}
""", "-D_GNU_SOURCE")
    still = client.run(modules(ALL_AT_ONCE["good"]), quick=True)
    run = client.run(module, quick=True)
    moved = next(iter(run.benchmarks.values())).counters[0].value
    controls = {control.name: control.outcome for control in run.result.environment.controls}
    held = controls.get("cpuset") == pb.Control.APPLIED
    if held:
        assert not moved, "it left its cpuset"
    elif not moved:
        pytest.skip("needs two CPUs")
    if outcome_of_scheduler(still) != pb.Control.APPLIED:
        pytest.skip("SCHED_FIFO is not to be had here")
    assert controls["scheduler"] == (pb.Control.APPLIED if held else pb.Control.OVERRIDDEN)


def outcome_of_scheduler(run):
    return next(control.outcome for control in run.result.environment.controls if control.name == "scheduler")


def test_a_counter_with_an_odd_name_is_refused_in_words(client, modules):
    module = modules('BENCH(odd) { bench_counter(b, "hit rate", 1); bench_loop(b) bench_clobber(); }')
    result = next(iter(client.run(module, quick=True).benchmarks.values()))
    assert "hit rate" in result.failed.message

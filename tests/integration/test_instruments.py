# SPDX-License-Identifier: GPL-3.0-or-later
"""What measures along with benchd is named: tracers, preloaded libraries, and what a module was built for."""

import mmap
import pathlib
import re
import shutil
import subprocess

import pytest

import benchd_pb2 as pb
from support.benchctl import ANY, Benchctl
from support.client import Failed
from support.processes import TRACES_NONE, may_trace_others

TOUCHES = "daemon/runner/load/instrument.* daemon/ops/block.c instruments"

WAIT = r"""
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The runner's, which knows tracers outside of its namespace of processes. */
static int find_status(void)
{
        char path[64], name[256];

        for (int fd = 3; fd < 64; fd++) {
                ssize_t n;

                snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
                n = readlink(path, name, sizeof name - 1);
                if (n > 7 && memcmp(name + n - 7, "/status", 7) == 0)
                        return fd;
        }
        return -1;
}

static void await_tracer(void)
{
        int status = find_status();
        char text[1024] = "", *found = text;

        while (!found || strncmp(found, "TracerPid:\t0\n", 13) == 0 || !*found) {
                ssize_t n = pread(status, text, sizeof text - 1, 0);

                text[n > 0 ? n : 0] = 0;
                found = strstr(text, "TracerPid:");
                sched_yield();
        }
}
"""

IN_SETUP = WAIT + "BENCH(work) { await_tracer(); bench_loop(b) bench_clobber(); }"
IN_LOOP = WAIT + """
BENCH(work, .iterations = 1)
{
        int n = 0;

        bench_loop(b) {
                bench_pause(b);
                if (++n == 3)
                        await_tracer();
                bench_resume(b);
                bench_clobber();
        }
}
"""

TRACERS = {
    "strace": ["strace", "-f", "-o", "/dev/null", "-p"],
    "gdb": ["gdb", "-q", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-ex", 'printf "Thread %d attached\\n", $_thread', "-ex",
            "continue", "-p"],
}
ATTACHED = re.compile(r"(Process|Thread) [1-9]\d* attached")  # gdb goes on, with thread 0, where there was nothing to attach to


def attach(daemon, command):
    """Lets the command trace the runner, once it is there; returns the tracer."""
    while True:
        for pid in daemon.find("benchd-runner"):
            tracer = subprocess.Popen([*command, str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
            if any(ATTACHED.search(line) for line in tracer.stdout):
                return tracer
            tracer.communicate()


@pytest.mark.parametrize("name, text", [("strace", IN_SETUP), ("gdb", IN_SETUP), ("strace", IN_LOOP)],
                         ids=["strace", "gdb", "strace-that-comes-late"])
def test_a_traced_run_is_unfit_and_says_so(build, client, daemon, modules, name, text):
    if not may_trace_others():
        pytest.skip(TRACES_NONE)
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    request_id = client.submit(modules(text), processes=1, samples=20)
    next(reply for reply in client.replies(request_id) if reply.progress.stage == pb.Progress.MEASURING)
    tracer = attach(daemon, TRACERS[name])
    run = client.collect(request_id)
    tracer.communicate()

    row, = run.benchmarks.values()
    assert row.debugger_attached and row.instrumented == ["tracer"]
    assert "traced" in [finding.kind for finding in row.findings]
    assert any(warning.startswith("unfit: a debugger or tracer was attached") for warning in row.warnings)
    assert run.result.verdict == pb.RunResult.UNFIT and run.result.instrumented == ["tracer"]
    shown = Benchctl(build, f"--socket={daemon.socket}", expect=ANY)("show", run.result.run_id).stdout
    assert re.search(r"^1 of 1 row not reliable.*\. Job", shown, re.M) and "# all rows" not in shown and "traced" in shown, shown


PLAIN = "BENCH(work, .area = \"plain\") { bench_loop(b) bench_clobber(); }"

BUILT = [
    ("-pg", "profiling"),
    ("-finstrument-functions", "function-hooks"),
    ("--coverage", "coverage"),
    ("-fsanitize=undefined", "undefined-sanitizer"),
]


@pytest.mark.parametrize("flag, word", BUILT)
def test_a_module_that_was_built_with_an_instrument_is_named_and_not_comparable(client, modules, flag, word):
    text = "static __attribute__((noinline)) int more(int by) { return by + 1; }" \
           "BENCH(work) { int by = 1; bench_loop(b) { bench_opaque(by); bench_use(more(by)); } }"
    runs = [client.run(modules(text, *flags), processes=1, samples=5) for flags in [(), (flag,)]]
    plain, built = [run.benchmarks[name] for run in runs for name in run.benchmarks]
    assert plain.instrumented == [] and runs[0].result.instrumented == []
    assert built.instrumented == [word] and runs[1].result.instrumented == [word]
    assert "instrumented" in [finding.kind for finding in built.findings]
    assert "instrumented" not in [finding.kind for finding in plain.findings]
    assert runs[0].result.comparability_key != runs[1].result.comparability_key


def test_of_two_sides_the_one_that_was_built_so_is_named(client, modules):
    new, old = [modules(PLAIN, *flags) for flags in [("-pg",), ()]]
    run = client.compare(new, old, processes=3, samples=5)
    assert {row.side: list(row.instrumented) for row in run.benchmarks.values()} == {"new": ["profiling"], "old": []}
    assert any("timed with the modules: profiling" in warning for warning in run.result.warnings)


# A library that says that it is there, to the measured process and to what that starts.
MARK = "int preloaded_mark(void) { return 1; }"
LOOKS_FOR_MARK = """
#include <dlfcn.h>
BENCH(work) { bench_counter(b, "mark", dlsym(RTLD_DEFAULT, "preloaded_mark") != NULL); bench_loop(b) bench_clobber(); }
"""


def test_the_variables_of_the_loader_hold_in_the_measured_process(client, modules, tmp_path):
    """A library that comes along stands in the run's directory, so LD_PRELOAD finds it by its name."""
    library = tmp_path / "libmark.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=MARK, text=True, check=True)
    row, = client.run(modules(LOOKS_FOR_MARK, "-D_GNU_SOURCE"), [library], processes=1, samples=5,
                      environment=["LD_PRELOAD=libmark.so", "LD_AUDIT=", "LD_PROFILE=libmark.so"]).benchmarks.values()
    assert row.instrumented == ["LD_PROFILE"]
    assert {counter.name: counter.value for counter in row.counters} == {"mark": 1}
    assert any("LD_PROFILE is set: the loader's own work" in warning for warning in row.warnings)


def test_a_library_that_is_to_be_preloaded_and_is_not_there_is_refused(client, modules):
    with pytest.raises(Failed, match="LD_PRELOAD names /nowhere/libmark.so, which is not in the run's view: --preload=FILE"):
        client.run(modules(PLAIN), processes=1, samples=5, environment=["LD_PRELOAD=/nowhere/libmark.so"])


ZERO_PAGES = pathlib.Path(__file__).parent / "modules/zero-pages.c"


def kernel_has_page_of_zeros():
    """Some kernels give memory that is read a page of its own, as if it were written."""
    def resident_pages():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

    n_pages = 4096
    with mmap.mmap(-1, n_pages * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        before = resident_pages()
        for i in range(n_pages):
            memory[i * mmap.PAGESIZE]
        return resident_pages() - before < n_pages // 2


def test_memory_that_is_read_and_was_never_written_is_named(client, modules):
    if not kernel_has_page_of_zeros():
        pytest.skip("this kernel maps no page of zeros")
    rows = {row.name: row for row in client.run(modules(ZERO_PAGES), processes=3, samples=5).benchmarks.values()}
    if not rows["small"].HasField("unwritten_bytes"):
        pytest.skip("this kernel does not tell which page is that of zeros")
    found = {name for name, row in rows.items() if "unwritten-memory" in [finding.kind for finding in row.findings]}
    assert found == {"small", "huge"}  # and not the one that reads a byte, for which the kernel may map a huge page
    for name in found:
        assert 15 << 20 <= rows[name].unwritten_bytes <= 17 << 20
        assert any("MiB of the memory that it read was never written" in warning
                   for warning in rows[name].warnings)
    for name in ["small_written", "huge_written"]:
        assert rows[name].unwritten_bytes < 1 << 20

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module does beside its work is seen and said: where it runs, its threads, printing, sleeping, its own faults."""

import os
import re

import pytest

import benchd_pb2 as pb

TOUCHES = "conduct usage behaviour detect"

WELL = "BENCH(well) { uint64_t x = 3; bench_loop(b) __asm__ volatile(\"imul %0, %0\" : \"+r\"(x)); bench_use(x); }"

HEAD = """
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void *go(void *nothing)
{
        return nothing;
}
"""

# name: (its source, words that one of its warnings must have)
CONDUCT = {
    "moves_in_setup": ("""
BENCH(moves_in_setup)
{
        cpu_set_t all;

        memset(&all, 0xff, sizeof all);
        if (sched_setaffinity(0, sizeof all, &all) < 0)
                bench_fail(b, "cannot move");
        sched_getaffinity(0, sizeof all, &all);
        if (CPU_COUNT(&all) == 1)
                bench_skip(b, "held by its cpuset");
        bench_loop(b) bench_clobber();
}
""", "affinity"),
    "nice_in_setup": ("""
BENCH(nice_in_setup)
{
        if (setpriority(PRIO_PROCESS, 0, 19) < 0)
                bench_fail(b, "cannot be nice");
        bench_loop(b) bench_clobber();
}
""", "nice value"),
    "nice_in_loop": ("""
BENCH(nice_in_loop)
{
        bench_loop(b) setpriority(PRIO_PROCESS, 0, 19);
}
""", "nice value"),
    "batch_in_loop": ("""
BENCH(batch_in_loop)
{
        bench_loop(b) sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &(struct sched_param){});
}
""", "scheduling policy"),
    "thread_and_join": ("""
BENCH(thread_and_join)
{
        bench_loop(b) {
                pthread_t thread;

                if (pthread_create(&thread, NULL, go, NULL))
                        bench_fail(b, "no thread");
                pthread_join(thread, NULL);
        }
}
""", "threads that it started ran for"),
    "thread_and_join_in_setup": ("""
BENCH(thread_and_join_in_setup)
{
        pthread_t thread;

        if (pthread_create(&thread, NULL, go, NULL))
                bench_fail(b, "no thread");
        pthread_join(thread, NULL);
        bench_loop(b) bench_clobber();
}
""", "started threads"),
    "prints": ("BENCH(prints, .iterations = 1) { bench_loop(b) putchar('.'); }", "prints inside its loop, in {n} of {n}"),
    "writes": ("BENCH(writes, .iterations = 1) { bench_loop(b) if (write(1, \".\", 1) != 1) bench_clobber(); }",
               "prints inside its loop, in {n} of {n}"),
    "waits": ("""
BENCH(waits)
{
        bench_loop(b) poll(NULL, 0, 1);
}
""", "sleeps or waits inside its loop, in "),
}


@pytest.fixture(scope="module")
def run(modules, tmp_path_factory, build):
    from support.daemon import Daemon

    with Daemon(build, tmp_path_factory.mktemp("conduct")) as daemon, daemon.connect() as client:
        module = modules(HEAD + WELL + "".join(source for source, _ in CONDUCT.values()), "-pthread", "-D_GNU_SOURCE")
        return client.run(module, quick=True)


@pytest.fixture(scope="module")
def results(run):
    return {name.split("/")[-1]: result for name, result in run.benchmarks.items()}


def test_a_body_that_only_reckons_has_none_of_these_warnings(results):
    text = " ".join(results["well"].warnings)

    for words in ("affinity", "nice", "policy", "thread", "prints", "sleeps", "faults"):
        assert words not in text
    assert list(results["well"].disturbed.switched_off) == []


@pytest.mark.parametrize("name", CONDUCT)
def test_each_has_its_own_warning_beside_its_numbers(results, name):
    result = results[name]

    if result.failed.code == "skipped":
        pytest.skip(result.failed.message)
    assert not result.HasField("failed"), result.failed.message
    words = CONDUCT[name][1].format(n=result.samples)
    assert any(words in warning for warning in result.warnings), list(result.warnings)


def test_nearly_every_wait_is_seen(results):
    """One whose time is over before the kernel has put the thread to sleep is no wait."""
    text = next(warning for warning in results["waits"].warnings if "sleeps or waits inside" in warning)
    waiting, samples = re.search(r"in (\d+) of (\d+) samples", text).groups()

    assert int(samples) == results["waits"].samples
    assert 0.9 * int(samples) <= int(waiting) <= int(samples)


@pytest.mark.parametrize("name", ["batch_in_loop", "nice_in_loop"])
def test_it_is_the_loop_that_is_looked_at_and_not_only_the_setup(results, name):
    assert not any("affinity" in warning or "thread" in warning for warning in results[name].warnings)


SCHEDULED = HEAD + """
#include <sys/prctl.h>

static int policy, slack_ns;

static void doze(void) { ppoll(NULL, 0, &(struct timespec){ .tv_nsec = 1000 }, NULL); }

static void look(void)
{
        policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
        slack_ns = prctl(PR_GET_TIMERSLACK);
}

static void tell(struct bench *b)
{
        bench_counter(b, "policy", policy);
        bench_counter(b, "slack_ns", slack_ns);
}

BENCH(sleeps) { bench_loop(b) { doze(); look(); } tell(b); }
BENCH(sleeps_at_times) { int n = 0; bench_loop(b) { if (++n % 3 == 0) poll(NULL, 0, 1); look(); } tell(b); }
BENCH(hands_over)
{
        int there[2], back[2];
        char c = 1;

        if (pipe(there) || pipe(back))
                bench_fail(b, "no pipe");
        if (fork() == 0) {
                close(there[1]), close(back[0]);
                while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
                        ;
                _exit(0);
        }
        close(there[0]), close(back[1]);
        bench_loop(b) {
                if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
                        bench_fail(b, "nobody answers");
                look();
        }
        tell(b);
}
BENCH(reckons) { bench_loop(b) look(); tell(b); }
BENCH(sleeps_first) { int n = 0; bench_loop(b) { if (n++ == 0) doze(); look(); } tell(b); }
"""


def test_a_body_that_gives_its_cpu_up_is_scheduled_as_in_a_program(client, modules):
    run = client.run(modules(SCHEDULED, "-D_GNU_SOURCE"), quick=True)
    rows = {row.name: row for row in run.benchmarks.values()}
    counters = {name: {counter.name: counter.value for counter in row.counters} for name, row in rows.items()}
    scheduler = next(control for control in run.result.environment.controls if control.name == "scheduler")

    assert counters["sleeps"]["policy"] == os.SCHED_OTHER
    for name in ("sleeps", "sleeps_at_times", "hands_over"):
        # Means of the processes: on a busy machine an answer can be there before one waits, which then keeps SCHED_FIFO, that has no slack.
        assert counters[name]["policy"] < os.SCHED_FIFO, name
        assert counters[name]["slack_ns"] == pytest.approx(50000 * (1 - counters[name]["policy"] / os.SCHED_FIFO)), name
    if scheduler.outcome != pb.Control.APPLIED:
        pytest.skip("SCHED_FIFO is not granted here")
    for name in ("reckons", "sleeps_first"):
        assert counters[name]["policy"] == os.SCHED_FIFO, name
    assert any("ran without SCHED_FIFO" in text and "slack" in text for text in rows["sleeps"].warnings), rows["sleeps"].warnings


FAULTS = HEAD + """
BENCH(faults)
{
        bench_loop(b) {
                volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

                *page = 1;
                munmap((void *)page, 4096);
        }
}
"""


def test_a_programs_own_faults_switch_the_canary_off_and_are_counted(client, modules):
    run = client.run(modules(FAULTS, "-D_GNU_SOURCE"), quick=True)
    result = next(iter(run.benchmarks.values()))
    if "canary" not in run.result.environment.tsc.detectors:
        pytest.skip("the kernel does not tell of interruptions here")

    assert list(result.disturbed.switched_off) == ["canary"]
    assert result.disturbed.faulted == result.samples
    assert result.disturbed.interrupted == 0
    disturbed = round(result.disturbed.fraction * result.samples)
    assert result.time_ns.undisturbed.samples == result.samples - disturbed
    by_others = ["preempted", "migrated", "frequency", "unattributed", "stolen"]
    assert disturbed <= sum(getattr(result.disturbed, name) for name in by_others), "its faults are its work, and disturb none"
    assert any("faults pages" in warning for warning in result.warnings)


def test_a_programs_own_sleep_switches_the_sequence_off(run, results):
    if "rseq" not in run.result.environment.tsc.detectors:
        pytest.skip("the kernel does not tell of preemptions here")
    assert "rseq" in results["waits"].disturbed.switched_off


SIGNALS = HEAD + """
#include <signal.h>

static void handle(int signal)
{
}

BENCH(signals)
{
        signal(SIGUSR1, handle);
        bench_loop(b) raise(SIGUSR1);
}
"""


def test_a_programs_own_signals_switch_the_sequence_off_and_are_no_preemptions(client, modules):
    run = client.run(modules(SIGNALS, "-D_GNU_SOURCE"), quick=True)
    result = next(iter(run.benchmarks.values()))
    if "rseq" not in run.result.environment.tsc.detectors:
        pytest.skip("the kernel does not tell of preemptions here")

    assert "rseq" in result.disturbed.switched_off
    assert 2 * result.disturbed.preempted < result.samples
    assert any("handles signals" in warning for warning in result.warnings)


def test_a_body_that_gives_its_priority_up_is_seen_by_the_launcher(client, modules):
    def scheduler(source):
        run = client.run(modules(HEAD + source, "-D_GNU_SOURCE"), quick=True)
        warnings.append(list(run.result.warnings))
        return {control.name: control.outcome for control in run.result.environment.controls}["scheduler"]

    warnings = []
    if scheduler(WELL) != pb.Control.APPLIED:
        pytest.skip("SCHED_FIFO is not to be had here")
    assert scheduler("BENCH(gives_up) { bench_loop(b) sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK,"
                     " &(struct sched_param){}); }") == pb.Control.OVERRIDDEN
    assert any("gave up SCHED_FIFO" in warning for warning in warnings[-1]), warnings[-1]
    # in its first window only, of several: a batch of a tenth of a second, of which a window holds three
    assert scheduler("""
#include <time.h>

static void spin(void)
{
        struct timespec from, now;

        clock_gettime(CLOCK_MONOTONIC, &from);
        do
                clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < 100000000);
}

BENCH(gives_up_once, .iterations = 1, .samples = 10, .processes = 1)
{
        static int calls;

        bench_loop(b) {
                if (calls++ == 1) /* the first call has none to give up */
                        sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &(struct sched_param){});
                spin();
        }
}
""") == pb.Control.OVERRIDDEN


IN_ITS_PAUSES = r"""
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void wait_and_fault(void)
{
        char *pages = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (pages == MAP_FAILED)
                return;
        memset(pages, 1, 1 << 16);
        munmap(pages, 1 << 16);
        poll(NULL, 0, 1);
}

BENCH(in_pauses, .iterations = 10)
{
        bench_loop(b) {
                for (volatile int turn = 0; turn < 1000; turn++)
                        ;
                bench_pause(b);
                wait_and_fault();
                bench_resume(b);
        }
}

BENCH(prints_in_pauses)
{
        bench_loop(b) {
                bench_pause(b);
                putchar('x');
                bench_resume(b);
        }
}
"""


def test_what_it_does_in_its_pauses_is_not_timed_and_marks_no_sample(client, modules):
    run = client.run(modules(IN_ITS_PAUSES, "-D_GNU_SOURCE"), quick=True)
    if set(run.result.environment.tsc.detectors) != {"canary", "rseq"}:
        pytest.skip("a detector does not work here, without which pauses cannot be told apart")
    results = {name.split("/")[1]: result for name, result in run.benchmarks.items()}

    quiet = results["in_pauses"]
    assert list(quiet.disturbed.switched_off) == []
    assert quiet.disturbed.preempted < quiet.samples / 2
    assert quiet.disturbed.interrupted < quiet.samples / 2
    assert quiet.disturbed.faulted < quiet.samples / 2
    assert quiet.cycles.source == pb.Quantity.UNAVAILABLE
    assert any("but for what it prints in its pauses" in warning for warning in results["prints_in_pauses"].warnings)

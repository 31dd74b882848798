# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks of several threads, and runs without preparation, through the real daemon."""

import os

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, PATIENT

TOUCHES = "team barrier"

FACTS = r"""
#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_uint setups, teardowns, bodies, numbers, tids[64], cpus[64];
static atomic_int lowest_cpus[64];
static atomic_uint bodies_at_setup, bodies_at_teardown;

static unsigned count_tasks(void)
{
        DIR *directory = opendir("/proc/self/task");
        unsigned n = 0;

        for (struct dirent *entry; (entry = readdir(directory));)
                n += entry->d_name[0] != '.';
        closedir(directory);
        return n;
}

/* On how many CPUs this thread may run, and the lowest of them. */
static void read_cpus(unsigned thread)
{
        cpu_set_t set;
        int cpu = 0;

        sched_getaffinity(0, sizeof set, &set);
        while (!CPU_ISSET(cpu, &set))
                cpu++;
        cpus[thread] = CPU_COUNT(&set);
        lowest_cpus[thread] = cpu;
}

static void set_up(struct bench *b)
{
        bodies_at_setup = bodies;
        setups++;
        numbers += 100 * bench_thread(b);
}

static atomic_uint others_left;

static void tear_down(struct bench *b)
{
        teardowns++;
        bench_counter(b, "teardowns", teardowns);
        bench_counter(b, "left_at_teardown", others_left);
}

BENCH(facts, .threads = BENCH_THREADS(1, 2), .setup = set_up, .teardown = tear_down, .args = BENCH_ARGS(n, 17))
{
        unsigned i = bench_thread(b);
        int seen = 0;

        bodies++;
        numbers += bench_threads(b) == 1 || i < bench_threads(b) ? 1 + i : 1000;
        tids[i] = gettid();
        read_cpus(i);
        bench_loop(b)
                seen = bodies;
        if (bench_arg(b, 0) != 17 || seen != (int)bench_threads(b))
                bench_fail(b, "%d bodies began", seen);
        if (i == 0) {
                bench_counter(b, "setups", setups);
                bench_counter(b, "bodies_at_setup", bodies_at_setup);
                bench_counter(b, "numbers", numbers);
                bench_counter(b, "tasks", count_tasks());
                bench_counter(b, "first_is_main", (int)tids[0] == getpid());
                bench_counter(b, "cpus0", cpus[0]);
                bench_counter(b, "cpus1", cpus[1]);
                bench_counter(b, "lowest0", lowest_cpus[0]);
                bench_counter(b, "lowest1", lowest_cpus[1]);
                bench_counter(b, "policy", sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
        }
        others_left++;
}
"""


def counters(result):
    assert not result.HasField("failed"), result.failed.message
    return {counter.name: counter.value for counter in result.counters}


@pytest.fixture
def two_cpus():
    """The CPUs of this machine, of which there are two or more."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs")
    return cpus


def test_each_thread_runs_the_body_on_a_cpu_of_its_own(client, modules, two_cpus):
    run = client.run(modules(FACTS, "-D_GNU_SOURCE", name="facts"), quick=True)
    one, two = (counters(result) for _, result in sorted(run.benchmarks.items()))

    assert [result.threads for _, result in sorted(run.benchmarks.items())] == [1, 2]
    lent = set(run.result.environment.cpus)
    assert one["numbers"] == 1
    assert one["cpus0"] == 1 and one["lowest0"] in lent
    assert two["numbers"] == 1 + 2
    assert (two["cpus0"], two["cpus1"]) == (1, 1) and {two["lowest0"], two["lowest1"]} == lent and len(lent) == 2
    assert two["first_is_main"] == 1


def test_one_thread_never_has_company_in_its_process(client, modules, two_cpus):
    run = client.run(modules(FACTS, "-D_GNU_SOURCE", name="facts"), quick=True)
    one, two = (counters(result) for _, result in sorted(run.benchmarks.items()))

    assert one["tasks"] == 1
    assert two["tasks"] == 2


def test_setup_and_teardown_run_once_before_and_after_all_bodies(client, modules, two_cpus):
    for result in client.run(modules(FACTS, "-D_GNU_SOURCE", name="facts"), quick=True).benchmarks.values():
        facts = counters(result)
        assert facts["setups"] == 1
        assert facts["bodies_at_setup"] == 0
        assert facts["teardowns"] == 1
        assert facts["left_at_teardown"] == result.threads


PING_PONG = r"""
#include <stdatomic.h>

static _Alignas(64) atomic_ulong turn;

/* Each hands over to the other: neither ends without the other in the same batch. */
BENCH(ping_pong, .threads = BENCH_THREADS(2))
{
        unsigned me = bench_thread(b);

        bench_loop(b) {
                while (atomic_load_explicit(&turn, memory_order_acquire) % 2 != me)
                        __builtin_ia32_pause();
                atomic_fetch_add_explicit(&turn, 1, memory_order_release);
        }
}
"""


def test_the_threads_of_a_benchmark_are_in_a_batch_together(client, modules, two_cpus):
    run = client.run(modules(PING_PONG, name="ping"), processes=3, samples=10, timeout_ns=600 * 10**9)
    (result,) = run.benchmarks.values()

    assert not result.HasField("failed"), result.failed.message
    assert result.time_ns.point > 0


def test_every_thread_gives_a_sample_of_each_batch(client, modules, two_cpus):
    module = modules("BENCH(items, .iterations = 10) { bench_items(b, 3); bench_loop(b) "
                     "for (volatile int i = 0; i < 1000; i++) ; }")
    one, two = (next(iter(client.run(module, processes=3, samples=7, warmup_ns=0, threads=n, keep_samples=True, **PATIENT).benchmarks.values()))
                for n in (1, 2))

    for result, threads in ((one, 1), (two, 2)):
        assert (result.threads, result.iterations_total) == (threads, 10 * result.samples)
        assert result.samples >= 3 * 7 * threads, "there are more on a machine that disturbs them"
        assert result.samples == sum(len(process.samples.time_ns) for process in result.processes)
    for process in two.processes:
        assert sorted(process.samples.thread) == sorted([0, 1] * (len(process.samples.time_ns) // 2))
    assert one.throughput.items_per_second == pytest.approx(3e9 / one.time_ns.point)
    assert two.throughput.items_per_second > 0
    assert len(two.processes) == 3


TOLD = r"""
BENCH(told, .threads = BENCH_THREADS(2), .iterations = 10)
{
        unsigned i = bench_thread(b);

        bench_ops(b, 10 * (1 + i));
        if (i == 1)
                bench_items(b, 7);
        bench_loop(b)
                for (volatile int turn = 0; turn < 1000; turn++)
                        ;
        bench_counter(b, "turns", 5 + i);
        bench_counter(b, i == 0 ? "first" : "second", 1);
}

BENCH(too_many, .threads = BENCH_THREADS(2))
{
        char name[] = "a0";

        bench_loop(b)
                bench_clobber();
        for (int i = 0; i < 9; i++) {
                name[0] = "ab"[bench_thread(b)];
                name[1] = '0' + i;
                bench_counter(b, name, 1);
        }
}
"""


def test_what_each_thread_tells_counts(client, modules, two_cpus):
    run = client.run(modules(TOLD, name="told"), processes=3, samples=4, warmup_ns=0, **PATIENT)
    told, too_many = (next(result for name, result in run.benchmarks.items() if f"/{wanted} " in name)
                      for wanted in ("told", "too_many"))

    assert counters(told) == {"turns": 11, "first": 1, "second": 1}
    assert told.iterations_total == 10 * told.samples >= 3 * 4 * 10 * 2  # more beside a neighbour
    assert told.operations_total == told.samples // 2 * 10 * (10 + 20)
    assert told.throughput.items_per_second > 0
    assert too_many.failed.code == "misuse" and "more than 16 names" in too_many.failed.message


def test_where_the_last_cpu_is_needed_the_result_says_so(client, modules, two_cpus):
    module = modules("BENCH(x) { bench_loop(b) bench_clobber(); }")
    run = client.run(module, quick=True, threads=len(two_cpus)) if len(two_cpus) <= 64 else pytest.skip("too many")

    assert list(run.result.environment.cpus) == two_cpus
    assert run.result.environment.scheduler == pb.Environment.OTHER
    assert any(f"CPU {two_cpus[0]} too" in warning for warning in run.result.warnings)
    alone = client.run(module, quick=True)
    assert len(alone.result.environment.cpus) == 1 and two_cpus[0] not in alone.result.environment.cpus
    assert not any(" too" in warning for warning in alone.result.warnings)


def test_more_threads_than_cpus_are_skipped_and_alone(client, modules, two_cpus):
    n = len(two_cpus)
    module = modules(f"BENCH(a, .threads = BENCH_THREADS(1, {n + 6})) {{ bench_loop(b) bench_clobber(); }}\n"
                     "BENCH(z) { bench_loop(b) bench_clobber(); }", name="many")
    run = client.run(module, quick=True)
    failures = {name.split("/")[1]: result.failed for name, result in run.benchmarks.items() if result.HasField("failed")}

    assert run.result.verdict in MEASURED
    assert set(failures) == {f"a threads={n + 6}"}
    failure = failures[f"a threads={n + 6}"]
    assert failure.code == "skipped"
    assert failure.message == f"It asks for {n + 6} threads; this machine can lend at most {n} CPUs."
    assert len(run.benchmarks) == 3


def test_more_threads_than_cpus_fail_where_the_request_wants_them(client, modules, two_cpus):
    run = client.run(modules("BENCH(a) { bench_loop(b) bench_clobber(); }"), quick=True, threads=len(two_cpus) + 6)
    (result,) = run.benchmarks.values()

    assert (run.result.verdict, result.failed.code) == (pb.RunResult.FAILED, "threads")


def test_names_in_listing_and_filter_are_those_of_one_thread(client, modules, two_cpus):
    module = modules(FACTS, "-D_GNU_SOURCE", name="facts")
    (entry,) = client.list(module).benchmarks

    assert (entry.name, list(entry.threads)) == ("facts", [1, 2])
    assert len(client.run(module, quick=True, filters=["*/facts/n=17"]).benchmarks) == 2


def test_jobs_of_several_threads_and_of_one_take_turns(daemon, modules, two_cpus):
    module = modules(PING_PONG + "BENCH(alone) { bench_loop(b) bench_clobber(); }", name="turns")
    clients = [daemon.connect() for _ in range(4)]
    ids = [client.submit(module, quick=True) for client in clients]

    for client, request in zip(clients, ids):
        run = client.collect(request)
        assert run.result.verdict in MEASURED
        assert len(run.benchmarks) == 2
        client.socket.close()


def test_an_unprepared_run_is_like_any_other_program(client, modules):
    run = client.run(modules(FACTS, "-D_GNU_SOURCE", name="facts"), quick=True, threads=1, unprepared=True)
    facts = counters(next(iter(run.benchmarks.values())))
    environment = run.result.environment

    assert (facts["cpus0"], facts["lowest0"]) == (len(os.sched_getaffinity(0)), min(os.sched_getaffinity(0)))
    assert facts["policy"] == os.SCHED_OTHER
    outcomes = {control.name: control.outcome for control in environment.controls}
    assert {outcomes[name] for name in ("scheduler", "affinity", "memory")} == {pb.Control.OMITTED}
    assert environment.scheduler == pb.Environment.OTHER
    assert environment.isolation == pb.Environment.NONE
    assert any("unprepared" in warning for warning in run.result.warnings)


def test_a_prepared_and_an_unprepared_run_are_not_comparable(client, modules):
    module = modules("BENCH(x) { bench_loop(b) bench_clobber(); }")
    keys = {False: {}, True: {}}
    for unprepared in (False, True, False, True):
        result = client.run(module, quick=True, unprepared=unprepared).result
        conditions = str(result.environment.controls)  # another daemon may hold the machine's settings meanwhile
        keys[unprepared].setdefault(conditions, set()).add(result.comparability_key)

    assert all(len(same) == 1 for of in keys.values() for same in of.values())
    prepared, unprepared = (set().union(*of.values()) for of in keys.values())
    assert not prepared & unprepared


@pytest.mark.parametrize("threads", [0, 65])
def test_a_number_of_threads_that_cannot_be_is_refused(client, modules, threads):
    from support.client import MEASURED, Failed

    with pytest.raises(Failed) as failed:
        client.run(modules("BENCH(x) { bench_loop(b) bench_clobber(); }"), threads=threads)
    assert failed.value.code == "BAD_REQUEST"
    assert "threads" in failed.value.message

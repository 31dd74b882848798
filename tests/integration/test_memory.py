# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body allocates, counted exactly, in a process of its own through the real daemon."""

import pytest

import benchd_pb2 as pb

TOUCHES = "daemon/runner/time/memory.* daemon/runner/count/* memory-count"


def count(client, module, **options):
    run = client.run(module, quick=True, memory=True, **options)
    return {name.split("/")[1]: result for name, result in run.benchmarks.items()}


FAMILY = """
#include <stdlib.h>
#include <string.h>

static void **chain;

static void keep(void **block) { *block = chain; chain = block; }

static void drop_all(struct bench *b)
{
        while (chain) {
                void **next = *chain;

                free(chain);
                chain = next;
        }
}

BENCH(pair)     { bench_loop(b) { void *p = malloc(100); bench_use(p); free(p); } }
BENCH(grow)     { bench_loop(b) { void *p = realloc(malloc(10), 100); bench_use(p); free(p); } }
BENCH(aligned)  { bench_loop(b) { void *p; bench_use(posix_memalign(&p, 64, 30)); free(p);
                                  p = aligned_alloc(32, 64); bench_use(p); free(p); p = calloc(3, 5); bench_use(p); free(p); } }
BENCH(large)    { bench_loop(b) { void *p = malloc(1 << 20); bench_use(p); free(p); } }
BENCH(nothing)  { void *p = malloc(50); bench_loop(b) bench_clobber(); free(p); }
BENCH(leak)     { bench_loop(b) bench_use(malloc(24)); }
BENCH(ten)      { bench_loop(b) { BENCH_REPEAT10({ void *p = strdup("seven b"); bench_use(p); free(p); }); } }

BENCH(kept_to_the_end)
{
        bench_loop(b)
                keep(malloc(16));
        drop_all(b);
}
BENCH(kept_to_the_teardown, .teardown = drop_all) { bench_loop(b) keep(malloc(16)); }
BENCH(dropped_by_reset, .reset = drop_all, .iterations = 40) { bench_loop(b) keep(malloc(16)); }

BENCH(in_a_pause)
{
        bench_loop(b) {
                bench_pause(b);
                void *p = malloc(77);
                bench_resume(b);
                void *q = malloc(8);
                bench_use(p);
                bench_use(q);
                bench_pause(b);
                free(p);
                free(q);
                bench_resume(b);
        }
}

static void fill(void *input, uint64_t index, void *ctx) { *(void **)input = malloc(33); }
BENCH(prepared) { bench_inputs(b, sizeof(void *), fill, NULL, NULL); bench_loop(b) free(*(void **)bench_input(b)); }
"""


def per_operation(result):
    memory = result.memory
    return (memory.allocations_per_operation, memory.frees_per_operation, memory.bytes_per_operation,
            memory.retained_bytes_per_operation, memory.peak_bytes_per_iteration)


@pytest.mark.parametrize("name, expected", [
    ("pair", (1, 1, 100, 0, 100)),
    ("grow", (2, 2, 110, 0, 100)),
    ("aligned", (3, 3, 30 + 64 + 15, 0, 64)),
    ("large", (1, 1, 1 << 20, 0, 1 << 20)),
    ("nothing", (0, 0, 0, 0, 0)),
    ("leak", (1, 0, 24, 24, 24)),
    ("kept_to_the_end", (1, 0, 16, 16, 16)),
    ("kept_to_the_teardown", (1, 0, 16, 16, 16)),
    ("dropped_by_reset", (1, 0, 16, 16, 16)),
    ("in_a_pause", (1, 0, 8, 0, 8)),
    ("prepared", (0, 1, 0, 0, 0)),
])
def test_what_an_operation_allocates_is_counted_exactly(client, modules, name, expected):
    assert per_operation(count(client, modules(FAMILY, "-fno-builtin"), filters=[name])[name]) == expected


def test_a_repeated_statement_is_counted_as_one(client, modules):
    memory = count(client, modules(FAMILY), filters=["ten"])["ten"].memory
    assert (memory.allocations_per_operation, memory.bytes_per_operation) == (1, 8)
    assert memory.operations == 10 * memory.iterations_per_batch


def test_a_leak_is_named_and_what_the_tear_down_frees_is_none(client, modules):
    results = count(client, modules(FAMILY), filters=["leak", "kept_*"])
    leaked = results["leak"].memory

    assert leaked.leaked_blocks == leaked.leaked_iterations > 0
    assert leaked.leaked_bytes == 24 * leaked.leaked_blocks
    assert [f"{leaked.leaked_bytes} bytes" in text for text in results["leak"].warnings if "leak" in text] == [True]
    for name in ["kept_to_the_end", "kept_to_the_teardown"]:
        assert results[name].memory.leaked_blocks == 0
        assert not [text for text in results[name].warnings if "leak" in text]


def test_a_batch_of_a_benchmark_with_state_has_its_length_and_its_peak(client, modules):
    memory = count(client, modules(FAMILY), filters=["dropped_by_reset"])["dropped_by_reset"].memory
    assert memory.iterations_per_batch == 40
    assert memory.peak_bytes_per_batch == 40 * 16


PLUS = """
#include <benchd/bench.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#ifdef OWN_NEW
void *operator new(std::size_t n) { if (void *p = std::malloc(n + 16)) return p; throw std::bad_alloc(); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
#endif
#ifdef OWN_POOL
static char pool[1 << 20];
static std::size_t used;
void *operator new(std::size_t n) { used = (used + n + 15) / 16 * 16 % (sizeof pool / 2); return pool + used; }
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}
#endif

BENCH(four_pushes)
{
        bench_loop(b) {
                std::vector<int> v;

                for (int i = 0; i < 4; i++)
                        v.push_back(i);
                bench_use(v.data());
        }
}
"""


@pytest.fixture
def plus(modules, tmp_path):
    path = tmp_path / "plus.cc"
    path.write_text(PLUS)
    return lambda *flags: modules(path, *flags)


@pytest.mark.parametrize("flags, more", [((), 0), (("-DOWN_NEW",), 16), (("-static-libstdc++",), 0)])
def test_operator_new_counts_whoever_made_it_of_malloc(client, plus, flags, more):
    result = count(client, plus(*flags))["four_pushes"]
    # Room for 1, 2 and 4.
    assert per_operation(result)[:4] == (3, 3, 4 + 8 + 16 + 3 * more, 0)


OWN_MALLOC = """
#include <stddef.h>
#include <string.h>

static char memory[1 << 24];
static size_t at;
%s void *malloc(size_t n) { at = (at + n + 31) %% (sizeof memory / 2) & ~(size_t)15; return memory + at; }
%s void *calloc(size_t n, size_t size) { void *block = malloc(n * size); return memset(block, 0, n * size); }
%s void *realloc(void *block, size_t n) { void *grown = malloc(n); return block ? memmove(grown, block, n) : grown; }
%s void free(void *block) { }
BENCH(own) { bench_loop(b) bench_use(malloc(8)); }
"""


@pytest.mark.parametrize("flags", [(), ("-Wl,-Bsymbolic",), ("-s", "-Wl,-Bsymbolic")])
def test_an_allocator_that_libcs_cannot_stand_in_for_is_named(client, modules, flags):
    visibility = "" if flags else '__attribute__((visibility("hidden")))'
    result = count(client, modules(OWN_MALLOC % (4 * (visibility,)), "-fno-builtin", *flags))["own"]

    assert not result.HasField("memory")
    assert not result.HasField("failed") and result.time_ns.point > 0
    assert [text for text in result.warnings if "its own allocator" in text]


def test_a_pool_behind_operator_new_is_named(client, plus):
    result = count(client, plus("-DOWN_POOL"))["four_pushes"]

    assert not result.HasField("memory")
    assert [text for text in result.warnings if "its own allocator" in text]


def test_a_malloc_of_the_module_that_libcs_stands_in_for_is_counted(client, modules):
    result = count(client, modules(OWN_MALLOC % (4 * ("",)), "-fno-builtin", name="replaced"))["own"]
    assert (result.memory.allocations_per_operation, result.memory.bytes_per_operation) == (1, 8)


THREADS = """
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { for (int i = 0; i < 1000; i++) { void *volatile p = malloc(64); free(p); } return NULL; }

BENCH(threads)
{
        bench_loop(b) {
                pthread_t threads[3];

                for (int i = 0; i < 3; i++)
                        pthread_create(&threads[i], NULL, work, NULL);
                for (int i = 0; i < 3; i++)
                        pthread_join(threads[i], NULL);
        }
}
"""


def test_threads_of_the_module_are_counted_too(client, modules):
    memory = count(client, modules(THREADS, "-fno-builtin"), samples=3)["threads"].memory
    assert 3000 <= memory.allocations_per_operation <= 3010
    assert 3000 * 64 <= memory.bytes_per_operation


LOOK = """
#include <dlfcn.h>
#include <stdlib.h>

BENCH(look)
{
        bench_counter(b, "library", dlsym(RTLD_DEFAULT, "benchd_count_begin") != NULL);
        bench_counter(b, "variable", getenv("LD_PRELOAD") != NULL);
        bench_loop(b)
                bench_clobber();
}

/* What goes wrong where it is counted becomes a warning. */
BENCH(counted)
{
        if (dlsym(RTLD_DEFAULT, "benchd_count_begin") && getenv("LD_PRELOAD"))
                bench_fail(b, "the variable is left");
        bench_loop(b)
                bench_clobber();
}
"""


def test_no_process_that_is_timed_has_the_library(client, modules):
    result = count(client, modules(LOOK), filters=["look"])["look"]

    assert {counter.name: counter.value for counter in result.counters} == {"library": 0, "variable": 0}
    assert result.HasField("memory")


def test_what_the_module_starts_is_not_counted(client, modules):
    result = count(client, modules(LOOK), filters=["counted"])["counted"]
    assert result.HasField("memory")
    assert not [text for text in result.warnings if "not counted" in text]


def test_a_preloaded_allocator_is_counted_too(client, modules):
    """By a path of the system's, whichever library lies there: it stands behind the one that counts."""
    result = count(client, modules(FAMILY), filters=["pair"], environment=["LD_PRELOAD=libm.so.6"])["pair"]
    assert result.memory.allocations_per_operation == 1


ONLY_COUNTED = """
#include <dlfcn.h>
#include <stdlib.h>

BENCH(dies_when_counted)
{
        if (dlsym(RTLD_DEFAULT, "benchd_count_begin"))
                abort();
        bench_loop(b)
                bench_clobber();
}
"""


def test_a_benchmark_that_dies_when_it_is_counted_keeps_its_times(client, modules):
    result = count(client, modules(ONLY_COUNTED))["dies_when_counted"]

    assert not result.HasField("failed") and not result.HasField("memory")
    assert len(result.processes) >= 4
    assert [text for text in result.warnings if "not counted: It crashed with signal 6" in text]


def test_nothing_is_counted_that_nobody_asked_for(client, modules):
    run = client.run(modules(FAMILY), quick=True, filters=["pair"])

    assert not next(iter(run.benchmarks.values())).HasField("memory")
    measuring = [p for p in run.progress if p.stage == pb.Progress.MEASURING]
    assert measuring[0].processes == 4 and measuring[-1].processes == len(next(iter(run.benchmarks.values())).processes)


def test_the_process_that_counts_is_one_more_and_the_last(client, modules):
    run = client.run(modules(FAMILY), quick=True, memory=True, filters=["pair", "nothing"])
    measuring = [p for p in run.progress if p.stage == pb.Progress.MEASURING]

    assert measuring[0].processes == 10 and len(measuring) == measuring[-1].processes
    for result in run.benchmarks.values():
        assert len(result.processes) >= 4

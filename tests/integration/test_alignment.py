# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module aligns is aligned in every process of a run and of a comparison, wherever its code is moved to, for itself and for whomever
it hands an address to."""

import pytest

import benchd_pb2 as pb

TOUCHES = "image-offset daemon/runner/load/start.* daemon/runner/load/module*"

FEW = dict(quick=True, processes=8, samples=3)

# All in one module, which moves by no less than the largest of them.
ALIGNED = """
#ifndef __cplusplus
# define alignas _Alignas
# define thread_local _Thread_local
#endif
#include <stdint.h>

struct of_type { float parts[4]; } __attribute__((aligned(BYTES)));

alignas(BYTES) static float data[4] = { 1, 2, 3, 4 };
alignas(BYTES) static const float constant[4] = { 1, 2, 3, 4 };
alignas(BYTES) static float zeros[4];
alignas(BYTES) static thread_local float of_thread[4] = { 1 };
alignas(BYTES) static thread_local float zeros_of_thread[4];
static struct of_type of_type = { { 1 } };
__attribute__((aligned(BYTES), noinline)) static void function(void) { __asm__ volatile(""); }

static void check(struct bench *b, const char *what, const void *place)
{
        __asm__("" : "+r"(place)); /* else the compiler knows the answer */
        if ((uintptr_t)place % BYTES)
                bench_fail(b, "%s is at %p, which is no multiple of %u", what, place, BYTES);
}

BENCH(aligned, .area = "a")
{
        check(b, "data", data);
        check(b, "constant", constant);
        check(b, "zeros", zeros);
        check(b, "of_thread", of_thread);
        check(b, "zeros_of_thread", zeros_of_thread);
        check(b, "of_type", &of_type);
        check(b, "function", (const void *)(uintptr_t)function);
        bench_loop(b)
                function();
}
"""

# Loads from an address that its caller aligned; the module itself has no such instruction.
LIBRARY = """
float first_of(const float *p);
float first_of(const float *p)
{
        float first;
        __asm__("%s (%%1), %%%%%smm1\\n\\tvmovss %%%%xmm1, %%0" : "=m"(first) : "r"(p) : "xmm1", "memory");
        return first;
}
"""
USES = """
float first_of(const float *p);
static _Alignas(%d) float buffer[64] = { 5 };
BENCH(loads, .area = "a") { bench_loop(b) bench_use(first_of(buffer)); if (first_of(buffer) != 5) bench_fail(b, "wrong"); }
"""

LOOP = """
static char array[64] %s;
%s
BENCH(loop, .area = "a") { bench_loop(b) array[0]++; bench_use(array[0]); }
"""
NOPS = '__asm__(".text\\n\\t.p2align 4\\n\\t.rept 16\\n\\tnop\\n\\t.endr\\n");'


def only(run):
    benchmark, = run.benchmarks.values()
    assert not benchmark.HasField("failed"), benchmark.failed.message
    return benchmark


def offsets(benchmark):
    return sorted({process.image_offset for process in benchmark.processes})


def code_offset(run):
    return next(control for control in run.result.environment.controls if control.name == "code offset")


@pytest.mark.parametrize("n_bytes, places", [(16, [0, 16, 32, 48]), (32, [0, 32]), (64, [0]), (4096, [0])])
@pytest.mark.parametrize("ending", [".c", ".cc"])
def test_what_is_aligned_is_so_in_every_process(client, modules, tmp_path, ending, n_bytes, places):
    source = tmp_path / f"aligned{ending}"
    source.write_text("#include <benchd/bench.h>\n" + ALIGNED)
    run = client.run(modules(source, f"-DBYTES={n_bytes}"), **FEW)

    assert offsets(only(run)) == places
    assert code_offset(run).outcome == (pb.Control.APPLIED if len(places) > 1 else pb.Control.UNSUPPORTED)
    assert getattr(code_offset(run), "is") == {4: "random within a cache line", 2: "random within a cache line, by 32 bytes", 1: "as linked"}[len(places)]


def test_what_is_aligned_is_so_on_both_sides_of_a_comparison(client, modules):
    module = modules(ALIGNED, "-DBYTES=32")
    run = client.compare(module, module, **FEW)

    assert not any(row.HasField("failed") for row in run.benchmarks.values()), run.benchmarks
    assert all(offsets(row) == [0, 32] for row in run.benchmarks.values())


@pytest.mark.parametrize("feature, instruction, register, n_bytes", [
    ("avx", "vmovaps", "y", 32),
    ("avx512f", "vmovaps", "z", 64),
])
def test_a_library_may_count_on_what_its_caller_aligned(client, modules, tmp_path, feature, instruction, register, n_bytes):
    with open("/proc/cpuinfo") as cpuinfo:
        if feature not in cpuinfo.read().split():
            pytest.skip(f"this CPU has no {feature}")
    library = modules(LIBRARY % (instruction, register), "-Wl,-soname,libloads.so", name="libloads")
    named = tmp_path / "libloads.so"
    named.write_bytes(library.read_bytes())

    only(client.run(modules(USES % n_bytes, f"-L{tmp_path}", "-lloads"), libraries=[named], **FEW))


def test_an_array_that_the_compiler_aligns_leaves_two_places_and_the_tables_of_the_header_all_four(client, modules):
    assert offsets(only(client.run(modules(LOOP % ("", "")), **FEW))) == [0, 32]
    assert offsets(only(client.run(modules(LOOP % ("__attribute__((aligned(16)))", "")), **FEW))) == [0, 16, 32, 48]


@pytest.mark.parametrize("alignment, told", [(16, False), (32, True), (64, True)])
def test_loops_that_no_move_makes_alike_are_told(client, modules, alignment, told):
    aligned = f"__attribute__((aligned({alignment})))"
    run = client.compare(modules(LOOP % (aligned, NOPS)), modules(LOOP % (aligned, "")), **FEW)
    row, = run.result.comparisons

    assert ("placement-differs" in [finding.kind for finding in row.findings]) == told

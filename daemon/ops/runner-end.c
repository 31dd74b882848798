/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/runner-end.h"

#include <stddef.h>

#include "util/cleanup.h"

static const RunnerEndWords rows[] = {
        { RUNNER_END_BREAK, "break", "Its loop was left by break, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_RETURN, "return", "Its loop was left by return or goto, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_JUMP, "jump", "Its loop was left by longjmp, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_EXCEPTION, "exception", "A C++ exception left the benchmark", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NO_LOOP, "no-loop", "It has no bench_loop(), or ended before it: there is nothing to time",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SECOND_LOOP, "second-loop", "It has two bench_loop(), and a benchmark has one",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_FAILED, "failed", "It called bench_fail", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SKIPPED, "skipped", "It called bench_skip", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_MISUSE, "misuse", "It uses bench.h in a way that cannot be timed", RUNNER_END_BLAME_BENCHMARK,
                        .words_alone = true },
        { RUNNER_END_UNSUPPORTED, "unsupported", "It asks for a feature that this benchd does not have",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_THREAD, "thread", "It ended one of its threads itself", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_THREAD_LEFT, "thread-left",
                        "Threads that it started within its loop still ran when the batch was over, in more than 16 batches: "
                        "join each where it was started, or keep a pool",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_CHILD, "child",
                        "A child that it forked (fork, daemon) left the iteration as its parent does: end the child with _exit(), or by "
                        "exec, where the fork is",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_DESCRIPTORS, "descriptors",
                        "It closed or replaced descriptors of benchd's (closefrom, close_range, dup2): close those alone that "
                        "it opened itself",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_DIRECTORY, "directory", "Its directory cannot be made (--dir)", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SEE, "see", "A path that it is to see cannot be opened (--see)", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NO_SUCH_BENCHMARK, "vanished", "The module did not hold it when it was loaded again",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NOT_ELF, "not-elf", "It is not a compiled module (not an ELF file)", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_MACHINE, "machine", "It is compiled for another architecture than x86-64",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NOT_SHARED, "not-shared",
                        "It is an ELF file but not a shared object: compile it with -shared -fPIC",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_LOAD, "load", "It cannot be loaded", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_LIBRARY, "library", "A library that came with it cannot be loaded", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NO_BENCHMARKS, "no-benchmarks", "It holds no benchmark: write one with BENCH() of benchd/bench.h",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_HIDDEN, "hidden",
                        "It holds benchmarks but does not export benchd_module: add 'global: benchd_module;' to its version "
                        "script",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NO_SECTIONS, "no-sections",
                        "It has no section headers, by which its benchmarks are found in its file: benchd can run it, and cannot "
                        "show its code. Keep those that the linker wrote",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_ABI, "abi", "It was compiled with another version of benchd/bench.h: compile it again",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_BAD_DESCRIPTOR, "bad-descriptor", "It declares an impossible benchmark", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_CONFINE, "confine", "The runner could not give up its rights, so it loaded nothing",
                        RUNNER_END_BLAME_DAEMON },
        { RUNNER_END_INTERNAL, "internal", "The runner itself failed", RUNNER_END_BLAME_DAEMON },
};

const RunnerEndWords *runner_end_words(uint32_t end) {
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].end == end)
                        return &rows[i];
        return NULL;
}

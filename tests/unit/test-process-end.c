/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How a runner ended: each way has its own word and a sentence of its own; the launcher's word counts before the
 * runner's.
 */

#include "front/samples/process-end.h"

#include "front/samples/runner-block.h"
#include "test.h"
#include "util/time.h"

static const RunnerOutput no_output;

typedef struct ProcessEndCase {
        const char *code; /* NULL: complete */
        const char *message;
        OpsEnded ended;
        bool unreadable;
        RunnerMode mode;
        BlockHead head;
        RunnerOutput output;
} ProcessEndCase;

#define OUTPUT(text_) .output = { .text = text_, .n = sizeof(text_) - 1 }

static const ProcessEndCase cases[] = {
        { NULL, NULL, .head = { .end = RUNNER_END_COMPLETE, .phase = RUNNER_PHASE_DONE } },
        { "crashed", "It crashed with signal 11 (Segmentation fault) while the module was loaded.",
                        .ended = { .exit_signal = SIGSEGV, .exit_code = -1 },
                        .head = { .phase = RUNNER_PHASE_LOADING } },
        { "crashed", "It crashed with signal 11 (Segmentation fault) in its first call, at parse+0x1c, reading address 0x0.",
                        .ended = { .exit_signal = SIGSEGV, .exit_code = -1 },
                        .head = { .phase = RUNNER_PHASE_FIRST_CALL,
                                        .crash = { .signal = SIGSEGV,
                                                        .access = CRASH_ACCESS_READ,
                                                        .at = { .symbol = "parse", .offset = 28, .found = 1 } } } },
        { "crashed", "It crashed with signal 7 (Bus error) before the module was loaded, at 0x1c of libz.so.1, called from 0x40 of the module, writing address 0x1000.",
                        .ended = { .exit_signal = SIGBUS, .exit_code = -1 },
                        .head = { .crash = { .signal = SIGBUS,
                                                  .access = CRASH_ACCESS_WRITE,
                                                  .address = 4096,
                                                  .at = { .file = "libz.so.1", .offset = 28, .found = 1 },
                                                  .caller = { .offset = 64, .found = 1 } } } },
        { "crashed", "It crashed with signal 6 (Aborted) before the module was loaded, at check+0x5.",
                        .ended = { .exit_signal = SIGABRT, .exit_code = -1 },
                        .head = { .crash = { .signal = SIGABRT,
                                                  .at = { .file = "libc.so.6", .offset = 28, .found = 1 },
                                                  .caller = { .symbol = "check", .offset = 5, .found = 1 } } } },
        { "crashed", "It crashed with signal 11 (Segmentation fault) before the module was loaded: its stack of 64 MiB is full. --stack=SIZE allows more, up to stack_max= of benchd.conf.",
                        .ended = { .exit_signal = SIGSEGV, .exit_code = -1, .stack_bytes = 64ull << 20 },
                        .head = { .crash = { .signal = SIGSEGV, .access = CRASH_ACCESS_STACK, .address = 1 } } },
        { "crashed", "It crashed with signal 11 (Segmentation fault) before the module was loaded.",
                        .ended = { .exit_signal = SIGSEGV, .exit_code = -1 },
                        .head = { .crash = { .signal = SIGABRT, .access = CRASH_ACCESS_READ } } },
        { "crashed", "It crashed with signal 8 (Floating point exception) in its first call.",
                        .ended = { .exit_signal = SIGFPE, .exit_code = -1 },
                        .head = { .phase = RUNNER_PHASE_FIRST_CALL } },
        { "crashed", "It crashed with signal 6 (Aborted) at an unknown point.",
                        .ended = { .exit_signal = SIGABRT, .exit_code = -1 }, .unreadable = true },
        { "crashed", "It crashed with signal 11 (Segmentation fault) at its very end, when all was measured.",
                        .ended = { .exit_signal = SIGSEGV, .exit_code = -1 },
                        .head = { .end = RUNNER_END_COMPLETE, .phase = RUNNER_PHASE_DONE } },
        { "killed", "It was killed while sampling: it ran at SCHED_FIFO for 10 s without waiting once (RLIMIT_RTTIME), or met a limit of CPU time that it set itself. --prepare=none has no such limit.",
                        .ended = { .exit_signal = SIGXCPU, .exit_code = -1 },
                        .head = { .phase = RUNNER_PHASE_SAMPLING } },
        { "killed", "It was killed from outside in its set-up, before the loop: the kernel does that when memory runs out.",
                        .ended = { .exit_signal = SIGKILL, .exit_code = -1 }, .head = { .phase = RUNNER_PHASE_SETUP } },
        { "timeout", "It did not end within 60 s and was killed while sampling. --timeout=SECONDS allows it longer, up to timeout_max= of benchd.conf.",
                        .ended = { .killed = OPS_KILLED_TIMEOUT, .exit_signal = SIGKILL, .exit_code = -1 },
                        .head = { .phase = RUNNER_PHASE_SAMPLING } },
        { "timeout", "It did not end within 60 s and was killed while the module was loaded. listing_timeout= of benchd.conf allows it longer.",
                        .ended = { .killed = OPS_KILLED_TIMEOUT, .exit_signal = SIGKILL, .exit_code = -1 },
                        .mode = RUNNER_MODE_LIST, .head = { .phase = RUNNER_PHASE_LOADING } },
        { "timeout", "It did not end within 60 s and was killed at an unknown point.",
                        .ended = { .killed = OPS_KILLED_TIMEOUT, .exit_signal = SIGKILL, .exit_code = -1 },
                        .mode = RUNNER_MODE_INSPECT, .unreadable = true },
        { "timeout", "It did not end within 60 s and was killed while sampling. --timeout=SECONDS allows it longer, up to timeout_max= of benchd.conf. It had reached the limit of 65 processes and threads of a run; tasks_max= of benchd.conf sets it.",
                        .ended = { .killed = OPS_KILLED_TIMEOUT,
                                        .exit_signal = SIGKILL,
                                        .bounds_met = OPS_BOUND_TASKS,
                                        .tasks_max = 65 },
                        .head = { .phase = RUNNER_PHASE_SAMPLING } },
        { "memory", "It was killed in its set-up, before the loop: it and its processes reached the limit of memory of a run, 3 GiB. memory_max= of benchd.conf sets it.",
                        .ended = { .killed = OPS_KILLED_MEMORY,
                                        .exit_signal = SIGKILL,
                                        .bounds_met = OPS_BOUND_MEMORY,
                                        .memory_max_bytes = 3ull << 30 },
                        .head = { .phase = RUNNER_PHASE_SETUP } },
        { "failed", "It called bench_fail: mmap: Cannot allocate memory. No control group bounds memory here, so each process has an address space of at most 16 GiB; address_space_max= of benchd.conf sets it.",
                        .ended = { .address_space_max_bytes = 16ull << 30 },
                        .head = { .end = RUNNER_END_FAILED, .message = "mmap: Cannot allocate memory." } },
        { "failed", "It called bench_fail: no input", .ended = { .address_space_max_bytes = 16ull << 30 },
                        .head = { .end = RUNNER_END_FAILED, .message = "no input" } },
        { "misuse", "It was killed in its first call: it wrote more than 1000 times a second to a pipe of the runner's, which is not its own. A benchmark writes to descriptors only that it opened.",
                        .ended = { .killed = OPS_KILLED_FLOOD, .exit_signal = SIGKILL },
                        .head = { .phase = RUNNER_PHASE_FIRST_CALL } },
        { "stuck", "It was killed for its timeout, but process 4711 does not die: the kernel holds it, as it does while a file server does not answer. A CPU that it was lent is not lent again until then: 'benchctl status' names it. 'cat /proc/4711/stack' (as root) and 'ps -o stat,wchan:30 -p 4711' tell what it waits for.",
                        .ended = { .killed = OPS_KILLED_TIMEOUT,
                                        .exit_signal = SIGKILL,
                                        .exit_code = -1,
                                        .stuck_pid = 4711 },
                        .unreadable = true },
        { "cancelled", "It was cancelled.",
                        .ended = { .killed = OPS_KILLED_REQUEST, .exit_signal = SIGKILL, .exit_code = -1 } },
        { "internal", "The daemon could not start the runner: mount /proc: Permission denied.",
                        .ended = { .exit_code = 71, .unborn = "mount /proc: Permission denied" }, .unreadable = true },
        { "internal", "The daemon could not start the runner: the first process of its cell: Too many open files.",
                        .ended = { .exit_signal = SIGKILL,
                                        .exit_code = -1,
                                        .unborn = "the first process of its cell: Too many open files" } },
        { "cancelled", "It was cancelled.",
                        .ended = { .killed = OPS_KILLED_REQUEST,
                                        .exit_signal = SIGKILL,
                                        .unborn = "execveat: Cannot allocate memory" },
                        .unreadable = true },
        { "bad-result", "The module overwrote the runner's results.", .ended = { .exit_code = 71 },
                        .unreadable = true },
        { "bad-result", "The module overwrote the runner's results.", .unreadable = true },
        { "exited", "It ended its process with exit status 3 while warming up, not by exit(): _exit(), quick_exit() and daemon() do so, and a program that it became by exec.",
                        .ended = { .exit_code = 3 }, .head = { .phase = RUNNER_PHASE_WARMUP } },
        { "exited", "It ended its process with exit status 7 in its tear-down, after the loop.",
                        .head = { .end = RUNNER_END_EXIT, .code = 7, .phase = RUNNER_PHASE_TEARDOWN } },
        { "failed", "It called bench_fail: no space in /tmp",
                        .head = { .end = RUNNER_END_FAILED, .message = "no space in /tmp" } },
        { "misuse", "bench_ops(b, 0)", .head = { .end = RUNNER_END_MISUSE, .message = "bench_ops(b, 0)" } },
        { "misuse", "It uses bench.h in a way that cannot be timed.", .head = { .end = RUNNER_END_MISUSE } },
        { "child", "A child that it forked (fork, daemon) left the iteration as its parent does: end the child with _exit(), or by exec, where the fork is.",
                        .head = { .end = RUNNER_END_CHILD } },
        { "descriptors",
                        "It closed or replaced descriptors of benchd's (closefrom, close_range, dup2): close those alone that it opened itself.",
                        .head = { .end = RUNNER_END_DESCRIPTORS } },
        { "not-elf", "It is not a compiled module (not an ELF file).", .head = { .end = RUNNER_END_NOT_ELF } },
        { "load", "It cannot be loaded: libfoo.so: cannot open shared object file", .ended = { .exit_code = 127 },
                        .head = { .phase = RUNNER_PHASE_LOADING },
                        OUTPUT("ERROR: ld.so: object 'libfoo.so' from LD_PRELOAD cannot be preloaded: ignored.\n"
                               "benchd-runner: error while loading shared libraries: libfoo.so: cannot open shared object file\n") },
        { "load", "It cannot be loaded: mine.so: undefined symbol: impl", .ended = { .exit_code = 127 },
                        .head = { .phase = RUNNER_PHASE_LOADING },
                        OUTPUT("benchd-runner: symbol lookup error: /tmp/mine.so: undefined symbol: impl") },
        { "exited", "It ended its process with exit status 127 while the module was loaded, not by exit(): _exit(), quick_exit() and daemon() do so, and a program that it became by exec.",
                        .ended = { .exit_code = 127 }, .head = { .phase = RUNNER_PHASE_LOADING },
                        OUTPUT("a constructor's own words\n") },
        { "exited", "It ended its process with exit status 127 while sampling, not by exit(): _exit(), quick_exit() and daemon() do so, and a program that it became by exec.",
                        .ended = { .exit_code = 127 }, .head = { .phase = RUNNER_PHASE_SAMPLING },
                        OUTPUT("benchd-runner: symbol lookup error: /tmp/mine.so: undefined symbol: impl") },
        { "bad-result", "The module overwrote the runner's results.", .head = { .end = 29 } },
};

TEST(each_way_to_end_has_its_sentence) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                const ProcessEndCase *c = &cases[i];
                ProcessEnd end = {};
                bool complete;

                complete = process_end_judge(&c->ended, c->unreadable ? NULL : &c->head, &c->output, c->mode,
                                60 * NS_PER_S, &end);
                assert_int_equal(complete, c->code == NULL);
                if (complete)
                        continue;
                assert_string_equal(end.code, c->code);
                assert_string_equal(end.message, c->message);
        }
}

static const RunnerEnd ends[] = {
        RUNNER_END_BREAK,
        RUNNER_END_RETURN,
        RUNNER_END_JUMP,
        RUNNER_END_EXCEPTION,
        RUNNER_END_NO_LOOP,
        RUNNER_END_SECOND_LOOP,
        RUNNER_END_FAILED,
        RUNNER_END_SKIPPED,
        RUNNER_END_UNSUPPORTED,
        RUNNER_END_EXIT,
        RUNNER_END_NOT_ELF,
        RUNNER_END_MACHINE,
        RUNNER_END_NOT_SHARED,
        RUNNER_END_LOAD,
        RUNNER_END_LIBRARY,
        RUNNER_END_NO_BENCHMARKS,
        RUNNER_END_HIDDEN,
        RUNNER_END_NO_SECTIONS,
        RUNNER_END_ABI,
        RUNNER_END_BAD_DESCRIPTOR,
        RUNNER_END_NO_SUCH_BENCHMARK,
        RUNNER_END_CONFINE,
        RUNNER_END_INTERNAL,
};

TEST(every_end_of_a_runner_has_a_word_of_its_own) {
        ProcessEnd process_ends[N_ELEMENTS(ends)];

        for (size_t i = 0; i < N_ELEMENTS(ends); i++) {
                BlockHead head = { .end = ends[i], .message = "words" };

                assert_false(process_end_judge(&(OpsEnded){}, &head, &no_output, RUNNER_MODE_RUN, 0, &process_ends[i]));
                assert_string_not_equal(process_ends[i].code, "bad-result");
                if (ends[i] != RUNNER_END_EXIT)
                        assert_non_null(strstr(process_ends[i].message, ": words"));
                for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(process_ends[i].code, process_ends[j].code);
        }
}

TEST(the_one_to_blame_is_told) {
        ProcessEnd end;

        process_end_judge(&(OpsEnded){}, &(BlockHead){ .end = RUNNER_END_LOAD }, &no_output, RUNNER_MODE_RUN, 0, &end);
        assert_true(end.of_module && !end.of_daemon);
        process_end_judge(&(OpsEnded){}, &(BlockHead){ .end = RUNNER_END_CONFINE }, &no_output, RUNNER_MODE_RUN, 0,
                        &end);
        assert_true(!end.of_module && end.of_daemon);
        process_end_judge(&(OpsEnded){ .unborn = "setsid: Operation not permitted" }, NULL, &no_output, RUNNER_MODE_RUN,
                        0, &end);
        assert_true(!end.of_module && end.of_daemon);
        process_end_judge(&(OpsEnded){ .exit_code = 71 }, NULL, &no_output, RUNNER_MODE_RUN, 0, &end);
        assert_false(end.of_daemon);
        process_end_judge(&(OpsEnded){}, &(BlockHead){ .end = RUNNER_END_BREAK }, &no_output, RUNNER_MODE_RUN, 0, &end);
        assert_true(!end.of_module && !end.of_daemon);
}

static void assert_told_of_command(RunnerEnd told, uint32_t side, const char *message) {
        const BlockHead head = { .end = told, .message = "exit code 3" };
        ProcessEnd end;

        assert_false(process_end_judge(&(OpsEnded){}, &head, &no_output, RUNNER_MODE_RUN, 0, &end));
        if (!process_end_of_command(&(OpsEnded){}, &head, side, &end))
                process_end_name_side(&end, &(OpsEnded){}, side, true);
        assert_string_equal(end.message, message);
}

TEST(a_command_failed_in_its_own_words) {
        const BlockHead head = { .end = RUNNER_END_FAILED, .message = "exit code 3" };
        const OpsEnded late = { .killed = OPS_KILLED_TIMEOUT };
        const OpsEnded bounded = { .bounds_met = OPS_BOUND_TASKS, .tasks_max = 4097 };
        ProcessEnd end;

        assert_told_of_command(RUNNER_END_FAILED, 0, "exit code 3");
        assert_told_of_command(RUNNER_END_FAILED, 1, "the reference: exit code 3");
        assert_told_of_command(RUNNER_END_BREAK, 1,
                        "Its loop was left by break, so the batch was never finished: exit code 3 (the reference)");

        process_end_judge(&bounded, &head, &no_output, RUNNER_MODE_RUN, 0, &end);
        assert_true(process_end_of_command(&bounded, &head, 0, &end));
        assert_string_equal(end.message,
                        "exit code 3. It had reached the limit of 4097 processes and threads of a run; command_tasks_max= of benchd.conf sets it.");

        process_end_judge(&late, &head, &no_output, RUNNER_MODE_RUN, NS_PER_S, &end);
        assert_false(process_end_of_command(&late, &head, 0, &end));
        assert_string_equal(end.code, "timeout");
        assert_non_null(strstr(end.message, "did not end within 1 s"));
}

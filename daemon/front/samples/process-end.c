/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/process-end.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "front/plan/plan.h"
#include "util/cleanup.h"
#include "util/time.h"

/* Completions of "it crashed ..." and the like. */
static const char *const phase_words[_RUNNER_PHASE_N] = {
        [RUNNER_PHASE_BORN] = "before the module was loaded",
        [RUNNER_PHASE_LOADING] = "while the module was loaded",
        [RUNNER_PHASE_SETUP] = "in its set-up, before the loop",
        [RUNNER_PHASE_FIRST_CALL] = "in its first call",
        [RUNNER_PHASE_WARMUP] = "while warming up",
        [RUNNER_PHASE_SAMPLING] = "while sampling",
        [RUNNER_PHASE_LOOP] = "while the empty loop was timed",
        [RUNNER_PHASE_TEARDOWN] = "in its tear-down, after the loop",
        [RUNNER_PHASE_DONE] = "at its very end, when all was measured",
};

typedef enum ProcessEndBlame {
        BLAME_BENCHMARK,
        BLAME_MODULE,
        BLAME_DAEMON,
} ProcessEndBlame;

typedef struct ProcessEndRow {
        RunnerEnd end;
        const char *code;
        const char *sentence; /* without its full stop; the runner's words follow after a colon */
        ProcessEndBlame blame;
        bool words_alone; /* the runner's words are the sentence, where there are any */
} ProcessEndRow;

static const ProcessEndRow process_end_rows[] = {
        { RUNNER_END_BREAK, "break", "Its loop was left by break, so the batch was never finished", BLAME_BENCHMARK },
        { RUNNER_END_RETURN, "return", "Its loop was left by return or goto, so the batch was never finished",
                        BLAME_BENCHMARK },
        { RUNNER_END_JUMP, "jump", "Its loop was left by longjmp, so the batch was never finished", BLAME_BENCHMARK },
        { RUNNER_END_EXCEPTION, "exception", "A C++ exception left the benchmark", BLAME_BENCHMARK },
        { RUNNER_END_NO_LOOP, "no-loop", "It has no bench_loop(), or ended before it: there is nothing to time",
                        BLAME_BENCHMARK },
        { RUNNER_END_SECOND_LOOP, "second-loop", "It has a second bench_loop(), and one benchmark has one",
                        BLAME_BENCHMARK },
        { RUNNER_END_FAILED, "failed", "It called bench_fail", BLAME_BENCHMARK },
        { RUNNER_END_SKIPPED, "skipped", "It called bench_skip", BLAME_BENCHMARK },
        { RUNNER_END_MISUSE, "misuse", "It uses bench.h in a way that cannot be timed", BLAME_BENCHMARK,
                        .words_alone = true },
        { RUNNER_END_UNSUPPORTED, "unsupported", "It asks for a feature that this benchd does not have",
                        BLAME_BENCHMARK },
        { RUNNER_END_THREAD, "thread", "It ended one of its threads itself", BLAME_BENCHMARK },
        { RUNNER_END_THREAD_LEFT, "thread-left",
                        "A thread that it started within its loop still ran when the batch was over: join it before the loop "
                        "ends, or start it before the loop",
                        BLAME_BENCHMARK },
        { RUNNER_END_NO_SUCH_BENCHMARK, "vanished", "The module did not hold it when it was loaded again",
                        BLAME_BENCHMARK },
        { RUNNER_END_NOT_ELF, "not-elf", "It is not a compiled module (not an ELF file)", BLAME_MODULE },
        { RUNNER_END_MACHINE, "machine", "It is compiled for another architecture than x86-64", BLAME_MODULE },
        { RUNNER_END_NOT_SHARED, "not-shared",
                        "It is an ELF file but not a shared object: compile it with -shared -fPIC", BLAME_MODULE },
        { RUNNER_END_LOAD, "load", "It cannot be loaded", BLAME_MODULE },
        { RUNNER_END_LIBRARY, "library", "A library that came with it cannot be loaded", BLAME_MODULE },
        { RUNNER_END_NO_BENCHMARKS, "no-benchmarks", "It holds no benchmark: write one with BENCH() of benchd/bench.h",
                        BLAME_MODULE },
        { RUNNER_END_HIDDEN, "hidden",
                        "It holds benchmarks but does not export benchd_module: add 'global: benchd_module;' to its version "
                        "script",
                        BLAME_MODULE },
        { RUNNER_END_ABI, "abi", "It was compiled with another version of benchd/bench.h: compile it again",
                        BLAME_MODULE },
        { RUNNER_END_BAD_DESCRIPTOR, "bad-descriptor", "It declares an impossible benchmark", BLAME_MODULE },
        { RUNNER_END_CONFINE, "confine", "The runner could not give up its rights, so it loaded nothing",
                        BLAME_DAEMON },
        { RUNNER_END_INTERNAL, "internal", "The runner itself failed", BLAME_DAEMON },
};

static const ProcessEndRow *process_end_row(uint32_t end) {
        for (size_t i = 0; i < N_ELEMENTS(process_end_rows); i++)
                if (process_end_rows[i].end == end)
                        return &process_end_rows[i];
        return NULL;
}

static const char *phase_of(const BlockHead *head) {
        return head ? phase_words[head->phase] : "at an unknown point";
}

static const char *signal_words(int number) {
        const char *words = sigdescr_np(number);

        return words ? words : "a real-time signal";
}

#define process_end_set(end_, word, ...)                                                                               \
 do {                                                                                                                  \
  *(end_) = (ProcessEnd){ .code = (word) };                                                                            \
  snprintf((end_)->message, sizeof(end_)->message, __VA_ARGS__);                                                       \
 } while (0)

static void process_end_of_block(const BlockHead *head, ProcessEnd *ret_end) {
        const ProcessEndRow *row = process_end_row(head->end);

        if (!row) {
                process_end_set(ret_end, "bad-result", "The module overwrote the runner's results.");
                return;
        }
        if (head->message[0] && row->words_alone)
                process_end_set(ret_end, row->code, "%s", head->message);
        else if (head->message[0])
                process_end_set(ret_end, row->code, "%s: %s", row->sentence, head->message);
        else
                process_end_set(ret_end, row->code, "%s.", row->sentence);
        ret_end->of_module = row->blame == BLAME_MODULE;
        ret_end->of_daemon = row->blame == BLAME_DAEMON;
}

bool process_end_judge(const OpsEnded *ended, const BlockHead *head, uint64_t timeout_ns, ProcessEnd *ret_end) {
        if (ended->killed == OPS_KILLED_TIMEOUT)
                process_end_set(ret_end, "timeout",
                                "It did not end within %.4g s and was killed %s. --timeout=SECONDS allows it longer.",
                                (double)timeout_ns / NS_PER_S, phase_of(head));
        else if (ended->killed == OPS_KILLED_REQUEST)
                process_end_set(ret_end, "cancelled", "It was cancelled.");
        else if (ended->exit_signal == SIGKILL)
                process_end_set(ret_end, "killed",
                                "It was killed from outside %s: the kernel does that when memory runs out.",
                                phase_of(head));
        else if (ended->exit_signal != 0)
                process_end_set(ret_end, "crashed", "It crashed with signal %d (%s) %s.", ended->exit_signal,
                                signal_words(ended->exit_signal), phase_of(head));
        else if (!head)
                process_end_set(ret_end, "bad-result", "The module overwrote the runner's results.");
        else if (head->end == RUNNER_END_COMPLETE)
                return true;
        else if (head->end == RUNNER_END_EXIT || head->end == RUNNER_END_NONE)
                process_end_set(ret_end, "exited", "It ended its process with exit status %d %s.",
                                head->end == RUNNER_END_EXIT ? (int)head->code : ended->exit_code, phase_of(head));
        else
                process_end_of_block(head, ret_end);
        return false;
}

void process_end_explain_unrun(const RunPlan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_end) {
        char names[METHOD_NAMES_MAX];

        if (!benchmark->method)
                process_end_set(ret_end, "method", "It asks for an unknown method '%s'; methods are: %s.",
                                plan->entries[benchmark->entry].method, method_names(names));
        else if (benchmark->refused)
                process_end_set(ret_end, "method", "It asks for the method %s, which does not take --%s.",
                                benchmark->method->name, benchmark->refused);
        else
                process_end_set(ret_end, benchmark->skipped ? "skipped" : "threads",
                                "It asks for %" PRIu32 " threads; this machine can lend at most %" PRIu32 " CPU%s.",
                                benchmark->threads, plan->threads_max, plan->threads_max == 1 ? "" : "s");
}

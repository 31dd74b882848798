/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/process-end.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "front/base/text.h"
#include "front/plan/plan.h"
#include "front/samples/runner-block.h"
#include "ops/block.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/time.h"

#define CRASH_WORDS_MAX 896u /* of a message; only names made to be long need more, and are cut */

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

static const char *phase_of(const BlockHead *head) {
        return head ? phase_words[head->phase] : "at an unknown point";
}

static const char *signal_words(int number) {
        const char *words = sigdescr_np(number);

        return words ? words : "a real-time signal";
}

/* ---- where a crash was */

static const char *const access_words[_CRASH_ACCESS_N] = {
        [CRASH_ACCESS_READ] = "reading",
        [CRASH_ACCESS_WRITE] = "writing",
        [CRASH_ACCESS_JUMP] = "jumping to",
};

static void place_print(const BlockCrashPlace *place, const char *preposition, FILE *out) {
        char symbol[TEXT_GROWTH * CRASH_SYMBOL_MAX + 1], file[TEXT_GROWTH * CRASH_FILE_MAX + 1];

        text_clean(place->symbol, strlen(place->symbol), false, symbol);
        text_clean(place->file, strlen(place->file), false, file);
        fprintf(out, "%s ", preposition);
        if (*symbol)
                fprintf(out, "%s+0x%" PRIx64, symbol, place->offset);
        else
                fprintf(out, "0x%" PRIx64, place->offset);
        if (*file)
                fprintf(out, " of %s", file);
        else if (!*symbol)
                fputs(" of the module", out);
}

/* The caller stands for the place where that is unknown, or abort()'s, which says nothing. */
static void crash_print(const BlockCrash *crash, uint64_t stack_bytes, FILE *out) {
        char words[AMOUNT_TEXT_MAX];
        const bool called = crash->caller.found && (crash->signal == SIGABRT || !crash->at.found);

        if (called)
                place_print(&crash->caller, ", at", out);
        else if (crash->at.found)
                place_print(&crash->at, ", at", out);
        if (crash->caller.found && !called)
                place_print(&crash->caller, ", called from", out);
        if (crash->access == CRASH_ACCESS_STACK)
                fprintf(out, ": its stack of %s is full. --stack=SIZE allows more, up to stack_max= of benchd.conf",
                                amount_bytes(stack_bytes, 4, words));
        else if (access_words[crash->access])
                fprintf(out, ", %s address 0x%" PRIx64, access_words[crash->access], crash->address);
}

/* Writes where the process of @head was when the signal came that @ended it: "", or ", at parse+0x1c, reading address 0x0". */
static void crash_words(const BlockHead *head, const OpsEnded *ended, char words[static CRASH_WORDS_MAX]) {
        FILE *out;

        words[0] = '\0';
        if (!head || ended->exit_signal == 0 || head->crash.signal != (uint32_t)ended->exit_signal)
                return;
        out = fmemopen(words, CRASH_WORDS_MAX, "w");
        if (!out)
                return;
        crash_print(&head->crash, ended->stack_bytes, out);
        fclose(out);
        words[CRASH_WORDS_MAX - 1] = '\0';
}

#define process_end_set(end_, word, ...)                                                                               \
 do {                                                                                                                  \
  *(end_) = (ProcessEnd){ .code = (word) };                                                                            \
  snprintf((end_)->message, sizeof(end_)->message, __VA_ARGS__);                                                       \
 } while (0)

static void process_end_of_block(const BlockHead *head, ProcessEnd *ret_end) {
        const RunnerEndWords *words = runner_end_words(head->end);

        if (!words) {
                process_end_set(ret_end, "bad-result", "The module overwrote the runner's results.");
                return;
        }
        if (head->message[0] && words->words_alone)
                process_end_set(ret_end, words->code, "%s", head->message);
        else if (head->message[0])
                process_end_set(ret_end, words->code, "%s: %s", words->sentence, head->message);
        else
                process_end_set(ret_end, words->code, "%s.", words->sentence);
        ret_end->of_module = words->blame == RUNNER_END_BLAME_MODULE;
        ret_end->of_daemon = words->blame == RUNNER_END_BLAME_DAEMON;
}

/* ---- a module that the loader refused */

#define LOADER_EXIT_CODE 127

/* As glibc's loader begins the line with which it gives up; what is wrong follows. */
static const char *const loader_prefixes[] = {
        "benchd-runner: error while loading shared libraries: ",
        "benchd-runner: symbol lookup error: ",
};

/* The last line of @output that begins so, without its beginning, of @ret_n bytes; NULL if there is none. */
static const char *loader_line(const RunnerOutput *output, size_t *ret_n) {
        const char *end = output->text + output->n, *found = NULL;

        for (const char *line = output->text, *next; line < end; line = next) {
                const char *newline = memchr(line, '\n', end - line);
                const size_t n = (newline ? newline : end) - line;

                next = newline ? newline + 1 : end;
                for (size_t i = 0; i < N_ELEMENTS(loader_prefixes); i++) {
                        const size_t n_prefix = strlen(loader_prefixes[i]);

                        if (n <= n_prefix || memcmp(line, loader_prefixes[i], n_prefix) != 0)
                                continue;
                        found = line + n_prefix;
                        *ret_n = n - n_prefix;
                }
        }
        return found;
}

/* The words begin with a file's path, of whose directory its author knows nothing. */
static bool process_end_of_loader(const OpsEnded *ended, const BlockHead *head, const RunnerOutput *output,
                BlockHead *ret_head) {
        const char *words, *colon, *slash;
        char clean[TEXT_GROWTH * SAMPLE_BLOCK_MESSAGE_MAX + 1];
        size_t n;

        if (!head || head->end != RUNNER_END_NONE || head->phase != RUNNER_PHASE_LOADING ||
                        ended->exit_code != LOADER_EXIT_CODE || ended->exit_signal != 0)
                return false;
        words = loader_line(output, &n);
        if (!words)
                return false;
        colon = memchr(words, ':', n);
        slash = *words == '/' && colon ? memrchr(words, '/', colon - words) : NULL;
        if (slash) {
                n -= slash + 1 - words;
                words = slash + 1;
        }
        text_clean(words, n < SAMPLE_BLOCK_MESSAGE_MAX ? n : SAMPLE_BLOCK_MESSAGE_MAX - 1, false, clean);
        *ret_head = (BlockHead){ .end = RUNNER_END_LOAD };
        snprintf(ret_head->message, sizeof ret_head->message, "%.*s", (int)SAMPLE_BLOCK_MESSAGE_MAX - 1, clean);
        return true;
}

static const char *const killed_words[] = {
        [OPS_KILLED_NOT] = "It ended",
        [OPS_KILLED_TIMEOUT] = "It was killed for its timeout",
        [OPS_KILLED_REQUEST] = "It was cancelled",
        [OPS_KILLED_MEMORY] = "It was killed for its memory",
        [OPS_KILLED_FLOOD] = "It was killed for misuse",
};

static void process_end_stuck(const OpsEnded *ended, ProcessEnd *ret_end) {
        process_end_set(ret_end, "stuck",
                        "%s, but process %d does not die: the kernel holds it, as it does while a file server does not answer. "
                        "A CPU that it was lent is not lent again until then: 'benchctl status' names it. 'cat /proc/%d/stack' (as root) and 'ps -o stat,wchan:30 -p %d' tell "
                        "what it waits for.",
                        ended->killed < N_ELEMENTS(killed_words) ? killed_words[ended->killed] : killed_words[0],
                        ended->stuck_pid, ended->stuck_pid, ended->stuck_pid);
}

static void process_end_unborn(const OpsEnded *ended, ProcessEnd *ret_end) {
        char step[TEXT_GROWTH * OPS_TEXT_MAX + 1];

        text_clean(ended->unborn, strlen(ended->unborn), false, step);
        process_end_set(ret_end, "internal", "The daemon could not start the runner: %s.", step);
        ret_end->of_daemon = true;
}

/* Adds a sentence on the limits that a run met. It goes on without a process or memory as it can, so this is seldom the end, and often its cause. */
static void process_end_add_bounds(const OpsEnded *ended, bool commands, ProcessEnd *end) {
        const bool lacks_memory = strstr(end->message, strerror(ENOMEM)) || strstr(end->message, "bad_alloc");
        size_t n = strlen(end->message);
        char bytes[AMOUNT_TEXT_MAX];

        if (ended->bounds_met & OPS_BOUND_TASKS)
                snprintf(end->message + n, sizeof end->message - n,
                                " It had reached the limit of %" PRIu64
                                " processes and threads of a run; %stasks_max= of benchd.conf sets it.",
                                ended->tasks_max, commands ? "command_" : "");
        else if (lacks_memory && ended->address_space_max_bytes)
                snprintf(end->message + n, sizeof end->message - n,
                                " No control group bounds memory here, so each process has an address space of at most %s; "
                                "address_space_max= of benchd.conf sets it.",
                                amount_bytes(ended->address_space_max_bytes, 4, bytes));
}

/* The setting that allows a process of @mode longer. */
static const char *longer_words(RunnerMode mode) {
        if (mode == RUNNER_MODE_LIST)
                return " listing_timeout= of benchd.conf allows it longer.";
        return mode == RUNNER_MODE_INSPECT ? ""
                                           : " --timeout=SECONDS allows it longer, up to timeout_max= of benchd.conf.";
}

static bool process_end_find(const OpsEnded *ended, const BlockHead *head, const RunnerOutput *output, RunnerMode mode,
                uint64_t timeout_ns, ProcessEnd *ret_end) {
        char where[CRASH_WORDS_MAX], memory[AMOUNT_TEXT_MAX];
        BlockHead loader;

        crash_words(head, ended, where);
        if (ended->stuck_pid != 0)
                process_end_stuck(ended, ret_end);
        else if (ended->killed == OPS_KILLED_MEMORY)
                process_end_set(ret_end, "memory",
                                "It was killed %s: it and its processes reached the limit of memory of a run, %s. memory_max= of "
                                "benchd.conf sets it.",
                                phase_of(head), amount_bytes(ended->memory_max_bytes, 4, memory));
        else if (ended->killed == OPS_KILLED_FLOOD)
                process_end_set(ret_end, "misuse",
                                "It was killed %s: it wrote more than 1000 times a second to a pipe of the runner's, which is "
                                "not its own. A benchmark writes to descriptors only that it opened.",
                                phase_of(head));
        else if (ended->killed == OPS_KILLED_TIMEOUT)
                process_end_set(ret_end, "timeout", "It did not end within %.4g s and was killed %s.%s",
                                (double)timeout_ns / NS_PER_S, phase_of(head), longer_words(mode));
        else if (ended->killed == OPS_KILLED_REQUEST)
                process_end_set(ret_end, "cancelled", "It was cancelled.");
        else if (ended->unborn[0])
                process_end_unborn(ended, ret_end);
        else if (ended->exit_signal == SIGXCPU)
                process_end_set(ret_end, "killed",
                                "It was killed %s: it ran at SCHED_FIFO for %u s without waiting once (RLIMIT_RTTIME), or met a limit of "
                                "CPU time that it set itself. --prepare=none has no such limit.",
                                phase_of(head), RUNNER_REALTIME_S);
        else if (ended->exit_signal == SIGKILL)
                process_end_set(ret_end, "killed",
                                "It was killed from outside %s: the kernel does that when memory runs out.",
                                phase_of(head));
        else if (ended->exit_signal != 0)
                process_end_set(ret_end, "crashed", "It crashed with signal %d (%s) %s%s.", ended->exit_signal,
                                signal_words(ended->exit_signal), phase_of(head), where);
        else if (!head)
                process_end_set(ret_end, "bad-result", "The module overwrote the runner's results.");
        else if (head->end == RUNNER_END_COMPLETE)
                return true;
        else if (process_end_of_loader(ended, head, output, &loader))
                process_end_of_block(&loader, ret_end);
        else if (head->end == RUNNER_END_EXIT)
                process_end_set(ret_end, "exited", "It ended its process with exit status %d %s.", (int)head->code,
                                phase_of(head));
        else if (head->end == RUNNER_END_NONE)
                process_end_set(ret_end, "exited",
                                "It ended its process with exit status %d %s, not by exit(): _exit(), quick_exit() and daemon() do so, "
                                "and a program that it became by exec.",
                                ended->exit_code, phase_of(head));
        else
                process_end_of_block(head, ret_end);
        return false;
}

bool process_end_judge(const OpsEnded *ended, const BlockHead *head, const RunnerOutput *output, RunnerMode mode,
                uint64_t timeout_ns, ProcessEnd *ret_end) {
        if (process_end_find(ended, head, output, mode, timeout_ns, ret_end))
                return true;
        process_end_add_bounds(ended, false, ret_end);
        return false;
}

bool process_end_of_command(const OpsEnded *ended, const BlockHead *head, uint32_t side, ProcessEnd *end) {
        if (!head || head->end != RUNNER_END_FAILED || !head->message[0] || strcmp(end->code, "failed") != 0)
                return false;
        process_end_set(end, "failed", "%s%s%s", side == 0 ? "" : "the reference: ", head->message,
                        ended->bounds_met & OPS_BOUND_TASKS ? "." : "");
        process_end_add_bounds(ended, true, end);
        return true;
}

void process_end_name_side(ProcessEnd *end, const OpsEnded *ended, uint32_t side, bool commands) {
        static const char *const names_of_two[2][RUNNER_SIDES_MAX] = {
                { " (the new side)", " (the old side)" },
                { "", " (the reference)" },
        };
        const char *const *names = names_of_two[commands];
        size_t n = strlen(end->message);
        const bool stops = n > 0 && end->message[n - 1] == '.';

        if (ended->killed != OPS_KILLED_NOT || ended->unborn[0] || ended->stuck_pid)
                return;
        n -= stops;
        snprintf(end->message + n, sizeof end->message - n, "%s%s", names[side], stops ? "." : "");
}

void process_end_explain_unrun(const Plan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_end) {
        char names[METHOD_NAMES_MAX];

        if (!benchmark->method)
                process_end_set(ret_end, "method", "It asks for an unknown method '%s'; methods are: %s.",
                                plan->entries[benchmark->entry].method, method_names(names));
        else if (benchmark->refused)
                process_end_set(ret_end, "method", "It asks for the method %s, which does not take --%s.",
                                benchmark->method->name, benchmark->refused);
        else if (benchmark->shares_cpus)
                process_end_set(ret_end, "cpus",
                                "It asks for %" PRIu32 " threads and for %" PRIu32
                                " CPUs: CPUs for threads that a body starts itself are lent to one thread of "
                                "benchd's. Use --threads=1, or leave --cpus-per-run or .cpus out.",
                                benchmark->threads, benchmark->cpus);
        else
                process_end_set(ret_end,
                                benchmark->skipped       ? "skipped"
                                : benchmark->threads > 1 ? "threads"
                                                         : "cpus",
                                "It asks for %" PRIu32 " %s; this machine can lend at most %" PRIu32 " CPU%s%s.",
                                benchmark->cpus, benchmark->threads > 1 ? "threads" : "CPUs", plan->cpus_max,
                                plan->cpus_max == 1 ? "" : "s", benchmark->threads > 1 ? "" : " (--cpus-per-run)");
}

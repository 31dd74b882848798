/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/warning.h"

#include <stdarg.h>

#include "front/base/message.h"

typedef struct WarningRow {
        const char *kind;
        const char *note;   /* in a table's row; NULL: the row speaks for itself */
        const char *advice; /* one short line */
} WarningRow;

/* clang-format off */
static const WarningRow rows[_WARNING_KIND_N] = {
        [WARNING_NO_INTERVAL] = { "no-interval", "no interval",
                "fewer than 3 processes give no interval (--processes)" },
        [WARNING_FEW_PROCESSES] = { "few-processes", NULL,
                "few processes cannot rule out rare slow layouts (--processes)" },
        [WARNING_CHANGED_DURING_RUN] = { "changed-during-run", "changed",
                "the machine changed during the run; the interval is widened for it" },
        [WARNING_MODES_BETWEEN] = { "modes-between", "clusters",
                "processes fall into clusters of times that no one number describes" },
        [WARNING_MODES_WITHIN] = { "modes-within", "clusters",
                "samples fall into clusters of times: quote each, or find what differs" },
        [WARNING_CODE_PLACEMENT] = { "code-placement", "placement",
                "the place in the cache line decides: build with -falign-functions=64" },
        [WARNING_DRIFT] = { "drift", "drifts",
                "times drift within a process: add a .reset, or a longer --warmup" },
        [WARNING_DEPENDENT_SAMPLES] = { "dependent-samples", "dependent",
                "each sample depends on the last: add a .reset, or a longer --min-time" },
        [WARNING_RARE_PART] = { "rare-part", "rare part",
                "a rare slow part is not in the time: quote the average (--headline=mean)" },
        [WARNING_MEAN_RATIO] = { "mean-ratio", "average apart",
                "the averages, with a rare slow part, compare otherwise (--headline=mean)" },
        [WARNING_SKEW] = { "skew", "skewed",
                "mean and median lie far apart: quote the mean for totals, else p99" },
        [WARNING_WIDE_INTERVAL] = { "wide-interval", NULL,
                "wide interval: --precision=2% runs as many processes as ± 2 % needs" },
        [WARNING_PRECISION_MISSED] = { "precision-missed", NULL,
                "the precision asked for was not reached; --format=details says why" },
        [WARNING_SHORTENED] = { "shortened", NULL,
                "the budget had no time for all that was planned (--budget)" },
        [WARNING_CANCELLED] = { "cancelled", "partial",
                "cancelled before all processes had run" },
        [WARNING_UNFIT_STEAL] = { "unfit-steal", "not reliable",
                "the hypervisor ran other guests meanwhile (steal): run it again later" },
        [WARNING_UNFIT_OTHER_WORK] = { "unfit-other-work", "not reliable",
                "other work took the CPU: stop it, or choose isolated CPUs (--cpus)" },
        [WARNING_UNFIT_SHARED_CORE] = { "unfit-shared-core", "while shared",
                "the time is that beside a busy neighbour: run it again later, or elsewhere" },
        [WARNING_UNFIT_FEW_QUIET] = { "unfit-few-quiet", "not reliable",
                "too few processes had the core alone: run it again later, or on other --cpus" },
        [WARNING_UNFIT_PLACE] = { "unfit-place", "not reliable",
                "a place in the cache line is missing from the mean: run it again later" },
        [WARNING_UNFIT_HIDDEN] = { "unfit-hidden", "not reliable",
                "a neighbour may have passed unseen: run it again later, or on other --cpus" },
        [WARNING_DETECTOR_OFF] = { "detector-off", NULL,
                "its own work hides some disturbances; --format=details says which" },
        [WARNING_TRACED] = { "traced", "traced",
                "a debugger or tracer was attached: detach it, and run it again" },
        [WARNING_INSTRUMENTED] = { "instrumented", "instrumented",
                "an instrument in it was timed too; --format=details says which" },
        [WARNING_UNWRITTEN_MEMORY] = { "unwritten-memory", "zero pages",
                "it reads memory never written, which is one page of zeros: write it first" },
        [WARNING_CHANGED_AFFINITY] = { "changed-affinity", "left its CPU",
                "it changed its own affinity: choose CPUs with --cpus instead" },
        [WARNING_CHANGED_SCHEDULING] = { "changed-scheduling", "rescheduled",
                "it changed its own priority: leave that as benchd sets it" },
        [WARNING_OTHER_THREADS] = { "other-threads", "one CPU",
                "its own threads shared one CPU: lend it more (--cpus-per-run=2, or .cpus)" },
        [WARNING_ONE_CPU] = { "one-cpu", "one CPU",
                "what could run in parallel had one CPU: lend more (--cpus-per-run=2, or .cpus)" },
        [WARNING_STARTED_THREADS] = { "started-threads", NULL,
                "it started threads, after which allocating takes longer" },
        [WARNING_THREADS_APART] = { "threads-apart", "apart",
                "its threads seldom ran side by side: the rates are too high" },
        [WARNING_PRINTS] = { "prints", "prints",
                "it prints inside its loop, which is timed: print after the loop" },
        [WARNING_WAITS] = { "waits", "waits",
                "it sleeps or waits inside its loop, which is timed with it" },
        [WARNING_MEMORY_FILES] = { "memory-files", "in memory",
                "its files are in memory, where no sync waits: --dir=DIRECTORY uses a disk" },
        [WARNING_EMPTY_LOOP] = { "empty-loop", "empty loop",
                "its work was compiled away: keep it with bench_opaque() and bench_use()" },
        [WARNING_EMPTY_INNER_LOOP] = { "empty-inner-loop", "empty inner",
                "an inner loop's work was compiled away: pass its array to bench_use() before" },
        [WARNING_CALLS_OUTPUT] = { "calls-output", "output",
                "its loop calls a function of output, which is timed: print after the loop" },
        [WARNING_CALLS_INPUT] = { "calls-input", "reads",
                "its loop calls a function of input, which is timed: read before the loop" },
        [WARNING_CALLS_FILE] = { "calls-file", "files",
                "its loop looks up files, which is timed: open them before the loop" },
        [WARNING_CALLS_SLEEP] = { "calls-sleep", "sleeps",
                "its loop calls a function that waits, which is timed with it" },
        [WARNING_SHORT_BATCH] = { "short-batch", NULL,
                "batches are shorter than wanted; --format=details says why" },
        [WARNING_LONG_BATCH] = { "long-batch", NULL,
                "batches outlast a window of SCHED_FIFO: make them shorter (--min-time)" },
        [WARNING_GROWING_BATCH] = { "growing-batch", "grows",
                "its iterations take longer in longer batches: give it a .reset" },
        [WARNING_COARSE_CLOCK] = { "coarse-clock", "coarse",
                "a batch lasts few steps of the clock: put more work in each" },
        [WARNING_DUBIOUS] = { "dubious", "dubious",
                "within twice the harness's own error: repeat the body (BENCH_REPEAT10)" },
        [WARNING_OUTPUT_CUT] = { "output-cut", NULL,
                "it printed more than is kept, and printing in the loop is timed" },
        [WARNING_NOT_COUNTED] = { "not-counted", NULL,
                "its allocations were not counted; --format=details says why" },
        [WARNING_LEAKS] = { "leaks", "leaks",
                "it never frees some of what it allocates; --format=details has figures" },
        [WARNING_METHOD] = { "method", NULL,
                "it does not suit its method; --format=details says why" },
        [WARNING_CHANCE_AMONG_ROWS] = { "chance-among-rows", NULL,
                "chance may do this among so many rows: compare it alone, by its name" },
        [WARNING_PLACEMENT_DIFFERS] = { "placement-differs", "placement",
                "the loops lie at different offsets: build both with -falign-functions=64" },
        [WARNING_UNDECIDABLE] = { "undecidable", NULL,
                "no number of processes would settle it: use another --margin" },
        [WARNING_TOO_FEW_PAIRS] = { "too-few-pairs", NULL,
                "too few processes could be compared: use more --processes" },
};
/* clang-format on */

void warning_describe(WarningKind kind, Benchd__Finding *finding) {
        finding->kind = (char *)rows[kind].kind;
        finding->note = (char *)rows[kind].note;
        finding->advice = (char *)rows[kind].advice;
}

/* Findings and texts grow together, so that each has its place in the other's order. */
static void findings_add(WarningList *list, Arena *arena, WarningKind kind) {
        Benchd__Finding **findings = arena_zero(arena, (list->n_findings + 1) * sizeof(Benchd__Finding *));
        Benchd__Finding *finding = message_new(arena, Benchd__Finding, benchd__finding);

        if (!findings || !finding)
                return;
        for (size_t i = 0; i < list->n_findings; i++)
                findings[i] = list->findings[i];
        warning_describe(kind, finding);
        findings[list->n_findings++] = finding;
        list->findings = findings;
}

void warning_add(WarningList *list, Arena *arena, WarningKind kind, const char *format, ...) {
        const size_t n_before = list->texts.n;
        va_list arguments;
        char *text;

        va_start(arguments, format);
        text = arena_format_va(arena, format, arguments);
        va_end(arguments);
        if (!text)
                return;
        text_list_add(&list->texts, arena, "%s", text);
        if (list->texts.n > n_before)
                findings_add(list, arena, kind);
}

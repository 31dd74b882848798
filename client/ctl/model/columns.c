/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/columns.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/times.h"
#include "util/cleanup.h"

#define RANK_SPARSE 6u

/* ---- tables */

/* clang-format off */
#define LEFT COLUMN_LEFT
#define HEAD COLUMN_HEAD
#define DIM COLUMN_DIM
#define FIGURE COLUMN_DASH
#define OPTION (COLUMN_DASH | COLUMN_OPTIONAL)
#define DETAIL (OPTION | COLUMN_DETAILS)
#define WORDS (COLUMN_LEFT | COLUMN_OPTIONAL)
#define NOTES (WORDS | COLUMN_BELOW)

#define COMMIT(begin, path) { begin "commit", path ".id" }, { begin "commit_dirty", path ".dirty" }
#define COMMIT_OF_WHOLE(begin, path) { begin "commit", path ".id", .of = COLUMN_OF_WHOLE }, { begin "commit_dirty", path ".dirty", .of = COLUMN_OF_WHOLE }

#define ARGUMENTS { "arg_", "args", .flags = COLUMN_EACH }
#define ARGUMENTS_OF_WHOLE { "arg_", "args", .flags = COLUMN_EACH, .of = COLUMN_OF_WHOLE }

static const Column run_columns[] = {
        { "run_id", "run_id", .of = COLUMN_OF_WHOLE },
        { "started_at", "started_at", .of = COLUMN_OF_WHOLE },
        { "module", "module.name", .of = COLUMN_OF_WHOLE },
        COMMIT_OF_WHOLE("", "module.commit"),
        { "verdict", "verdict", .of = COLUMN_OF_WHOLE },
        { "method", "method" },
        { "comparability_key", "comparability_key", .of = COLUMN_OF_WHOLE },
        { "area", "area" },
        { "benchmark", "name", NULL, "", cell_name, LEFT },
        ARGUMENTS,
        { "threads", "threads" },
        { "cpus", "cpus" },
        { "time_ns", "time_ns.point", "time", "time", cell_time, HEAD | FIGURE, .gap = 3,
          .about = "The mean over processes of their medians (of the logarithms), and the wider half of its 95 % interval, which is at "
                   "least a step of the clock in a batch. An interval of more than ± 30 % stands as its two ends." },
        { NULL, "time_ns", "interval", "interval", cell_interval, OPTION, .gap = 1 },
        { "time_low_ns", "time_ns.low" },
        { "time_high_ns", "time_ns.high" },
        { "p5_ns", "time_ns.raw.p5" },
        { "p25_ns", "time_ns.raw.p25" },
        { "p75_ns", "time_ns.raw.p75", .csv_after = "median_ns" },
        { "p95_ns", "time_ns.raw.p95", .csv_after = "p75_ns" },
        { NULL, "amortised.point", "average", "average", cell_time, OPTION,
          .about = "The mean with a rare slow part, such as a table that grows, that makes few batches long; the median has nothing of it. A part "
                   "that comes less than once in a process's samples is not seen." },
        { "cycles", "cycles.point", "cycles", "cycles", cell_number, OPTION, 4,
          .about = "Core cycles, all of them by a ruler beside each sample, or those in user code where the CPU counts them." },
        { "cycles_low", "cycles.low" },
        { "cycles_high", "cycles.high" },
        { "bytes_per_second", "throughput.bytes_per_second", "throughput", "throughput", cell_throughput, OPTION, 3,
          .csv_after = "items_per_second",
          .about = "Bytes and items a second, where the benchmark counts them." },
        { "items_per_second", "throughput.items_per_second", "rate", "rate", cell_rate, OPTION, 3 },
        { "instructions", "pmu.instructions" },
        { "branch_misses", "pmu.branch_misses" },
        { "cache_misses", "pmu.cache_misses" },
        { "allocations", "memory.allocations_per_operation", "memory", "allocations", cell_number, OPTION, 1,
          .about = "With --memory." },
        { "allocated_bytes", "memory.bytes_per_operation", "memory", "bytes", cell_number, OPTION, 1 },
        { "retained_bytes", "memory.retained_bytes_per_operation", "memory", "retained", cell_number, OPTION, 1 },
        { "peak_bytes", "memory.peak_bytes_per_iteration", "memory", "peak", cell_number, OPTION, 1 },
        { "counter_", "counters", "counters", "", cell_counter, OPTION | COLUMN_EACH, 1,
          .about = "A column for each of the benchmark's own, under its name: the mean over the processes." },
        { "label", "label", "label", "label", cell_text, WORDS, 6, .csv_after = "quiet_share",
          .about = "The benchmark's own text, by `bench_label`()." },
        { "quiet_share", "disturbed.quiet", "quiet", "quiet", cell_share, OPTION, 5, .csv_after = "operations_per_iteration",
          .about = "The share of samples that had the core alone and at one go: by two probes beside each sample no other hardware thread "
                   "of the core was busy, and nothing preempted, migrated or stretched the sample. The headline is made of these; and of "
                   "the uninterrupted ones among them, where they are nearly all. Another process is measured instead of one with too few "
                   "quiet samples. A row without a share is \"unwatched\": no probe worked beside its samples. The program's own work is no "
                   "disturbance. If its page faults, signals or waiting fire a detector in most batches before the samples, that detector is switched off; so are the "
                   "probes if its work leaves the core as slow as a neighbour would (`disturbed.switched_off`)." },
        { NULL, "time_ns.shared.point", "shared", "while shared", cell_shared, OPTION, 6,
          .about = "The time of the other samples, beside a busy neighbour, and their share; where it is over 10 %." },
        { NULL, "time_ns.histogram.counts", "distribution", "distribution", cell_distribution, WORDS, 7,
          .about = "The samples that the headline is of, from their 1st to their 99th percentile in twelve bars." },
        { "net_ns", "time_ns.net.point", "net", "net", cell_time, OPTION, 8, .csv_after = "time_high_ns",
          .about = "The time less that of the empty loop, which each process times after its samples. The empty loop bounds the cost of "
                   "the loop from above: on most cores that cost hides behind the body. Net may be negative. A row whose interval of it "
                   "holds 0 is below the noise floor; one whose iteration takes at most one and a half of the loop's, which takes about a "
                   "cycle, is as short as the loop. There is no net where a sample is one iteration." },
        { "median_ns", "time_ns.raw.median", "median", "median", cell_time, OPTION, 8, .csv_after = "p25_ns",
          .about = "Over all samples of all processes; and their number." },
        { "mean_ns", "time_ns.raw.mean", "mean", "mean", cell_time, OPTION, 8, .csv_after = "max_ns" },
        { "stddev_ns", "time_ns.raw.stddev", "stddev", "stddev", cell_time, OPTION, 8, .csv_after = "mean_ns" },
        { "min_ns", "time_ns.raw.min", "min", "min", cell_time, OPTION, 8, .csv_after = "net_ns" },
        { "max_ns", "time_ns.raw.max", "max", "max", cell_time, OPTION, 8, .csv_after = "p95_ns" },
        { "samples", "samples", "samples", "samples", cell_count, DIM | OPTION, 8 },
        { NULL, "first_call_ns", "first-call", "first call", cell_unscaled_time, DETAIL, 8,
          .about = "In the details, or where --columns names them: the time of the first call in a process, its median over the processes; "
                   "and that of an iteration, where it is several operations. The first call is never scaled." },
        { NULL, "time_ns.point", "iteration", "iteration", cell_iteration, DETAIL, 8 },
        { "cpu_user_ns", "cpu_user_ns", "cpu", "user", cell_unscaled_time, DETAIL, 8, .csv_after = "operations_per_iteration",
          .about = "There too: the CPU time of all processes together in user mode, and in the kernel, set-up and warm-up included." },
        { "cpu_system_ns", "cpu_system_ns", "cpu", "in kernel", cell_unscaled_time, DETAIL, 8, .csv_after = "cpu_user_ns" },
        { "iterations_per_sample", "iterations_per_sample", "count", "", cell_iterations, DIM | LEFT, 8, .gap = 1,
          .about = "In brackets the number of iterations that a sample times; scale= is that of the operations of one, where it is several." },
        { "operations_per_iteration", "ops_per_iteration" },
        { "findings", "findings", "note", "note", cell_notes, NOTES, 2,
          .about = "The worst finding of the row, in a word or two. One that all rows share stands once, above the table. \"printed N "
                   "bytes\" says that the module wrote to standard output or standard error; --format=details has the text." },
        { "failed", "failed.code" },
        { "message", "failed.message" },
};

static const Column comparison_columns[] = {
        { "run_id", "run_id", .of = COLUMN_OF_WHOLE },
        { "started_at", "started_at", .of = COLUMN_OF_WHOLE },
        { "old_module", "old_module.name", .of = COLUMN_OF_WHOLE },
        COMMIT_OF_WHOLE("old_", "old_module.commit"),
        { "new_module", "module.name", .of = COLUMN_OF_WHOLE },
        COMMIT_OF_WHOLE("new_", "module.commit"),
        { "run_verdict", "verdict", .of = COLUMN_OF_WHOLE },
        { "comparability_key", "comparability_key", .of = COLUMN_OF_WHOLE },
        { "area", "area" },
        { "benchmark", "name", NULL, "", cell_path, LEFT },
        { "old_area", "old_area" },
        { "old_benchmark", "old_name" },
        ARGUMENTS,
        { "threads", "new.threads" },
        { "old_ns", "old.time_ns.point", "old", "old", cell_side_time, FIGURE, 1, .gap = 3 },
        { "new_ns", "new.time_ns.point", "new", "new", cell_side_time, FIGURE, 1 },
        { "ratio", "ratio.point", "ratio", "new / old", cell_ratio, HEAD | FIGURE },
        { NULL, "ratio", "interval", "95 % interval", cell_ratio_interval, FIGURE, 6 },
        { "ratio_low", "ratio.low" },
        { "ratio_high", "ratio.high" },
        { "verdict", "verdict", "verdict", "verdict", cell_verdict, LEFT | HEAD | FIGURE | COLUMN_WORD },
        { "margin", "margin" },
        { "p_value", "p_value", "p", "p", cell_p_value, FIGURE, 8, .csv_after = "detectable" },
        { "detectable", "detectable", "detectable", "detectable", cell_share, FIGURE, 9 },
        { "processes", "processes", "processes", "processes", cell_count, DIM | FIGURE, 10 },
        { "processes_needed", "processes_needed" },
        { "confidence", "confidence" },
        { "end", "end" },
        { "findings", "findings", "note", "note", cell_pair_notes, NOTES, 2 },
        { "failed", "failed.code" },
        { "message", "failed.message" },
};

#define FLEET_RUN                                                                                                      \
        { "run_id", "fleet.run_id", .of = COLUMN_OF_ANSWER },                                                          \
        { "started_at", "started_at", .of = COLUMN_OF_ANSWER },                                                        \
        { "machines_asked", "fleet.asked", .of = COLUMN_OF_ANSWER },                                                   \
        { "machines_measured", "fleet.measured", .of = COLUMN_OF_ANSWER },                                             \
        { "run_verdict", "verdict", .of = COLUMN_OF_ANSWER },                                                          \
        { "machine_class", "machine_class", .of = COLUMN_OF_WHOLE },                                                   \
        { "area", "area", .of = COLUMN_OF_WHOLE },                                                                     \
        { "benchmark", "name", NULL, "", cell_path, LEFT, .of = COLUMN_OF_WHOLE }
#define FLEET_ROW                                                                                                      \
        { "between_machines", "variance.between_machine", "spread", "spread", cell_share, OPTION, 5, .csv_after = "odd" }, \
        { NULL, NULL, "machines", "machines", cell_machines, OPTION, 3 },                                              \
        { "processes", "processes", "processes", "processes", cell_count, DETAIL, 9 },                                 \
        { "odd", "odd" },                                                                                              \
        { NULL, NULL, "range", "lowest … highest", cell_machines_range, OPTION, 6 },                                   \
        { "between_processes", "variance.between_process", NULL, "between processes", cell_share, DETAIL, 9 },         \
        { "within_processes", "variance.within_process", NULL, "within", cell_share, DETAIL, 9 },                      \
        { "heterogeneity_p", "heterogeneity_p", NULL, "p alike", cell_p_value, DETAIL, 9 },                            \
        { "machines_needed", "machines_needed", NULL, "machines needed", cell_count, DETAIL, 9 },                      \
        { NULL, NULL, "note", "note", cell_machine_notes, NOTES, 2, .least = 16 },                                     \
        { "failed", "failed.code" },                                                                                   \
        { "failed_machine", "failed.machine" },                                                                        \
        { "message", "failed.message" }

static const Column command_columns[] = {
        { "run_id", "run_id", .of = COLUMN_OF_WHOLE },
        { "started_at", "started_at", .of = COLUMN_OF_WHOLE },
        { "verdict", "verdict", .of = COLUMN_OF_WHOLE },
        { "comparability_key", "comparability_key", .of = COLUMN_OF_WHOLE },
        { "command", "title", NULL, "", cell_command, LEFT, .least = 24 },
        { "benchmark", "name" },
        { "time_ns", "time_ns.point", "time", "time", cell_time, HEAD | FIGURE, .gap = 3,
          .about = "The wall-clock time from right before its `exec` to its end: the mean over processes of the medians of their runs (of the "
                   "logarithms), and the wider half of its 95 % interval." },
        { NULL, "time_ns", "interval", "interval", cell_interval, OPTION, .gap = 1 },
        { "time_low_ns", "time_ns.low" },
        { "time_high_ns", "time_ns.high" },
        { "user_ns", "counters.user_ns", "user", "user", cell_time, OPTION, 3,
          .about = "CPU time in the program and in the kernel for it, of the command and of the processes that it waited for: the mean over its "
                   "runs." },
        { "system_ns", "counters.system_ns", "system", "system", cell_time, OPTION, 3 },
        { "max_rss_bytes", "counters.max_rss_bytes", "memory", "peak memory", cell_memory, OPTION, 2,
          .about = "The largest resident set of any of its processes." },
        { "quiet_share", "disturbed.quiet", "quiet", "quiet", cell_share, OPTION, 5,
          .about = "The share of the runs that had the core alone." },
        { NULL, "time_ns.histogram.counts", "distribution", "distribution", cell_distribution, WORDS, 7,
          .about = "The runs that the time is of, from their 1st to their 99th percentile in twelve bars." },
        { "median_ns", "time_ns.raw.median", "median", "median", cell_time, OPTION, 8,
          .about = "Over all runs; and their number." },
        { "mean_ns", "time_ns.raw.mean", "mean", "mean", cell_time, OPTION, 8 },
        { "stddev_ns", "time_ns.raw.stddev", "stddev", "stddev", cell_time, OPTION, 8 },
        { "min_ns", "time_ns.raw.min", "min", "min", cell_time, OPTION, 8 },
        { "max_ns", "time_ns.raw.max", "max", "max", cell_time, OPTION, 8 },
        { "runs", "samples", "runs", "runs", cell_count, DIM | OPTION, 8 },
        { "shell_ns", "counters.shell_ns" },
        { "start_ns", "counters.start_ns" },
        { "label", "label", "label", "remark", cell_text, NOTES, 6,
          .about = "Processes that it left behind, which were ended; files that were dropped (`--cold`). Without room it is below the row." },
        { "minor_faults", "counters.minor_faults", "faults", "minor faults", cell_number, DETAIL, 9,
          .about = "Faults of pages: without and with a read from the disk." },
        { "major_faults", "counters.major_faults", "faults", "major faults", cell_number, DETAIL, 9 },
        { "voluntary_switches", "counters.voluntary_switches", "switches", "waits", cell_number, DETAIL, 9,
          .about = "Switches of context: it waited, or was put aside." },
        { "involuntary_switches", "counters.involuntary_switches", "switches", "preempted", cell_number, DETAIL, 9 },
        { "read_bytes", "counters.read_bytes", "bytes", "read", cell_memory, DETAIL, 9,
          .about = "Bytes that went through its reads and writes, of files and of all else." },
        { "written_bytes", "counters.written_bytes", "bytes", "written", cell_memory, DETAIL, 9 },
        { "findings", "findings", "note", "note", cell_notes, NOTES, 1,
          .about = "The worst finding of the row, in a word or two." },
        { "failed", "failed.code" },
        { "message", "failed.message" },
};

static const Column command_comparison_columns[] = {
        { "run_id", "run_id", .of = COLUMN_OF_WHOLE },
        { "started_at", "started_at", .of = COLUMN_OF_WHOLE },
        { "run_verdict", "verdict", .of = COLUMN_OF_WHOLE },
        { "comparability_key", "comparability_key", .of = COLUMN_OF_WHOLE },
        { "reference", "old.title" },
        { "command", "new.title", NULL, "", cell_command, LEFT, .least = 24 },
        { "benchmark", "name" },
        { "reference_ns", "old.time_ns.point", "old", "reference", cell_side_time, FIGURE, 1, .gap = 3,
          .about = "The time of the first command, measured in turns with the command of the row, and the time of that." },
        { "command_ns", "new.time_ns.point", "new", "time", cell_side_time, FIGURE, 1 },
        { "ratio", "ratio.point", "ratio", "× reference", cell_ratio, HEAD | FIGURE,
          .about = "So many times as long as the reference: below 1 it is faster." },
        { NULL, "ratio", "interval", "95 % interval", cell_ratio_interval, FIGURE, 6 },
        { "ratio_low", "ratio.low" },
        { "ratio_high", "ratio.high" },
        { "verdict", "verdict", "verdict", "verdict", cell_verdict, LEFT | HEAD | FIGURE | COLUMN_WORD,
          .about = "How many times faster or slower, as far as the interval permits; same (within the margin) or unresolved." },
        { "margin", "margin" },
        { NULL, "counters.user_ns", "user", "user", cell_both_times, OPTION, 8,
          .about = "CPU time in the program and in the kernel for it: of the reference, and of the command." },
        { NULL, "counters.system_ns", "system", "system", cell_both_times, OPTION, 8 },
        { NULL, "counters.max_rss_bytes", "memory", "peak memory", cell_both_memories, OPTION, 7,
          .about = "The largest resident set of any process of the reference, and of the command." },
        { "reference_user_ns", "old.counters.user_ns" },
        { "command_user_ns", "new.counters.user_ns" },
        { "reference_system_ns", "old.counters.system_ns" },
        { "command_system_ns", "new.counters.system_ns" },
        { "reference_max_rss_bytes", "old.counters.max_rss_bytes" },
        { "command_max_rss_bytes", "new.counters.max_rss_bytes" },
        { "label", "new.label", "label", "remark", cell_text, NOTES, 6,
          .about = "Processes that the command left behind, which were ended; files that were dropped (`--cold`). Those of the reference "
                   "are in the line that names it. Without room it is below the row." },
        { "reference_label", "old.label" },
        { "p_value", "p_value", "p", "p", cell_p_value, FIGURE, 9, .csv_after = "detectable",
          .about = "As in any comparison, and only if there is room." },
        { "detectable", "detectable", "detectable", "detectable", cell_share, FIGURE, 10 },
        { "processes", "processes", "processes", "processes", cell_count, DIM | FIGURE, 11 },
        { "processes_needed", "processes_needed" },
        { "confidence", "confidence" },
        { "end", "end" },
        { "findings", "findings", "note", "note", cell_pair_notes, NOTES, 2 },
        { "failed", "failed.code" },
        { "message", "failed.message" },
};

static const Column fleet_columns[] = {
        FLEET_RUN,
        ARGUMENTS_OF_WHOLE,
        { "threads", "threads", .of = COLUMN_OF_WHOLE },
        { "machine", "machine" },
        { "over", "over" },
        { "time_ns", "time_ns.point", "time", "time", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "time_ns", "interval", "interval", cell_interval, FIGURE, .gap = 1 },
        { "time_low_ns", "time_ns.low" },
        { "time_high_ns", "time_ns.high" },
        { "cycles", "cycles.point", "cycles", "cycles", cell_number, OPTION, 7 },
        { "cycles_low", "cycles.low" },
        { "cycles_high", "cycles.high" },
        FLEET_ROW,
};

static const Column fleet_comparison_columns[] = {
        FLEET_RUN,
        { "old_area", "old_area", .of = COLUMN_OF_WHOLE },
        { "old_benchmark", "old_name", .of = COLUMN_OF_WHOLE },
        ARGUMENTS_OF_WHOLE,
        { "threads", "threads", .of = COLUMN_OF_WHOLE },
        { "machine", "machine" },
        { "over", "over" },
        { NULL, "old.point", "old", "old", cell_time, OPTION, 1, .gap = 3 },
        { NULL, "new.point", "new", "new", cell_time, OPTION, 1 },
        { "ratio", "ratio.point", "ratio", "new / old", cell_ratio, HEAD | FIGURE },
        { NULL, "ratio", "interval", "95 % interval", cell_ratio_interval, OPTION, 4 },
        { "ratio_low", "ratio.low" },
        { "ratio_high", "ratio.high" },
        { "verdict", "verdict", "verdict", "verdict", cell_verdict, LEFT | HEAD | FIGURE | COLUMN_WORD },
        { "margin", "margin" },
        { "p_value", "p_value", "p", "p", cell_p_value, DETAIL, 9 },
        FLEET_ROW,
};

static const Column spread_columns[] = {
        { .title = "spread", .fill = cell_sided_name, .flags = LEFT },
        { NULL, "variance.within_process", NULL, "within", cell_share, FIGURE },
        { NULL, "variance.between_process", NULL, "between", cell_share, FIGURE },
        { NULL, "variance.ess", NULL, "ess", cell_number, FIGURE },
        { NULL, NULL, NULL, "drift", cell_drift, FIGURE },
        { NULL, "harness_error_ns", NULL, "harness error", cell_time, FIGURE },
        { NULL, "time_ns.raw.within_1sd", NULL, "1 sd (68.3 %)", cell_share, FIGURE },
        { NULL, "time_ns.raw.within_2sd", NULL, "2 sd (95.4 %)", cell_share, FIGURE },
        { NULL, NULL, NULL, "median lies in", cell_median, FIGURE },
        { NULL, "time_ns.raw.best", NULL, "raw speed", cell_time, FIGURE },
        { NULL, "time_ns.raw.trimmed_mean", NULL, "gymnastics", cell_time, FIGURE },
        { NULL, NULL, NULL, "modes", cell_modes, LEFT | FIGURE },
};

static const Column listing_columns[] = {
        { "area", "area" },
        { "benchmark", "name", NULL, "", cell_listed_name, LEFT },
        { "arguments", "args", NULL, "arguments", cell_axes, WORDS, .gap = 3, .least = 16 },
        { "threads", "threads" },
        { "cpus", "cpus" },
        { "hidden", "hidden" },
        { "method", "method" },
        { "title", "title" },
        { "about", "about", NULL, "about", cell_about, DIM | WORDS | COLUMN_PROSE, .gap = 3, .least = 32 },
};

static const Column history_columns[] = {
        { "run_id", "run_id", NULL, "job", cell_text, LEFT },
        { "submitted_at", "submitted_at", NULL, "submitted", cell_date, LEFT, 1, .gap = 3 },
        { "ended_at", "ended_at" },
        { "uid", "uid", NULL, "uid", cell_user, COLUMN_OPTIONAL, 2, .gap = 3 },
        { "module", "module_name", NULL, "module", cell_text, LEFT, .gap = 3, .least = 12 },
        { "module_sha256", "module_sha256" },
        { NULL, "commit", NULL, "commit", cell_commit, LEFT | COLUMN_OPTIONAL, 2, .gap = 3 },
        COMMIT("", "commit"),
        { "state", "state" },
        { "verdict", "verdict", NULL, "state", cell_state, LEFT | COLUMN_WORD, .gap = 3 },
        { "benchmarks", "benchmarks", NULL, "benchmarks", cell_count, COLUMN_OPTIONAL, 3, .gap = 3 },
        { "pinned", "pinned" },
        { "error", "error.code" },
        { "message", "error.message" },
        { NULL, NULL, NULL, "note", cell_job_notes, DIM | WORDS | COLUMN_PROSE, .gap = 3, .least = 8 },
};

static const Column trend_columns[] = {
        { "area", "area", .of = COLUMN_OF_WHOLE },
        { "benchmark", "name", .of = COLUMN_OF_WHOLE },
        ARGUMENTS_OF_WHOLE,
        { "threads", "threads", .of = COLUMN_OF_WHOLE },
        { "run_id", "run_id", NULL, "  job", cell_job, LEFT },
        { "started_at", "started_at", NULL, "started", cell_date, LEFT, 3 },
        { "verdict", "verdict", .csv_after = "module" },
        { "comparability_key", "comparability_key", .csv_after = "verdict" },
        { "time_ns", "time_ns.point", NULL, "time", cell_time, HEAD },
        { NULL, "time_ns", NULL, "95 % interval", cell_time_range, 0, 1 },
        { "time_low_ns", "time_ns.low" },
        { "time_high_ns", "time_ns.high" },
        { "change", "change", NULL, "change", cell_text, LEFT | HEAD | COLUMN_OPTIONAL | COLUMN_WORD },
        { "module", "module_name", NULL, "module", cell_text, LEFT, 4, .least = 8, .csv_after = "started_at" },
        { NULL, "commit", NULL, "commit", cell_commit, LEFT | COLUMN_OPTIONAL, 3 },
        COMMIT("", "commit"),
        { NULL, NULL, NULL, "note", cell_run_note, NOTES, 2 },
        { "measurand", "measurand" },
        { "drift", "drift.change", .of = COLUMN_OF_WHOLE },
        { "drift_p", "drift.p_value", .of = COLUMN_OF_WHOLE },
};

static const Column side_by_side_columns[] = {
        { "area", "area" },
        { "benchmark", "name", NULL, "", cell_name, LEFT },
        ARGUMENTS,
        { "threads", "threads" },
        { "first_ns", "time_ns.0.point", NULL, "A", cell_time, HEAD, .gap = 3 },
        { NULL, "time_ns.0", NULL, "95 % interval", cell_time_range, 0, 2 },
        { "first_low_ns", "time_ns.0.low" },
        { "first_high_ns", "time_ns.0.high" },
        { "second_ns", "time_ns.1.point", NULL, "B", cell_time, HEAD, .gap = 3 },
        { NULL, "time_ns.1", NULL, "95 % interval", cell_time_range, 0, 1 },
        { "second_low_ns", "time_ns.1.low" },
        { "second_high_ns", "time_ns.1.high" },
        { "ratio", "ratio", NULL, "B / A", cell_number, HEAD, .gap = 3 },
        { "comparable", "comparable", .of = COLUMN_OF_WHOLE },
};

/* ---- older methods */

#define FIRST_CALL { NULL, "first_call_ns", NULL, "first call", cell_unscaled_time, DETAIL, 8 }
#define ITERATION(path) { NULL, path, NULL, "iteration", cell_iteration, DETAIL, 8 }
#define COUNT { NULL, "iterations_per_sample", "count", "", cell_iterations, DIM | LEFT, 7, .gap = 1 }
#define NOTE { NULL, NULL, NULL, "note", cell_notes, NOTES, 2 }

static const Column measureit_columns[] = {
        { .title = "Name", .fill = cell_name, .flags = LEFT },
        { NULL, "time_ns.raw.median", NULL, "Median", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "time_ns.raw.mean", NULL, "Mean", cell_time, FIGURE },
        { NULL, "time_ns.raw.stddev", NULL, "StdDev", cell_time, FIGURE },
        { NULL, "time_ns.raw.min", NULL, "Min", cell_time, FIGURE },
        { NULL, "time_ns.raw.max", NULL, "Max", cell_time, FIGURE },
        { NULL, "samples", NULL, "Samples", cell_count, DIM | FIGURE },
        FIRST_CALL,
        ITERATION("time_ns.raw.median"),
        COUNT,
        NOTE,
};

static const Column stopwatch_columns[] = {
        { .title = "", .fill = cell_name, .flags = LEFT },
        { NULL, "time_ns.raw.mean", NULL, "mean", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "time_ns.raw.min", NULL, "lowest", cell_time, FIGURE },
        { NULL, "time_ns.raw.max", NULL, "highest", cell_time, FIGURE },
        { NULL, "cycles.point", NULL, "cycles", cell_number, FIGURE },
        { NULL, "samples", NULL, "runs", cell_count, DIM | FIGURE },
        { NULL, "warmup_ms", NULL, "warm-up ms", cell_number, DIM | FIGURE },
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};

static const Column softwx_columns[] = {
        { .title = "", .fill = cell_name, .flags = LEFT },
        { NULL, "time_ns.raw.mean", NULL, "time/op", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "operations_total", NULL, "operations", cell_count, FIGURE },
        { NULL, "samples", NULL, "iterations", cell_count, FIGURE },
        { NULL, "time_ns.raw.mean", NULL, "elapsed", cell_elapsed, FIGURE },
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        COUNT,
        NOTE,
};

static const Column macro_columns[] = {
        { .title = "", .fill = cell_name, .flags = LEFT },
        { NULL, "time_ns.raw.mean", NULL, "average", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "time_ns.raw.best", NULL, "raw speed", cell_time, FIGURE },
        { NULL, "time_ns.raw.trimmed_mean", NULL, "gymnastics", cell_time, FIGURE },
        { NULL, "samples", NULL, "runs", cell_count, DIM | FIGURE },
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};

static const Column mark_columns[] = {
        { .title = "", .fill = cell_name, .flags = LEFT },
        { NULL, "time_ns.raw.mean", NULL, "mean", cell_time, HEAD | FIGURE, .gap = 3 },
        { NULL, "time_ns.raw.stddev", NULL, "sdev", cell_time, FIGURE },
        { NULL, "iterations_per_sample", NULL, "count", cell_count, FIGURE },
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};
/* clang-format on */

#define TABLE(columns, rank_told)                                                                                      \
 { columns, N_ELEMENTS(columns), rank_told }

static const ColumnTable tables[_TABLE_KIND_N] = {
        [TABLE_RUN] = TABLE(run_columns, 7),
        [TABLE_COMPARISON] = TABLE(comparison_columns, 10),
        [TABLE_COMMANDS] = TABLE(command_columns, 7),
        [TABLE_COMMAND_COMPARISON] = TABLE(command_comparison_columns, 8),
        [TABLE_FLEET] = TABLE(fleet_columns, 6),
        [TABLE_FLEET_COMPARISON] = TABLE(fleet_comparison_columns, 6),
        [TABLE_SPREAD] = TABLE(spread_columns, 0),
        [TABLE_LISTING] = TABLE(listing_columns, 0),
        [TABLE_HISTORY] = TABLE(history_columns, 3),
        [TABLE_TREND] = TABLE(trend_columns, 4),
        [TABLE_SIDE_BY_SIDE] = TABLE(side_by_side_columns, 2),
};

static const struct {
        const char *name; /* the method's, or its beginning */
        ColumnTable table;
} methods[] = {
        { "measureit", TABLE(measureit_columns, 7) },
        { "stopwatch", TABLE(stopwatch_columns, 7) },
        { "softwx", TABLE(softwx_columns, 7) },
        { "macro", TABLE(macro_columns, 7) },
        { "mark", TABLE(mark_columns, 7) },
};

const ColumnTable *columns_table(ColumnTableKind kind) {
        return &tables[kind];
}

ColumnTableKind columns_kind(const json_t *result) {
        const bool compares = result_compares(result);

        if (json_is_object(json_at(result, "fleet")))
                return compares ? TABLE_FLEET_COMPARISON : TABLE_FLEET;
        if (result_is_of_commands(result) && !json_at(result, "baseline"))
                return compares ? TABLE_COMMAND_COMPARISON : TABLE_COMMANDS;
        return compares ? TABLE_COMPARISON : TABLE_RUN;
}

/* The table of the benchmarks of @result: that of its method. */
static const ColumnTable *table_of_benchmarks(const json_t *result) {
        const char *method = json_text_at(result, "method");

        for (size_t i = 0; method && !strchr(method, ',') && i < N_ELEMENTS(methods); i++)
                if (strncmp(method, methods[i].name, strlen(methods[i].name)) == 0)
                        return &methods[i].table;
        return &tables[result_is_of_commands(result) ? TABLE_COMMANDS : TABLE_RUN];
}

static const Column *head_of(const ColumnTable *table) {
        const Column *column = table->columns;

        while (!(column->flags & COLUMN_HEAD))
                column++;
        return column;
}

const Column *columns_head(ColumnTableKind kind) {
        return head_of(&tables[kind]);
}

const char *columns_headline(const json_t *result) {
        return head_of(table_of_benchmarks(result))->path;
}

/* ---- names */

static bool is_named(const Column *column, const char *name, size_t n) {
        return column->name && strlen(column->name) == n && memcmp(column->name, name, n) == 0;
}

/* A comparison has two times. */
static bool is_called(const Column *column, const char *name, size_t n) {
        return is_named(column, name, n) || (n == strlen("time") && memcmp(name, "time", n) == 0 &&
                                                            (is_named(column, "old", 3) || is_named(column, "new", 3)));
}

const Column *columns_find(ColumnTableKind kind, const char *name, size_t n) {
        for (size_t i = 0; i < tables[kind].n; i++)
                if (is_called(&tables[kind].columns[i], name, n))
                        return &tables[kind].columns[i];
        return NULL;
}

size_t columns_print_missing(ColumnTableKind kind, const char *names, FILE *out) {
        size_t n_missing = 0;

        for (size_t n; *names; names += n + strspn(names + n, ",")) {
                n = strcspn(names, ",");
                if (!columns_find(kind, names, n))
                        fprintf(out, "%s%.*s", n_missing++ > 0 ? ", " : "", (int)n, names);
        }
        return n_missing;
}

void columns_print_names(ColumnTableKind kind, FILE *out) {
        const char *last = "";

        for (size_t i = 0; i < tables[kind].n; i++) {
                const char *name = tables[kind].columns[i].name;

                if (!name || strcmp(name, last) == 0)
                        continue;
                fprintf(out, "%s%s", *last ? ", " : "", name);
                last = name;
        }
}

/* ---- choice */

static void append_one(Columns *columns, const Column *column) {
        if (columns->n < N_ELEMENTS(columns->columns))
                columns->columns[columns->n++] = *column;
}

static bool has_counter(const Columns *columns, const char *name) {
        for (size_t i = 0; i < columns->n; i++)
                if (columns->columns[i].fill == cell_counter && strcmp(columns->columns[i].path, name) == 0)
                        return true;
        return false;
}

/* A column for each counter of any benchmark, under its name. */
static void append_counters(Columns *columns, const Column *column, const json_t *result) {
        const json_t *benchmarks = result_rows(result);

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const char *name;
                json_t *value;

                json_object_foreach((json_t *)json_at(json_array_get(benchmarks, i), column->path), name, value) {
                        Column own = *column;

                        own.title = own.path = name;
                        if (!has_counter(columns, name))
                                append_one(columns, &own);
                }
        }
}

static void append(Columns *columns, const Column *column, const json_t *result) {
        if (column->fill == cell_counter)
                append_counters(columns, column, result);
        else
                append_one(columns, column);
}

/* The benchmarks of a result by their rates. */
typedef struct RateCount {
        size_t n;
        size_t with; /* bytes or items a second */
        size_t both;
} RateCount;

static RateCount count_rates(const json_t *result) {
        const json_t *benchmarks = result_rows(result);
        RateCount count = { .n = json_array_size(benchmarks) };
        double rate;

        for (size_t i = 0; i < count.n; i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const bool bytes = json_number_at(benchmark, "throughput.bytes_per_second", &rate);
                const bool items = json_number_at(benchmark, "throughput.items_per_second", &rate);

                count.with += bytes || items;
                count.both += bytes && items;
        }
        return count;
}

/*
 * Bytes and items a second share a column, unless some row has both; where few rows have any, the column is one of the first to leave.
 * Returns false if @column leaves its place to the other one.
 */
static bool fit_rate(Column *column, const RateCount *rates) {
        if (column->fill != cell_rate && column->fill != cell_throughput)
                return true;
        if (column->fill == cell_rate && rates->both == 0)
                return false;
        if (2 * rates->with < rates->n)
                column->rank = RANK_SPARSE;
        if (rates->both == 0)
                column->fill = cell_throughput_or_rate;
        return true;
}

/* The columns that were asked for are all there, in their order, however wide. */
static void choose_named(ColumnTableKind kind, const char *names, const json_t *result, Columns *columns) {
        const ColumnTable *table = &tables[kind];
        size_t first = 0;

        *columns = (Columns){};
        while (!table->columns[first].title)
                first++;
        append_one(columns, &table->columns[first]);
        for (const char *name = names; *name; name += strspn(name, ",")) {
                const size_t n = strcspn(name, ",");

                for (size_t i = 0; i < table->n; i++) {
                        Column column = table->columns[i];

                        column.rank = 0;
                        column.flags &= ~(unsigned)COLUMN_OPTIONAL;
                        if (is_called(&column, name, n))
                                append(columns, &column, result);
                }
                name += n;
        }
}

void columns_choose_all(ColumnTableKind kind, Columns *ret_columns) {
        *ret_columns = (Columns){};
        for (size_t i = 0; i < tables[kind].n; i++)
                if (tables[kind].columns[i].title)
                        append_one(ret_columns, &tables[kind].columns[i]);
}

static void choose_table(const ColumnTable *table, const json_t *result, bool details, Columns *ret_columns) {
        const RateCount rates = count_rates(result);

        *ret_columns = (Columns){};
        for (size_t i = 0; i < table->n; i++) {
                Column column = table->columns[i];

                if (column.title && (details || !(column.flags & COLUMN_DETAILS)) && fit_rate(&column, &rates))
                        append(ret_columns, &column, result);
        }
}

void columns_choose(const json_t *result, const char *names, bool details, Columns *ret_columns) {
        const ColumnTableKind kind = columns_kind(result);

        if (names)
                choose_named(kind, names, result, ret_columns);
        else if (kind == TABLE_RUN)
                columns_choose_benchmarks(result, details, ret_columns);
        else
                choose_table(&tables[kind], result, details, ret_columns);
}

void columns_choose_benchmarks(const json_t *result, bool details, Columns *ret_columns) {
        choose_table(table_of_benchmarks(result), result, details, ret_columns);
}

void columns_tell(Columns *columns, const Times *times) {
        for (size_t i = 0; i < columns->n; i++)
                columns->columns[i].times = times;
}

void columns_leave_out(Columns *columns, CellFill fill) {
        size_t n = 0;

        for (size_t i = 0; i < columns->n; i++)
                if (columns->columns[i].fill != fill)
                        columns->columns[n++] = columns->columns[i];
        columns->n = n;
}

/* ---- cells */

char *column_text(const Column *column, const json_t *row) {
        return cell_make(column->fill, column->path, row, column->times);
}

bool column_number(const Column *column, const json_t *row, double *ret_number) {
        if (column->fill == cell_interval) {
                const RowEstimate time = times_estimate(column->times, row);

                *ret_number = (time.high - time.low) / fabs(time.point);
                return !isnan(*ret_number);
        }
        if (column->fill == cell_throughput_or_rate)
                return json_number_at(row, "throughput.bytes_per_second", ret_number) ||
                       json_number_at(row, "throughput.items_per_second", ret_number);
        return column->path && json_number_at(row, column->path, ret_number);
}

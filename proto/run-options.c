/* SPDX-License-Identifier: MIT */
#include "proto/run-options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/time.h"

/* clang-format off */
static const RunOption rows[] = {
        {
                .name = "quick", .field = "quick", .kind = RUN_OPTION_FLAG, .own = true,
                .help = "a first look: 4 processes of 40 short samples",
                .text = "4 processes, one a place of the code within a cache line, of 40 short samples, 15 of which had the core alone, or 120 ms; "
                        "0.5 s in all: a first look, not a verdict. Its intervals are at least so wide.",
        },
        {
                .name = "precision", .value = "P%", .field = "precision",
                .kind = RUN_OPTION_PERCENT, .least = 0.01, .most = 100, .own = true,
                .help = "run as many processes as an interval of ± P % needs",
                .text = "Run as many processes as an interval of ± P % needs, {range}. The spread of the first twelve decides how many, once; nobody "
                        "looks again, since stopping when it looks good is what makes intervals lie. At most those of *--processes*, and what the "
                        "budget holds: where that is fewer, they are run and the result says how many it would take.",
        },
        {
                .name = "processes", .value = "K", .field = "processes", .kind = RUN_OPTION_COUNT, .least = 1, .most = 1000, .own = true,
                .help = "fresh processes for each benchmark (default 12; compare 20)",
                .text = "Measure each benchmark in K fresh processes, {range} (default 12; of a comparison 20). The interval comes from the spread "
                        "between them.",
        },
        {
                .name = "samples", .value = "N", .field = "samples", .kind = RUN_OPTION_COUNT, .least = 1, .most = 4096, .own = true, .here = true,
                .help = "samples in each process (default 200)",
                .text = "Take N samples in each process, {range} (default 200). While another hardware thread uses the core, sampling goes on until "
                        "30 of them had it alone, for at most 100 ms a process and as many samples as a run may hold (60 and 200 ms in a "
                        "comparison). If fewer than 60 are asked for, 30 % of them are enough, and at least ten, or half.",
        },
        {
                .name = "budget", .value = "SECONDS", .field = "budget_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_S, .least = 0.001, .most = 86400, .own = true,
                .help = "sample each benchmark for at most SECONDS (default 3)",
                .text = "Sample each benchmark for at most so many seconds (default 3); fewer samples, then fewer processes, are taken where it "
                        "would take longer, but not under three of each. A call of over 1 s is not warmed up and has three samples; of one of over "
                        "10 s the first call is the only sample.",
        },
        {
                .name = "timeout", .value = "SECONDS", .field = "timeout_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_S, .least = 0.001, .most = 86400,
                .help = "kill a longer process (default: 10 times its plan)",
                .text = "Kill a process that takes longer: by default ten times as long as its warm-up, its budget and a few batches may take "
                        "together, and 60 s at least. The daemon's configuration has a limit (*timeout_max=*, 600 s by default).",
        },
        {
                .name = "threads", .value = "N", .field = "threads", .kind = RUN_OPTION_COUNT, .least = 1, .most = 64, .own = true,
                .help = "run each benchmark in N threads, not in the module's",
                .text = "Run each benchmark in N threads, {range}, whatever the module says. Each has a CPU of its own; one that needs more of them "
                        "than the machine can lend fails before it is run, and is skipped where the module itself names the number. If that takes "
                        "the CPU that is left for everything else too, SCHED_FIFO is not used, and the result says so.",
        },
        {
                .name = "cpus-per-run", .value = "N", .field = "cpus_per_run",
                .kind = RUN_OPTION_COUNT, .least = 1, .most = 64, .own = true, .departs = "cpus-per-run",
                .help = "lend N CPUs to a body that starts threads (default 1)",
                .text = "Lend N CPUs, {range}, to each process of a benchmark whose body has threads of its own, whatever the module says (*.cpus*): "
                        "OpenMP, std::thread, std::async, a pool. They and the thread that is measured may run on all N, whether they are started in "
                        "a constructor, in the set-up or in the loop; OpenMP finds N in its affinity. Without the option they share one CPU, which "
                        "the finding _one CPU_ tells.\n\n"
                        "SCHED_FIFO is not used then, since a thread that spins until another is done would keep it from the CPU that both have: "
                        "other programs can take a CPU within a sample, where the machine is not kept from them. No others are online for it either, "
                        "by which *std::thread::hardware_concurrency*() counts, where the process has namespaces of its own (control _namespaces_).\n\n"
                        "More CPUs than the machine can lend fail before the benchmark is run, and are skipped where the module itself names the "
                        "number. Benchmarks of several threads (*--threads*, *.threads*) have a CPU for each and are refused with more, as are "
                        "comparisons and older methods. The allocations of *--memory* are counted on one CPU.",
        },
        {
                .name = "cpus", .value = "LIST", .field = "cpus", .kind = RUN_OPTION_CPUS,
                .help = "measure on some of these CPUs, such as 2,4-7",
                .text = "Measure on some of these CPUs, such as *2,4-7*: as many as there are threads, or as *--cpus-per-run* says, each on a core "
                        "of its own. CPUs that do not exist, or are never leased, are refused with the reason.",
        },
        {
                .name = "stack", .value = "SIZE", .field = "stack_bytes",
                .kind = RUN_OPTION_BYTES, .least = 1 << 20, .most = 64.0 * (1 << 30), .runner = true, .here = true,
                .help = "give the body a stack of SIZE, such as 64M (default 8M)",
                .text = "Give the body a stack of SIZE bytes, {range} (suffixes K, M, G; default 8M, whatever *ulimit -s* says), for deep recursion "
                        "and large frames, and its own threads as much. It is the process's *RLIMIT_STACK*. Only what is used of it is memory of the "
                        "run. The daemon's configuration has a limit (*stack_max=*, 1 GiB by default; 64 GiB with *--private*). A body that needs "
                        "more than it has crashes, and the message says so.",
        },
        {
                .name = "memory", .field = "memory", .kind = RUN_OPTION_FLAG, .own = true,
                .help = "count allocations, in one more process per benchmark",
                .text = "Run each benchmark once more, in a process of its own that times nothing, and count what its loop allocates through "
                        "*malloc*(3) and its family, C++'s operator new with them: allocations and bytes of an operation, what it retains (the size "
                        "of an object that is kept), the peak within one iteration. Pauses, prepared inputs and the first call are not counted. "
                        "Blocks that nobody has freed by the end of the tear-down are named as leaks. The processes that are timed are as without "
                        "it.",
        },
        {
                .name = "margin", .value = "P%", .field = "margin", .kind = RUN_OPTION_PERCENT, .most = 100,
                .help = "call a smaller difference the same (default 0.5%)",
        },
        {
                .name = "seed", .value = "N", .field = "seed", .kind = RUN_OPTION_COUNT, .most = INFINITY,
                .help = "seed of all random choices (a result reports its own)",
                .text = "Seed for all random choices. The result reports the seed used, which repeats those of an earlier run.",
        },
        {
                .name = "min-time", .value = "MS", .field = "min_time_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_MS, .least = 0.000001, .most = 60000, .own = true, .here = true,
                .help = "least milliseconds of each sample (default 0.025)",
                .text = "Let each sample last at least so many milliseconds (default 0.025).",
        },
        {
                .name = "iterations", .value = "N", .field = "iterations",
                .kind = RUN_OPTION_COUNT, .least = 1, .most = 0x1p48, .own = true, .here = true,
                .help = "iterations per sample, instead of finding a count",
                .text = "Run N iterations per sample, instead of doubling a count until it lasts long enough, and none untimed before it.",
        },
        {
                .name = "warmup", .value = "MS", .field = "warmup_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_MS, .most = 3600000, .own = true, .here = true,
                .help = "warm up so long, instead of until times are steady",
                .text = "Warm up for so many milliseconds, instead of until times are steady, which takes at least 8, and 20 in a run's first "
                        "process.",
        },
        {
                .name = "no-prime", .field = "no_prime", .kind = RUN_OPTION_FLAG, .departs = "unprimed", .runner = true,
                .help = "do not report the first call by itself",
                .text = "Do not report the first call of a process by itself: it is a batch like any other, and there is no _first_call_ns_. With a "
                        "given count of iterations and *--warmup=0* it is the first sample.",
        },
        {
                .name = "cold", .field = "cold", .kind = RUN_OPTION_FLAG, .own = true, .departs = "cold", .runner = true,
                .help = "empty the caches before each sample of one iteration",
                .text = "Empty the caches of data and code before each sample, which is then one iteration, without warm-up: by walking over memory "
                        "of twice the CPU's largest cache, at most 1 GiB. Some hundred nanoseconds of the time are the cold loop's own: _net_ is "
                        "without them.",
        },
        {
                .name = "no-aslr", .field = "no_aslr", .kind = RUN_OPTION_FLAG, .runner = true,
                .help = "use one memory layout: no address is random",
                .text = "Give every process the same layout: no address is random, stack offset and environment are the same, and the module's code "
                        "lies within its cache line where the linker put it. For a look at one layout: the usual run draws them anew for each "
                        "process, since they decide as much as the code does.",
        },
        {
                .name = "dir", .value = "DIRECTORY", .field = "directory", .kind = RUN_OPTION_PATH,
                .help = "work below DIRECTORY, on its disk, instead of in memory",
                .text = "Give each process its working directory below DIRECTORY, on the disk that it is on, instead of in memory. It is closed to "
                        "other users, and removed when the process has ended, also if benchd was killed; what a power cut leaves there (_.benchd-*_) "
                        "goes with the next such run. Files are made with the rights of the user who runs the benchmark, whose quota and disk they "
                        "fill: *benchd-run* for root. A directory that this user may not write to fails the benchmark as _directory_, with the "
                        "kernel's reason. The service writes to no other place than those that *ReadWritePaths=* of benchd-launch.service names, and "
                        "does not see _/home_; *--private* does. Each file still has at most 256 MiB. The control _directory_ tells it, so baselines "
                        "on a disk and in memory are not taken for alike. With *--host* the directory is one of that machine.",
        },
        {
                .name = "see", .value = "PATH", .field = "seen", .kind = RUN_OPTION_PATHS, .here = true,
                .help = "let the body read PATH, a file or directory, at its place",
                .text = "Let the body read PATH, a file or a directory with all that is mounted below it, at its place. A run sees the system's "
                        "directories and nothing else of the machine's files: *WHAT A BENCHMARK MAY USE* has the list. PATH is opened with the "
                        "rights of who submits the run, and cannot be written; a socket, a FIFO or a device that it names or holds can be used. "
                        "Names are taken as they are typed, without *.* and *..*, and a link shows what it leads to. May be given up to eight times. "
                        "The result has the paths as a control (_see_). A run has files of its own at _/_, _/dev_, _/proc_ and _/tmp_, so these "
                        "cannot be named; a path below _/tmp_ can.",
        },
        {
                .name = "prepare", .value = "full|none", .words = "full|none", .field = "unprepared",
                .kind = RUN_OPTION_CHOICE, .runner = true,
                .help = "none: unpinned, no SCHED_FIFO, like any other program",
                .text = "With *none*, run like any other program: unpinned, without SCHED_FIFO, with memory from anywhere. Warm-up and the rest are "
                        "as always (but that of the method *stopwatch*, which has none then), and the result says what was omitted.",
        },
        {
                .name = "clock", .value = "wall|cpu", .words = "wall|cpu", .field = "cpu_time",
                .kind = RUN_OPTION_CHOICE, .own = true, .departs = "cpu-time", .runner = true,
                .help = "cpu: the time that a CPU is charged, without waiting",
                .text = "Report the time that passes (wall, the default), or the time for which the kernel charges a CPU, user and system together "
                        "(cpu). The latter leaves out sleep and waiting, and what the CPU does for others meanwhile. With one thread it is that of "
                        "the process, with the threads that the benchmark starts itself; with several it is that of each thread. Its clock takes a "
                        "system call of some 100 ns, read outside the timed batch; the cost is measured and taken off, and a time below it is "
                        "reported as below the noise floor. Samples last 0.2 ms by default then. Times have no cycles, no net and no first call "
                        "then. Older methods do not take it.",
        },
        {
                .name = "keep-samples", .field = "keep_samples", .kind = RUN_OPTION_FLAG,
                .help = "keep every sample in the result and in the history",
                .text = "Keep every sample in the result, and so in the history: when it was taken, its time and what disturbed it. The JSON has "
                        "them in _samples_ of each process: columns _at_ns_, _time_ns_, _marks_ and, with several threads, _thread_; its schema "
                        "tells the bits of _marks_. A benchmark has at most 45056 samples to keep, each process counted as 32 more: more is refused. "
                        "They take about 15 bytes each in the history.",
        },
        {
                .name = "trace", .field = "trace", .kind = RUN_OPTION_FLAG, .runner = true,
                .help = "report when each phase of a process began and ended",
                .text = "Report below the table when each phase of the first process of each benchmark began and how long it lasted, with its "
                        "batches, iterations, disturbances and windows. The JSON has it of all processes, in ticks of the time-stamp counter.",
        },
        {
                .name = "method", .value = "NAME", .words = "benchd|measureit|stopwatch|softwx|macro|mark2|mark3|mark4|mark5|mark6|mark7|mark8|mark8setup", .field = "method",
                .kind = RUN_OPTION_WORD,
                .help = "measure as an older harness does: see benchctl(1)",
                .text = "Measure as an older harness does, whatever the module says; see *METHODS*.",
        },
        {
                .name = "scale", .value = "[BENCHMARK]", .field = "reference", .kind = RUN_OPTION_WORD,
                .help = "show times as multiples of BENCHMARK's (default: the module's reference)",
        },
        {
                .name = "detach", .field = "detach", .kind = RUN_OPTION_FLAG,
                .help = "print the job's id, for wait, and do not wait here",
                .text = "Do not wait: print the job's id alone on a line, for *wait*, *show* and *cancel*. The job goes on without benchctl. Each of "
                        "several modules is a job of its own. With *--format=json* it is an object with _run_id_ and _stored_.",
        },
};
/* clang-format on */

_Static_assert(N_ELEMENTS(rows) <= RUN_OPTIONS_MAX, "more options than RUN_OPTIONS_MAX");

const RunOption *run_option_at(size_t index) {
        return index < N_ELEMENTS(rows) ? &rows[index] : NULL;
}

const RunOption *run_option_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (strcmp(rows[i].name, name) == 0)
                        return &rows[i];
        return NULL;
}

/* ---- numbers */

bool run_option_is_number(const RunOption *option) {
        return option->kind == RUN_OPTION_COUNT || option->kind == RUN_OPTION_BYTES ||
               option->kind == RUN_OPTION_DURATION || option->kind == RUN_OPTION_PERCENT;
}

static uint64_t field_of(const RunOption *option, double typed) {
        if (isinf(typed))
                return UINT64_MAX;
        return (uint64_t)(typed * (option->unit_ns > 0 ? (double)option->unit_ns : 1) + 0.5);
}

uint64_t run_option_field_least(const RunOption *option) {
        return field_of(option, option->least);
}

uint64_t run_option_field_most(const RunOption *option) {
        return field_of(option, option->most);
}

const char *run_option_range(const RunOption *option, char text[static RUN_OPTION_RANGE_MAX]) {
        if (option->kind == RUN_OPTION_BYTES)
                snprintf(text, RUN_OPTION_RANGE_MAX, "%.0fM to %.0fG", option->least / (1 << 20),
                                option->most / (1 << 30));
        else if (option->kind == RUN_OPTION_COUNT)
                snprintf(text, RUN_OPTION_RANGE_MAX, "%.0f to %" PRIu64, option->least,
                                isinf(option->most) ? (uint64_t)INT64_MAX : (uint64_t)option->most);
        else
                snprintf(text, RUN_OPTION_RANGE_MAX,
                                option->least > 0 && option->least < 1e-4 ? "%f to %.16g" : "%.16g to %.16g",
                                option->least, option->most);
        return text;
}

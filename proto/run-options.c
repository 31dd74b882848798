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
                .text = "A first look, not a verdict, in 0.5 s: 4 processes, one for each place of the code within a cache line, each of 40 short "
                        "samples, until 15 of them had the core alone or 120 ms have passed. Its intervals are wide accordingly.",
        },
        {
                .name = "precision", .value = "P%", .field = "precision",
                .kind = RUN_OPTION_PERCENT, .least = 0.01, .most = 100, .own = true,
                .help = "run as many processes as an interval of ± P % needs",
                .text = "Run as many processes as an interval of ± P % needs, {range}. The spread of the first twelve processes fixes the number, "
                        "once: stopping as soon as a result looks good would make the interval too narrow. *--processes* and the budget still cap "
                        "it; if they do, the result says how many it would have taken.",
        },
        {
                .name = "processes", .value = "K", .field = "processes", .kind = RUN_OPTION_COUNT, .least = 1, .most = 1000, .own = true,
                .help = "fresh processes for each benchmark (default 12; compare: until it knows)",
                .text = "Measure each benchmark in K fresh processes, {range} (default 12). The interval comes from the spread between them. A "
                        "comparison has no fixed number by default: it ends by itself after 8 to 32 pairs.",
        },
        {
                .name = "max-processes", .value = "K", .field = "processes_most", .kind = RUN_OPTION_COUNT, .least = 1, .most = 1000,
                .own = true,
                .help = "compare: end after K pairs of processes, if nothing ended it before",
                .text = "End a comparison at its last look with at most K pairs of processes, {range} (default 32). With fewer than 8 their number is "
                        "fixed at K.",
        },
        {
                .name = "min-processes", .value = "K", .field = "processes_least", .kind = RUN_OPTION_COUNT, .least = 1, .most = 1000,
                .own = true,
                .help = "with --precision, or compare: end no benchmark before K processes",
                .text = "With *--precision*, or in a comparison that ends by itself, run at least K processes for each benchmark, {range}: by their "
                        "spread the number is fixed, and no look before them ends it. *--processes*, *--max-processes* and the budget still cap it.",
        },
        {
                .name = "rounds", .value = "N", .field = "rounds", .kind = RUN_OPTION_COUNT, .least = 1, .most = 50, .own = true,
                .help = "repeat the whole comparison N times, with builds linked anew",
        },
        {
                .name = "spread", .value = "SECONDS", .field = "spread_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_S, .least = 1, .most = 604800, .own = true,
                .help = "spread a comparison evenly over SECONDS",
        },
        {
                .name = "samples", .value = "N", .field = "samples", .kind = RUN_OPTION_COUNT, .least = 1, .most = 4096, .own = true, .here = true,
                .help = "samples in each process (default 200)",
                .text = "Take N samples in each process, {range} (default 200). While another hardware thread uses the core, sampling goes on until "
                        "30 samples had it alone, for at most 100 ms a process and as many samples as a run may hold (60 samples and 200 ms in a "
                        "comparison). If fewer than 60 samples are asked for, 30 % of them are enough, and at least ten, or half.",
        },
        {
                .name = "budget", .value = "SECONDS", .field = "budget_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_S, .least = 0.001, .most = 86400, .own = true,
                .help = "sample each benchmark for at most SECONDS (default 3)",
                .text = "Sample each benchmark for at most SECONDS (default 3). If that is too short, fewer samples and then fewer processes are "
                        "taken, but at least three of each. A benchmark of which a call takes over 1 s is not warmed up and has three samples; over "
                        "10 s the first call is the only sample.",
        },
        {
                .name = "timeout", .value = "SECONDS", .field = "timeout_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_S, .least = 0.001, .most = 86400,
                .help = "kill a process that runs longer than SECONDS (default: 10 times its plan)",
                .text = "Kill a process that runs longer than SECONDS: by default ten times as long as its warm-up, its budget and a few batches "
                        "may take together, and at least 60 s. The daemon's configuration sets an upper limit (*timeout_max=*, 600 s by default).",
        },
        {
                .name = "threads", .value = "N", .field = "threads", .kind = RUN_OPTION_COUNT, .least = 1, .most = 64, .own = true,
                .help = "run each benchmark in N threads, whatever the module says",
                .text = "Run each benchmark in N threads, {range}, whatever the module says. Each thread has a CPU to itself. A benchmark that "
                        "needs more CPUs than the machine can lend fails before it is run, or is skipped where the module itself names the number. "
                        "If the threads need the CPU that is left for everything else too, SCHED_FIFO is not used, and the result says so.",
        },
        {
                .name = "cpus-per-run", .value = "N", .field = "cpus_per_run",
                .kind = RUN_OPTION_COUNT, .least = 1, .most = 64, .own = true, .departs = "cpus-per-run",
                .help = "lend N CPUs to a body that starts threads (default 1)",
                .text = "Lend N CPUs, {range}, to each process of a benchmark whose body starts threads, whatever the module says (*.cpus*): "
                        "OpenMP, std::thread, std::async, a pool. These threads and the one that is measured may run on all N, whether they are "
                        "started in a constructor, in the set-up or in the loop; OpenMP finds N in its affinity. Without this option they share one "
                        "CPU, and the result warns of it (_one CPU_).\n\nSCHED_FIFO is not used then: a thread that spins until another is done "
                        "would keep that one off the CPU that both have. So other programs can take a CPU during a sample, unless the machine is "
                        "set up to keep them off. A process that has its own namespaces (control _namespaces_) sees only the N CPUs online, and "
                        "*std::thread::hardware_concurrency*() counts them.\n\nIf N is more than the machine can lend, the benchmark fails before "
                        "it is run, or is skipped where the module itself names the number. Benchmarks of several threads (*--threads*, *.threads*) "
                        "have a CPU for each thread and are refused with more, as are comparisons and older methods. The allocations of *--memory* "
                        "are counted on one CPU.",
        },
        {
                .name = "cpus", .value = "LIST", .field = "cpus", .kind = RUN_OPTION_CPUS,
                .help = "only CPUs of this list, such as 2,4-7 (default: all)",
                .text = "Measure only on CPUs of this list, such as *2,4-7*: on as many as there are threads, or as *--cpus-per-run* says, each of "
                        "a different core. CPUs that do not exist, or are never leased, are refused with the reason.",
        },
        {
                .name = "stack", .value = "SIZE", .field = "stack_bytes",
                .kind = RUN_OPTION_BYTES, .least = 1 << 20, .most = 64.0 * (1 << 30), .runner = true, .here = true,
                .help = "give the body a stack of SIZE, such as 64M (default 8M)",
                .text = "Give the body a stack of SIZE bytes, {range} (suffixes K, M, G; default 8M, whatever *ulimit -s* says), for deep recursion "
                        "and large frames; its threads get as much. SIZE is the process's *RLIMIT_STACK*. Only the part that is used counts as "
                        "memory of the run. The daemon's configuration sets an upper limit (*stack_max=*, 1 GiB by default; 64 GiB with "
                        "*--private*). A body that needs more crashes, and the message says so.",
        },
        {
                .name = "memory", .field = "memory", .kind = RUN_OPTION_FLAG, .own = true,
                .help = "count allocations, in one more process per benchmark",
                .text = "Run each benchmark once more, in a process that times nothing, and count what its loop allocates through *malloc*(3) and "
                        "its family, including C++'s operator new: allocations and bytes of an operation, bytes retained (the size of an object "
                        "that is kept), and the peak within one iteration. Pauses, prepared inputs and the first call are not counted. Blocks that "
                        "are not freed by the end of the tear-down are named as leaks. The timed processes are as without this option.",
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
                .help = "minimum length of a sample in milliseconds (default 0.025)",
                .text = "Make each sample last at least MS milliseconds (default 0.025).",
        },
        {
                .name = "iterations", .value = "N", .field = "iterations",
                .kind = RUN_OPTION_COUNT, .least = 1, .most = 0x1p48, .own = true, .here = true,
                .help = "iterations per sample, instead of finding a count",
                .text = "Run N iterations per sample, instead of doubling a count until a sample lasts long enough, and no untimed iterations "
                        "before it.",
        },
        {
                .name = "warmup", .value = "MS", .field = "warmup_ns",
                .kind = RUN_OPTION_DURATION, .unit_ns = NS_PER_MS, .most = 3600000, .own = true, .here = true,
                .help = "warm up for MS milliseconds, rather than until times are steady",
                .text = "Warm up for MS milliseconds, rather than until times are steady, which takes at least 8 ms, and 20 ms in the first process "
                        "of a run.",
        },
        {
                .name = "no-prime", .field = "no_prime", .kind = RUN_OPTION_FLAG, .departs = "unprimed", .runner = true,
                .help = "do not report the first call separately",
                .text = "Do not report the first call of a process separately: it is a batch like any other, and there is no _first_call_ns_. With "
                        "*--iterations* and *--warmup=0* it is the first sample.",
        },
        {
                .name = "cold", .field = "cold", .kind = RUN_OPTION_FLAG, .own = true, .departs = "cold", .runner = true,
                .help = "empty the caches before each sample of one iteration",
                .text = "Empty the caches of data and code before each sample, by walking over memory of twice the CPU's largest cache, at most 1 "
                        "GiB. A sample is then one iteration, without warm-up. Some hundred nanoseconds of the time are the cost of the cold loop; "
                        "_net_ excludes them.",
        },
        {
                .name = "no-aslr", .field = "no_aslr", .kind = RUN_OPTION_FLAG, .runner = true,
                .help = "use one memory layout: no address is random",
                .text = "Give every process the same layout: no address is random, stack offset and environment are the same, and the module's code "
                        "lies within its cache line where the linker put it. Use it to look at one layout. A usual run draws a new layout for each "
                        "process, since the layout can matter as much as the code.",
        },
        {
                .name = "dir", .value = "DIRECTORY", .field = "directory", .kind = RUN_OPTION_PATH,
                .help = "work below DIRECTORY, on its disk, instead of in memory",
                .text = "Give each process a working directory below DIRECTORY, on its disk, instead of in memory. It is closed to other users, and "
                        "removed when the process has ended, even if benchd was killed; what a power cut leaves there (_.benchd-*_) is removed by "
                        "the next such run. Files are made with the rights of the user who runs the benchmark (for root, *benchd-run*), and count "
                        "against that user's quota and disk. A directory that this user may not write to fails the benchmark as _directory_, with "
                        "the kernel's reason. The service writes only to places that *ReadWritePaths=* of benchd-launch.service names, and does not "
                        "see _/home_; a private daemon does (*--private*). Each file still has at most 256 MiB. The control _directory_ records it, "
                        "so baselines on a disk and in memory are not comparable. With *--host* the directory is one of that machine.",
        },
        {
                .name = "see", .value = "PATH", .field = "seen", .kind = RUN_OPTION_PATHS, .here = true,
                .help = "let the body read PATH, a file or directory, at its place",
                .text = "Let the body read PATH, a file or a directory with all that is mounted below it, at its place. A run sees the system's "
                        "directories and no other file of the machine: *WHAT A BENCHMARK MAY USE* has the list. PATH is opened with the rights of "
                        "the user who submits the run, and cannot be written; a socket, a FIFO or a device at or below it can be used. Names are "
                        "taken as they are typed, without *.* and *..*, and a symbolic link shows its target. May be given up to eight times. The "
                        "result lists the paths as a control (_see_). A run has its own _/_, _/dev_, _/proc_ and _/tmp_, so these cannot be named; "
                        "a path below _/tmp_ can.",
        },
        {
                .name = "prepare", .value = "full|none", .words = "full|none", .field = "unprepared",
                .kind = RUN_OPTION_CHOICE, .runner = true,
                .help = "none: unpinned, no SCHED_FIFO, like any other program",
                .text = "With *none*, run like any other program: unpinned, without SCHED_FIFO, with memory from anywhere. Warm-up and the rest "
                        "stay the same (except that the method *stopwatch* then has no warm-up), and the result lists what was omitted.",
        },
        {
                .name = "clock", .value = "wall|cpu", .words = "wall|cpu", .field = "cpu_time",
                .kind = RUN_OPTION_CHOICE, .own = true, .departs = "cpu-time", .runner = true,
                .help = "cpu: the CPU time that the kernel charges, without waiting",
                .text = "Report the time that passes (*wall*, the default), or the time for which the kernel charges a CPU, user and system "
                        "together (*cpu*). CPU time leaves out sleep and waiting, and what the CPU does for others meanwhile. With one thread it is "
                        "that of the process, including threads that the benchmark starts; with several it is that of each thread. Reading this "
                        "clock takes a system call of some 100 ns, outside the timed batch; the cost is measured and subtracted, and a time below "
                        "it is reported as below the noise floor. Samples then last 0.2 ms by default, and times have no cycles, no net and no "
                        "first call. Older methods do not take it.",
        },
        {
                .name = "keep-samples", .field = "keep_samples", .kind = RUN_OPTION_FLAG,
                .help = "keep every sample in the result and in the history",
                .text = "Keep every sample in the result, and so in the history: when it was taken, its time and what disturbed it. The JSON has "
                        "them in _samples_ of each process: columns _at_ns_, _time_ns_, _marks_ and, with several threads, _thread_; its schema "
                        "defines the bits of _marks_. A benchmark can keep at most 45056 samples, where each process counts as 32 more; a larger "
                        "plan is refused. A sample takes about 15 bytes in the history.",
        },
        {
                .name = "trace", .field = "trace", .kind = RUN_OPTION_FLAG, .runner = true,
                .help = "report when each phase of a process began and ended",
                .text = "Report below the table when each phase of the first process of each benchmark began and how long it lasted, with its "
                        "batches, iterations, disturbances and windows. The JSON has the phases of all processes, in ticks of the time-stamp "
                        "counter.",
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
                .text = "Do not wait: print the job's id alone on a line, for *wait*, *show* and *cancel*. The job continues without benchctl. Each "
                        "of several modules is a separate job. With *--format=json* the output is an object with _run_id_ and _stored_.",
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

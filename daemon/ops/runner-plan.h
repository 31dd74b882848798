/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan of one runner process: a record of fixed size, so that neither side parses anything.
 *
 * benchd fills in the request (benchmark, arguments, counts); benchd-launch overwrites the fields that it decides
 * (identity, CPU, clock) and passes it to the runner as a sealed memfd. Strings are NUL-terminated within their arrays,
 * which runner_plan_check() verifies before they are read.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/argument.h"
#include "ops/asked.h"

#define RUNNER_PLAN_MAGIC   0x6e616c70u /* "plan" */
#define RUNNER_PLAN_VERSION 0u

#define RUNNER_NAME_MAX         64u   /* bytes of the name of an area, benchmark or argument, with the final NUL */
#define RUNNER_ARGS_MAX         4u    /* BENCH_AXES_MAX */
#define RUNNER_GROUPS_MAX       256u  /* SOCKET_GROUPS_MAX */
#define RUNNER_ENVIRONMENT_MAX  4096u /* bytes of NAME=VALUE strings, each with its final NUL */
#define RUNNER_LIBRARIES_MAX    16u
#define RUNNER_LIBRARY_NAME_MAX 256u /* bytes, with its end */
#define RUNNER_INPUTS_MAX       8u
#define RUNNER_PATH_MAX         1024u /* bytes of a path in the runner's view, with the final NUL */
#define RUNNER_INPUT_NAME_MAX   256u  /* bytes, with its end */
#define RUNNER_DIRECTORY_MAX    192u  /* bytes, with its end */
#define RUNNER_SEEN_MAX         8u
#define RUNNER_SAMPLES_MAX      4096u
#define RUNNER_PROCESSES_MAX    1000u /* of a benchmark */
#define RUNNER_ITERATIONS_MAX   (UINT64_C(1) << 48)
#define RUNNER_TARGET_MAX_NS    (60 * UINT64_C(1000000000))
#define RUNNER_WARMUP_MAX_MS    3600000u
#define RUNNER_STACK_BYTES      (UINT64_C(8) << 20) /* unless requested otherwise: the usual default of a program */
#define RUNNER_STACK_OFFSET_MAX 4096u
#define RUNNER_HEAP_OFFSET_MAX  4096u
#define RUNNER_OFFSET_PAGES_MAX 4096u
#define RUNNER_IMAGE_OFFSET_MAX 64u /* a cache line */
#define RUNNER_IMAGE_OFFSETS    4u  /* within it, 16 bytes apart: the usual alignment of functions and data */
#define RUNNER_PADDING_MAX      4096u
#define RUNNER_RULER_TURNS_MAX  100000u
#define RUNNER_THREADS_MAX      64u
#define RUNNER_SIDES_MAX        2u
#define RUNNER_SUSPECTS_MAX     15u /* CPUs */
#define RUNNER_COUNTERS_MAX     4u
#define RUNNER_LOOP_SAMPLES_MAX 20u /* of the empty loop */
#define RUNNER_TRACE_MAX        8u  /* phases */
#define CLOCK_CHECKS_MAX        6u

enum {
        _RUNNER_PLAN_E_SUCCESS,

        RUNNER_PLAN_E_INVALID, /* a value out of range, or an unterminated string */
};

typedef enum RunnerMode {
        RUNNER_MODE_LIST = 1,  /* load the module, list its benchmarks */
        RUNNER_MODE_CALIBRATE, /* no module: measure this CPU's clock and the loop's own cost */
        RUNNER_MODE_RUN,       /* measure one benchmark */
        RUNNER_MODE_MEMORY,    /* count what one benchmark allocates */
        RUNNER_MODE_INSPECT, /* benchd-inspect instead of the runner: read the module's file, or one benchmark of it */
        _RUNNER_MODE_N,
} RunnerMode;

/* The clock that times batches, in ticks. The launcher chooses it. */
typedef enum ClockSource {
        CLOCK_SOURCE_TSC, /* the time-stamp counter */
        CLOCK_SOURCE_RAW, /* CLOCK_MONOTONIC_RAW in ns, if the counter cannot be trusted */
        _CLOCK_SOURCE_N,
} ClockSource;

/* The counter's frequency from another source. It holds for the whole machine. */
typedef struct ClockCheck {
        uint32_t source; /* CrosscheckSource (clock/crosscheck.h) */
        uint32_t padding;
        double hz;
} ClockCheck;

typedef struct ClockChecks {
        uint32_t n;
        uint32_t padding;
        ClockCheck rows[CLOCK_CHECKS_MAX];
} ClockChecks;

/*
 * The results of calibration: the launcher keeps them, every plan carries them. Zero hz: not calibrated yet. Kept
 * small, since one record has 64.
 */
typedef struct ClockFacts {
        double hz;                    /* ticks a second */
        double error_ppm;             /* standard error of hz */
        double baseline_ns;           /* over which hz was measured */
        double quantum_ticks;         /* the step by which the counter really advances */
        double pair_cost_ticks;       /* of a start and its stop with nothing in between */
        double batch_cost_ticks;      /* of a batch whose body is empty: clock pair and call */
        double led_cost_ticks;        /* ... after iterations that ran untimed: no mispredictions due to system calls */
        double pause_cost_ticks;      /* of a bench_pause() with its bench_resume() */
        double pause_cycles_per_tick; /* of the core at that time, since most of the cost is cycles; 0: not known */
        double ruler_cost_ticks;      /* of a ruler without additions */
        double ruler_check;           /* time of a multiplication, in additions */
        double branch_cycles;         /* of a branch probe alone on the core (clock/probe.h); 0: no probe */
        double ports_cycles;          /* ... of a port probe */
        uint32_t port_chains;         /* of the port probe: PROBE_CHAINS_MIN or more; 0: neither probe works here */
        uint32_t missing;             /* CLOCK_MISSING_* that calibration should look for again; 0: complete */
        uint32_t ruler_turns;         /* of a ruler beside a batch (clock/ruler.h); 0: no ruler works here */
        uint32_t detectors;           /* DETECTOR_* that work */
        uint32_t warp_handovers;      /* between this CPU and the other in the warp test; 0: no test */
        uint32_t warp_ticks;          /* the largest step backwards from one to the other */
        uint8_t invariant;            /* 1: the TSC's rate does not follow the core's */
        uint8_t source;               /* ClockSource */
        uint16_t n_restarts;          /* of the baseline, because the counter had stopped, jumped or changed its rate */
        uint32_t counters;            /* COUNTER_* that this CPU has */
        double counter_cost[RUNNER_COUNTERS_MAX]; /* of an empty batch, as batch_cost_ticks; 0 for missing ones */
} ClockFacts;

/* Results that a neighbour hid while a CPU was calibrated. The clock with more bits is the worse one. */
enum {
        CLOCK_MISSING_LEVELS = 1u << 0, /* of the probes: the design values are used */
        CLOCK_MISSING_RULER = 1u << 1,  /* not confirmed, so there is no ruler and no probe */
        _CLOCK_MISSING = (1u << 2) - 1,
};

/* Detectors of disturbances of a sample by the kernel. */
enum {
        DETECTOR_CANARY = 1u << 0, /* a null selector that a return from the kernel clears */
        DETECTOR_RSEQ = 1u << 1,   /* a restartable sequence that the kernel clears */
};

/* Counters of the core, for user code, in the order of their descriptors and of all arrays. */
enum {
        COUNTER_CYCLES = 1u << 0,
        COUNTER_INSTRUCTIONS = 1u << 1,
        COUNTER_BRANCH_MISSES = 1u << 2,
        COUNTER_CACHE_MISSES = 1u << 3,
        _COUNTERS = (1u << RUNNER_COUNTERS_MAX) - 1,
};

/* How the iterations of a batch are chosen, and which batches are samples. */
typedef enum RunnerPace {
        RUNNER_PACE_SETTLED, /* doubled up to the target, repeated until steady; then samples (runner/time/pace.h) */
        RUNNER_PACE_FIXED,   /* given; warm-up by the clock; then samples */
        RUNNER_PACE_SEARCH,  /* multiplied after each batch until one takes longer than the target; then samples */
        RUNNER_PACE_LAST_STEP, /* multiplied after `samples` batches, until the last takes the target; the last ones are samples */
        RUNNER_PACE_ALL_STEPS, /* ... and all batches are samples */
        _RUNNER_PACE_N,
} RunnerPace;

/* How one process measures. Times are in ns of the calibrated clock and not 0. */
typedef struct RunnerSchedule {
        uint64_t target_ns;     /* target length of a batch */
        uint64_t warmup_min_ns; /* warm-up lasts at least this long, and until times are steady */
        uint64_t warmup_max_ns; /* ... but at most this long */
        uint64_t budget_ns;     /* of sampling: fewer samples, at least 3, if they would take longer */
        uint64_t iterations; /* of every batch; 0: doubled until the target is reached; for multiplying paces, of the first */
        uint32_t samples;         /* 1 to RUNNER_SAMPLES_MAX */
        uint32_t pace;            /* RunnerPace; the next fields are for paces other than SETTLED */
        uint64_t iterations_last; /* a count of this or more is not multiplied */
        uint64_t least_ns;        /* sampling goes on until all samples took this long together */
        uint64_t long_ns;         /* if the first call takes longer: 3 samples of one iteration; 0: never */
        uint32_t growth;          /* factor of counts */
        uint32_t quiet_samples; /* for SETTLED: sampling goes on until this many samples had the core alone; 0: ignored */
        uint32_t samples_most; /* ... up to this many in all; 0: `samples` */
        uint32_t padding;
        uint64_t quiet_ns; /* ... and no longer than this */
} RunnerSchedule;

/* Flags in RunnerPlan.options in addition to those of a request. */
enum {
        RUNNER_OPTION_NOTHING = 1u << 30, /* the runner's own empty loop instead of the benchmark */
        RUNNER_OPTION_COMMANDS =
                        1u
                        << 28, /* the body waits for a command of another process: marks of its own thread are none of the command's */
        _RUNNER_OPTIONS = _RUNNER_OPTIONS_ASKED | RUNNER_OPTION_NOTHING | RUNNER_OPTION_COMMANDS,

        /*
         * A runner without a launcher (--here): no windows, and nothing is locked in memory. Never in a plan that is
         * sent.
         */
        RUNNER_OPTION_HERE = 1u << 29,
};

/* A benchmark to measure. Each side loads its own module. */
typedef struct RunnerSide {
        char area[RUNNER_NAME_MAX];
        char benchmark[RUNNER_NAME_MAX];
        ArgumentValue args[RUNNER_ARGS_MAX];
        uint32_t n_args;
        uint32_t n_libraries;       /* set by the launcher: descriptors after the module's */
        uint32_t heap_offset_bytes; /* allocated before its set-up: multiple of 16, below RUNNER_HEAP_OFFSET_MAX */
        uint32_t image_offset_bytes; /* of its module, from its linked place: multiple of 16, below RUNNER_IMAGE_OFFSET_MAX */
        uint32_t link;               /* of its module, modulo their number (util/module-links.h) */
        char module_name[RUNNER_LIBRARY_NAME_MAX]; /* of the module in the run's directory; empty: not there */
} RunnerSide;

typedef struct RunnerPlan {
        uint32_t magic;
        uint32_t version;
        uint32_t mode;        /* RunnerMode */
        uint32_t options;     /* RUNNER_OPTION_* */
        uint32_t n_threads;   /* 1 to RUNNER_THREADS_MAX; samples * n_threads are at most RUNNER_SAMPLES_MAX */
        int32_t launcher_pid; /* set by the launcher: the runner dies with this process */
        int32_t cpus[RUNNER_THREADS_MAX]; /* set by the launcher: of each thread, then the body's own; for CALIBRATE: calibrate.h */

        /* set by the launcher: the identity to take; change_identity is 0 if the launcher is not privileged */
        uint32_t change_identity;
        uint32_t uid;
        uint32_t gid;
        uint32_t n_groups;
        uint32_t n_suspects; /* for CALIBRATE: CPUs, from the third of @cpus on, that may share its core */
        uint32_t groups[RUNNER_GROUPS_MAX];

        ClockFacts clock; /* the launcher's */

        RunnerSchedule schedule;
        RunnerSide sides[RUNNER_SIDES_MAX];
        uint32_t n_sides;                         /* 2: they take turns, batch by batch, with equal iterations */
        uint32_t stack_offset_bytes;              /* multiple of 16, under RUNNER_STACK_OFFSET_MAX */
        uint32_t environment_padding_bytes;       /* under RUNNER_PADDING_MAX */
        uint32_t first_side;                      /* the side that begins, whose process leads the other: 0 or 1 */
        char environment[RUNNER_ENVIRONMENT_MAX]; /* NAME=VALUE strings in sequence, then an empty one */

        /* names under which other files need each library, in the order of descriptors; empty: by SONAME alone */
        char library_names[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX];

        /* names under which the body opens each input, in the order of descriptors: without directories */
        char input_names[RUNNER_INPUTS_MAX][RUNNER_INPUT_NAME_MAX];
        uint32_t n_inputs; /* set by the launcher: descriptors after those of the sides */
        uint32_t own_cpus; /* further CPUs, for the body's own threads; 0 unless one thread of one side is measured, or commands */
        RunnerAsked asked;

        /*
         * common to two sides unless that is denied: where mappings and the heap begin, below RUNNER_OFFSET_PAGES_MAX
         */
        uint32_t mapping_offset_pages;
        uint32_t heap_offset_pages;

        /* absolute path below which a process of the submitter makes the run's directory; empty: it is in memory */
        char directory[RUNNER_DIRECTORY_MAX];

        /*
         * absolute paths that the body sees in place, read-only: opened by the same process, in every run that loads
         * the module; empty: end of the list
         */
        char seen[RUNNER_SEEN_MAX][RUNNER_DIRECTORY_MAX];

        /* how many of each side's first libraries are preloaded even if no file needs them */
        uint32_t n_preloaded[RUNNER_SIDES_MAX];
} RunnerPlan;

/* Writes a file name for the module @name, a path or any other text; empty if none is possible. */
void runner_plan_module_name(const char *name, char ret_name[static RUNNER_LIBRARY_NAME_MAX]);

/* True if a process of @plan has its directory below the plan's: when it measures or counts, not when it lists. */
bool runner_plan_keeps(const RunnerPlan *plan);

/* True if @directory, of less than RUNNER_DIRECTORY_MAX bytes, is an absolute path. */
bool runner_plan_directory_is_valid(const char *directory);

/*
 * Why a run cannot see @path, of less than RUNNER_DIRECTORY_MAX bytes, in place: text that follows the path; NULL if it can.
 */
const char *runner_plan_seen_refusal(const char *path);

/* True if @name, of less than RUNNER_INPUT_NAME_MAX bytes, is a plain file name, without a directory. */
bool runner_plan_input_name_is_valid(const char *name);

/*
 * Writes the default area of benchmarks: the name of their source @file without its extension, with _ for each invalid character.
 */
void runner_plan_area_of_file(const char *file, char ret_area[static RUNNER_NAME_MAX]);

/* The number of CPUs of a process of @plan: one for each of its threads, and the CPUs for the body's own threads. */
uint32_t runner_plan_n_cpus(const RunnerPlan *plan);

/* Checks every field of @plan, which is not trusted. Returns 0 or E_INVALID. */
int runner_plan_check(const RunnerPlan *plan);

/* The bytes of the body's stack in @plan. */
uint64_t runner_plan_stack_bytes(const RunnerPlan *plan);

/* True if modules are moved within their cache line, to any drawn place. */
bool runner_plan_moves_images(const RunnerPlan *plan);

/* The first descriptor of the plan's inputs, which follow the files of all sides. */
int runner_plan_input_fd(const RunnerPlan *plan);

#define RUNNER_ADDRESS_SPACE_MAX (UINT64_C(1) << 47) /* bytes: the most that a process can have */
#define RUNNER_OUTPUT_MAX        65536u              /* bytes that are kept of a module's output: the last ones */
#define RUNNER_FILE_MAX                                                                                                \
 (256u << 20) /* bytes of a file that a module or its runner may write, until it raises the limit */
#define RUNNER_FDS_MAX        1024u  /* open descriptors, until it raises the limit */
#define RUNNER_FDS_RAISED_MAX 65536u /* ... up to this */
#define RUNNER_REALTIME_S     10u    /* at SCHED_FIFO without waiting */

/* The numbers of a runner's descriptors. */
enum {
        RUNNER_FD_PLAN = 3, /* a sealed memfd with a RunnerPlan */
        RUNNER_FD_BLOCK,    /* memfd: the block of its mode, zero */
        RUNNER_FD_ASK,      /* pipe to the launcher: ops/window.h */
        RUNNER_FD_ANSWER,   /* pipe from the launcher */
        RUNNER_FD_MODULE,
        RUNNER_FD_LIBRARY, /* and the following, n_libraries of the side; then the other side's module and libraries; then inputs */
        RUNNER_FD_COUNTERS = RUNNER_FD_MODULE + RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX +
                             RUNNER_INPUTS_MAX, /* and the following, RUNNER_COUNTERS_MAX: perf's, or /dev/null */
        RUNNER_FD_COUNT = RUNNER_FD_COUNTERS + RUNNER_COUNTERS_MAX, /* the counting library, if it is preloaded */
        RUNNER_FD_STATUS, /* its /proc/self/status from outside the cell, which also shows a tracer outside */
        RUNNER_FD_ORIGINAL, /* and the following, of each side: the runner's own, its module as it came, beside the copy that is loaded */
};

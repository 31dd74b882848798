/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan: what one runner process is to do. One record of fixed size, so that neither side parses anything.
 *
 * benchd fills in the wish (benchmark, arguments, counts); benchd-launch overwrites what is its own to say (identity,
 * CPU, clock) and hands it to the runner as a sealed memfd. Strings are zero-terminated within their arrays, which
 * runner_plan_check() establishes before anyone reads them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/argument.h"
#include "ops/asked.h"

#define RUNNER_PLAN_MAGIC   0x6e616c70u /* "plan" */
#define RUNNER_PLAN_VERSION 0u

#define RUNNER_NAME_MAX         64u   /* bytes of an area's, benchmark's or argument's name, with its end */
#define RUNNER_ARGS_MAX         4u    /* BENCH_AXES_MAX */
#define RUNNER_GROUPS_MAX       256u  /* SOCKET_GROUPS_MAX */
#define RUNNER_ENVIRONMENT_MAX  4096u /* bytes of NAME=VALUE, each with its end */
#define RUNNER_LIBRARIES_MAX    16u
#define RUNNER_LIBRARY_NAME_MAX 256u /* bytes, with its end */
#define RUNNER_INPUTS_MAX       8u
#define RUNNER_PATH_MAX         1024u /* bytes of a path in the runner's own view, with its end */
#define RUNNER_INPUT_NAME_MAX   256u  /* bytes, with its end */
#define RUNNER_DIRECTORY_MAX    192u  /* bytes, with its end */
#define RUNNER_SEEN_MAX         8u
#define RUNNER_SAMPLES_MAX      4096u
#define RUNNER_PROCESSES_MAX    1000u /* of a benchmark */
#define RUNNER_ITERATIONS_MAX   (UINT64_C(1) << 48)
#define RUNNER_TARGET_MAX_NS    (60 * UINT64_C(1000000000))
#define RUNNER_WARMUP_MAX_MS    3600000u
#define RUNNER_STACK_BYTES      (UINT64_C(8) << 20) /* unless it is asked for otherwise: what a program has by default */
#define RUNNER_STACK_OFFSET_MAX 4096u
#define RUNNER_HEAP_OFFSET_MAX  4096u
#define RUNNER_OFFSET_PAGES_MAX 4096u
#define RUNNER_IMAGE_OFFSET_MAX 64u /* a cache line */
#define RUNNER_IMAGE_OFFSETS    4u  /* within it, of 16 bytes: what functions and data are aligned to */
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

        RUNNER_PLAN_E_INVALID, /* a value out of its range, or a string without its end */
};

typedef enum RunnerMode {
        RUNNER_MODE_LIST = 1,  /* load the module, tell what it holds */
        RUNNER_MODE_CALIBRATE, /* no module: measure this CPU's clock and the loop's own cost */
        RUNNER_MODE_RUN,       /* measure one benchmark */
        RUNNER_MODE_MEMORY,    /* count what one benchmark allocates */
        RUNNER_MODE_INSPECT, /* benchd-inspect instead of the runner: read the module's file, of a benchmark if the side names one */
        _RUNNER_MODE_N,
} RunnerMode;

/* The clock that times batches, whose unit is the tick. The launcher chooses it. */
typedef enum ClockSource {
        CLOCK_SOURCE_TSC, /* the time-stamp counter */
        CLOCK_SOURCE_RAW, /* CLOCK_MONOTONIC_RAW in ns, where the counter cannot be trusted */
        _CLOCK_SOURCE_N,
} ClockSource;

/* The counter's frequency as somebody else tells it: the machine's, whichever CPU asked. */
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
 * The findings of calibration: the launcher keeps them, every plan carries them. Zero hz: not calibrated yet. Small: 64
 * are told at once.
 */
typedef struct ClockFacts {
        double hz;               /* ticks a second */
        double error_ppm;        /* standard error of hz */
        double baseline_ns;      /* over which hz was found */
        double quantum_ticks;    /* the step by which the counter really advances */
        double pair_cost_ticks;  /* of a start with its stop, and nothing between */
        double batch_cost_ticks; /* of a batch whose body is empty: clock pair and call */
        double led_cost_ticks;   /* ... right before which iterations ran untimed: no system call made a guess fail */
        double pause_cost_ticks; /* of a bench_pause() with its bench_resume() */
        double pause_cycles_per_tick; /* of the core while that was found, most of which is its cycles; 0: not known */
        double ruler_cost_ticks;      /* of a ruler without additions */
        double ruler_check;           /* what a multiplication takes, in additions */
        double branch_cycles;         /* of a branch probe that has the core alone (clock/probe.h); 0: it has none */
        double ports_cycles;          /* ... of a port probe */
        uint32_t port_chains;    /* of the port probe: PROBE_CHAINS_MIN or more; 0: both probes count nothing here */
        uint32_t missing;        /* CLOCK_MISSING_*, those that calibration is to look for again; 0: it is complete */
        uint32_t ruler_turns;    /* of a ruler beside a batch (clock/ruler.h); 0: it does not count cycles here */
        uint32_t detectors;      /* DETECTOR_*, those that work */
        uint32_t warp_handovers; /* between this CPU and the other in the warp test; 0: there was none */
        uint32_t warp_ticks;     /* the largest step backwards from one to the other */
        uint8_t invariant;       /* 1: the TSC's rate does not follow the core's */
        uint8_t source;          /* ClockSource */
        uint16_t n_restarts; /* of the baseline: it was found that the counter had stopped, jumped or changed its rate */
        uint32_t counters;   /* COUNTER_*, those that this CPU has */
        double counter_cost[RUNNER_COUNTERS_MAX]; /* of an empty batch, as batch_cost_ticks; 0 for those it has not */
} ClockFacts;

/* Findings that a neighbour hid while a CPU was calibrated. Of two clocks, that with more is the worse one. */
enum {
        CLOCK_MISSING_LEVELS = 1u << 0, /* of the probes: they are those by design */
        CLOCK_MISSING_RULER = 1u << 1,  /* it was not confirmed: there is none, and so there are no probes */
        _CLOCK_MISSING = (1u << 2) - 1,
};

/* The detectors of a disturbance of a sample by the kernel. */
enum {
        DETECTOR_CANARY = 1u << 0, /* a null selector that a return from the kernel clears */
        DETECTOR_RSEQ = 1u << 1,   /* a restartable sequence that the kernel clears */
};

/* Counters of the core, in user code, in the order of their descriptors and of every array of them. */
enum {
        COUNTER_CYCLES = 1u << 0,
        COUNTER_INSTRUCTIONS = 1u << 1,
        COUNTER_BRANCH_MISSES = 1u << 2,
        COUNTER_CACHE_MISSES = 1u << 3,
        _COUNTERS = (1u << RUNNER_COUNTERS_MAX) - 1,
};

/* How the count of a batch is found, and which batches are samples. */
typedef enum RunnerPace {
        RUNNER_PACE_SETTLED, /* doubled to the target, repeated until times hold still; then samples (runner/time/pace.h) */
        RUNNER_PACE_FIXED,  /* given; warm-up by the clock; then samples */
        RUNNER_PACE_SEARCH, /* multiplied, a batch a count, until one takes over the target; then samples */
        RUNNER_PACE_LAST_STEP, /* multiplied after `samples` batches of a count, until the last takes the target: the last count's */
        RUNNER_PACE_ALL_STEPS, /* ... and all of them are samples */
        _RUNNER_PACE_N,
} RunnerPace;

/* How one process measures. All in ns of the calibrated clock; 0 is not a value. */
typedef struct RunnerSchedule {
        uint64_t target_ns;     /* wanted length of a batch */
        uint64_t warmup_min_ns; /* warm-up lasts at least this, and until it holds still */
        uint64_t warmup_max_ns; /* ... but never longer */
        uint64_t budget_ns;     /* of sampling: fewer samples, not under 3, where they would take longer */
        uint64_t iterations; /* of every batch; 0: doubled until the target is reached; of paces that multiply, the first */
        uint32_t samples;         /* 1 to RUNNER_SAMPLES_MAX */
        uint32_t pace;            /* RunnerPace; what follows is of those but SETTLED */
        uint64_t iterations_last; /* a count that is not below it is not multiplied */
        uint64_t least_ns;        /* samples go on until they took so long together */
        uint64_t long_ns;         /* where the first call takes longer: one iteration, and 3 samples; 0: never */
        uint32_t growth;          /* what a count is multiplied by */
        uint32_t quiet_samples; /* of SETTLED: sampling goes on until so many had the core alone; 0: it does not ask */
        uint32_t samples_most;  /* ... but at most so many in all; 0: `samples` */
        uint32_t padding;
        uint64_t quiet_ns; /* ... and no longer than this */
} RunnerSchedule;

/* Flags in RunnerPlan.options beside those that a request asks for. */
enum {
        RUNNER_OPTION_NOTHING = 1u << 30, /* the runner's own empty loop in the place of the benchmark */
        _RUNNER_OPTIONS = _RUNNER_OPTIONS_ASKED | RUNNER_OPTION_NOTHING,

        /* A runner by itself (--here): no launcher grants windows, nothing is locked in memory. In no plan that is sent. */
        RUNNER_OPTION_HERE = 1u << 29,
};

/* A benchmark to measure: its module is the side's own, and is loaded for it alone. */
typedef struct RunnerSide {
        char area[RUNNER_NAME_MAX];
        char benchmark[RUNNER_NAME_MAX];
        ArgumentValue args[RUNNER_ARGS_MAX];
        uint32_t n_args;
        uint32_t n_libraries;       /* the launcher's: descriptors that follow the module's */
        uint32_t heap_offset_bytes; /* taken before its set-up: multiple of 16, under RUNNER_HEAP_OFFSET_MAX */
        uint32_t image_offset_bytes; /* of its module, from where it was linked: multiple of 16, under RUNNER_IMAGE_OFFSET_MAX */
        char module_name[RUNNER_LIBRARY_NAME_MAX]; /* by which its module stands in the run's directory; empty: it does not */
} RunnerSide;

typedef struct RunnerPlan {
        uint32_t magic;
        uint32_t version;
        uint32_t mode;        /* RunnerMode */
        uint32_t options;     /* RUNNER_OPTION_* */
        uint32_t n_threads;   /* 1 to RUNNER_THREADS_MAX; samples * n_threads are at most RUNNER_SAMPLES_MAX */
        int32_t launcher_pid; /* the launcher's own: whose death is the runner's */
        int32_t cpus[RUNNER_THREADS_MAX]; /* the launcher's: where each thread is pinned, then the body's own; of CALIBRATE: calibrate.h */

        /* the launcher's: who it becomes; change_identity is 0 where the launcher is not privileged */
        uint32_t change_identity;
        uint32_t uid;
        uint32_t gid;
        uint32_t n_groups;
        uint32_t n_suspects; /* of CALIBRATE: from the third of @cpus on, those that may share its core; to RUNNER_SUSPECTS_MAX */
        uint32_t groups[RUNNER_GROUPS_MAX];

        ClockFacts clock; /* the launcher's */

        RunnerSchedule schedule;
        RunnerSide sides[RUNNER_SIDES_MAX];
        uint32_t n_sides;                         /* 2: they take turns, batch by batch, with equal iterations */
        uint32_t stack_offset_bytes;              /* multiple of 16, under RUNNER_STACK_OFFSET_MAX */
        uint32_t environment_padding_bytes;       /* under RUNNER_PADDING_MAX */
        uint32_t first_side;                      /* that begins, and whose process leads the other: 0 or 1 */
        char environment[RUNNER_ENVIRONMENT_MAX]; /* NAME=VALUE strings one after another, then an empty one */

        /* by which other files need each library, in the order of their descriptors; empty: by its SONAME alone */
        char library_names[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX];

        /* by which the body opens each input, in the order of their descriptors: names of files, without directories */
        char input_names[RUNNER_INPUTS_MAX][RUNNER_INPUT_NAME_MAX];
        uint32_t n_inputs; /* the launcher's: descriptors that follow those of the sides */
        uint32_t own_cpus; /* beside the thread's, for threads of the body's own: all of them may run on all; 0 unless it is one thread of one side */
        RunnerAsked asked;

        /* of two sides, whose addresses are the same unless that is denied: where mappings and the heap begin, under RUNNER_OFFSET_PAGES_MAX */
        uint32_t mapping_offset_pages;
        uint32_t heap_offset_pages;

        /* below which the run has its directory, absolute: opened by a process of the submitter's alone; empty: it is in memory */
        char directory[RUNNER_DIRECTORY_MAX];

        /* which the body sees at their places, read-only, absolute: opened by the same process, and in any run that loads the module; empty: no more */
        char seen[RUNNER_SEEN_MAX][RUNNER_DIRECTORY_MAX];

        /* of each side's libraries, the first ones, that are preloaded whether any file needs them or not */
        uint32_t n_preloaded[RUNNER_SIDES_MAX];
} RunnerPlan;

/* Writes the name under which the module @name, a path or any other text, may stand in a directory; empty where it has none. */
void runner_plan_module_name(const char *name, char ret_name[static RUNNER_LIBRARY_NAME_MAX]);

/* True if a process of @plan has its directory below the plan's, which a listing has not. */
bool runner_plan_keeps(const RunnerPlan *plan);

/* True if @directory, of less than RUNNER_DIRECTORY_MAX bytes, is an absolute path. */
bool runner_plan_directory_is_valid(const char *directory);

/*
 * The reason why a run cannot see @path, of less than RUNNER_DIRECTORY_MAX bytes, at its place: words that follow its name; NULL where it can.
 */
const char *runner_plan_seen_refusal(const char *path);

/* True if @name, of less than RUNNER_INPUT_NAME_MAX bytes, is that of a file in a directory, and of no other place. */
bool runner_plan_input_name_is_valid(const char *name);

/*
 * Writes the area of benchmarks that name none: the name of their source @file without its ending, with _ for each character that a name
 * cannot have.
 */
void runner_plan_area_of_file(const char *file, char ret_area[static RUNNER_NAME_MAX]);

/* The CPUs that a process of @plan has: one for each of its threads, and those for threads of the body's own. */
uint32_t runner_plan_n_cpus(const RunnerPlan *plan);

/* Checks every field of @plan whoever wrote it. Returns 0 or E_INVALID. */
int runner_plan_check(const RunnerPlan *plan);

/* The bytes of the stack of the body of @plan. */
uint64_t runner_plan_stack_bytes(const RunnerPlan *plan);

/* True if modules are moved within their cache line, by whatever was drawn. */
bool runner_plan_moves_images(const RunnerPlan *plan);

/* The first descriptor of the plan's inputs, which follow the files of all sides. */
int runner_plan_input_fd(const RunnerPlan *plan);

#define RUNNER_ADDRESS_SPACE_MAX (UINT64_C(1) << 47) /* bytes: all that a process can have */
#define RUNNER_OUTPUT_MAX        65536u              /* bytes kept of what a module prints: the last */
#define RUNNER_FILE_MAX                                                                                                \
 (256u << 20) /* bytes of a file that a module, or its runner, may write, until it raises the limit */
#define RUNNER_FDS_MAX        1024u  /* open descriptors, until it raises the limit */
#define RUNNER_FDS_RAISED_MAX 65536u /* ... as far as this */
#define RUNNER_REALTIME_S     10u    /* at SCHED_FIFO without waiting */

/* The numbers of a runner's descriptors. */
enum {
        RUNNER_FD_PLAN = 3, /* sealed memfd: a RunnerPlan */
        RUNNER_FD_BLOCK,    /* memfd: the block of its mode, zero */
        RUNNER_FD_ASK,      /* pipe to the launcher: ops/window.h */
        RUNNER_FD_ANSWER,   /* pipe from it */
        RUNNER_FD_MODULE,
        RUNNER_FD_LIBRARY, /* and the following, n_libraries of the side; then the other side's module and libraries; then inputs */
        RUNNER_FD_COUNTERS = RUNNER_FD_MODULE + RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX +
                             RUNNER_INPUTS_MAX, /* and the following, RUNNER_COUNTERS_MAX: perf's, or /dev/null */
        RUNNER_FD_COUNT = RUNNER_FD_COUNTERS + RUNNER_COUNTERS_MAX, /* the counting library, where it is preloaded */
        RUNNER_FD_STATUS, /* its /proc/self/status as the launcher would see it: /proc of its own namespace knows no tracer outside */
        RUNNER_FD_ORIGINAL, /* and the following, of each side: the runner's own, its module as it came, beside the copy that is loaded */
};

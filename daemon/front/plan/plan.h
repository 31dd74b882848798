/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan of a run: turns a module's listing and a request into an ordered array of processes. Pure: equal listing, request and seed give
 * an equal plan.
 *
 * Each benchmark, with each set of its arguments, is measured in several processes. They are interleaved: each turn runs every benchmark
 * once, in a newly shuffled order, so that a drift of the machine affects all alike. Runs with very many benchmarks are cut into
 * consecutive groups, to bound the samples held at a time. A benchmark of an older method has one process; if the method subtracts an empty
 * loop, a benchmark NOTHING with that loop alone comes first. With a precision, in a comparison that ends by itself, and as replacements for
 * processes that rarely had the core alone, the plan contains the maximum number of processes; the measurement skips those not needed, so that equal seeds give equal
 * processes. A comparison in rounds repeats the processes of each benchmark, group by group within a round. If allocations are to be counted, each benchmark of a group has one more process, after all timed ones.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/plan/method.h"
#include "ops/block.h"
#include "ops/filter.h"
#include "proto/benchd.pb-c.h"
#include "util/cleanup.h"

typedef struct Chosen Chosen;

#define PLAN_MARGIN         0.005     /* the default */
#define PLAN_NOTHING        "NOTHING" /* the name of the benchmark of the empty loop */
#define PLAN_BENCHMARKS_MAX 10000u
#define PLAN_PROCESSES_MAX  130000u
#define PLAN_SAMPLES_MAX    (1u << 20) /* of one benchmark, and about as many of a group */
#define PLAN_KEPT_MAX       45056u /* of one side of a benchmark, if every sample is sent: they must fit one reply */
#define PLAN_KEPT_BESIDE    32u    /* added per process, for all else that is sent of it, in samples */
#define PLAN_PAIRS_MAX      500u   /* of compared benchmarks: their rows must fit one reply */
#define PLAN_UNPAIRED_MAX   1000u  /* benchmarks without a partner that are named */

enum {
        _PLAN_E_SUCCESS,

        PLAN_E_NO_MATCH,            /* the filters leave no benchmark */
        PLAN_E_TOO_MANY_BENCHMARKS, /* chosen on either side, with all arguments */
        PLAN_E_TOO_MANY_PROCESSES,
        PLAN_E_TOO_MANY_SAMPLES,
        PLAN_E_TOO_MANY_KEPT,
        PLAN_E_NOTHING_IN_COMMON, /* of two compared modules */
        PLAN_E_NO_OLD_OF_THAT_NAME,
        PLAN_E_TOO_MANY_PAIRS,
        PLAN_E_NO_REFERENCE, /* as asked for by the request */
        PLAN_E_SEVERAL_REFERENCES,
};

/* The name of a benchmark. */
typedef struct PlanName {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
} PlanName;

/* The full path of a benchmark: area, name and arguments. */
typedef struct PlanPath {
        char text[FILTER_PATH_MAX];
} PlanPath;

/* A benchmark as its module declares it: the part of the listing that reports need. */
typedef struct PlanEntry {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        PlanName old; /* the name on the old side, of a comparison */
        char title[LISTING_TEXT_MAX];
        char old_title[LISTING_TEXT_MAX];
        char about[LISTING_TEXT_MAX]; /* empty: none */
        char method[RUNNER_NAME_MAX]; /* as named by the module or the request */
        char arg_names[RUNNER_ARGS_MAX][RUNNER_NAME_MAX];
        uint32_t n_args;
} PlanEntry;

/* A benchmark with one set of arguments. */
typedef struct PlanBenchmark {
        uint32_t entry; /* index */
        uint32_t threads;
        uint32_t cpus; /* of each process: one per thread; with one thread, also CPUs for threads that its body starts */
        ArgumentValue args[RUNNER_ARGS_MAX];
        uint32_t processes;       /* the maximum, with a precision or replacements; 0 if refused */
        uint32_t processes_first; /* K, or with a precision the ones that decide the number; with looks those of the last */
        uint32_t n_looks;         /* of a comparison that ends by itself (stats/sequence.h); 0: the number is fixed */
        bool too_many_cpus;       /* for this machine */
        bool skipped; /* too many by the module, which cannot know the machine; too many by the request fails instead */
        bool shares_cpus;     /* refused: several benchmark threads would share CPUs with the body's own threads */
        const Method *method; /* NULL: unknown */
        const char *refused;  /* an option of the request that the method does not support; or NULL */
        uint32_t options;     /* RUNNER_OPTION_*, of its processes */
        bool reference; /* the run's reference, whose time is 1.0 in a scaled table; or one marked by the module */
        RunnerSchedule schedule;
} PlanBenchmark;

typedef struct PlanProcess {
        uint32_t benchmark; /* index */
        uint8_t first_side; /* of a comparison: the side that begins, and leads */
        uint16_t link;      /* of both modules, modulo their number of links */
        uint16_t round;     /* of a comparison in rounds */
        uint16_t turn;      /* within its round */
        uint16_t part;      /* of a run that is spread over time, or in rounds */
        uint16_t stack_offset_bytes;
        uint16_t heap_offset_bytes;
        uint16_t mapping_offset_pages; /* of a comparison, whose sides share one layout */
        uint16_t heap_offset_pages;
        uint16_t image_offset_bytes; /* of each side */
        uint16_t environment_padding_bytes;
        bool counts; /* counts allocations, rather than time */
        bool first;  /* the first process of the run: the machine may be idle */
} PlanProcess;

typedef struct Plan {
        PlanEntry *entries;
        size_t n_entries;
        PlanBenchmark *benchmarks;
        size_t n_benchmarks;
        PlanProcess *processes; /* in the order in which they run */
        size_t n_processes;

        uint32_t n_sides;   /* 2: of a comparison */
        PlanPath *unpaired; /* of a comparison, benchmarks on one side only: new side first, at most PLAN_UNPAIRED_MAX */
        size_t n_of_cpus;   /* of a comparison: omitted benchmarks with several threads or CPUs */
        size_t n_only_new;
        size_t n_unnamed; /* beyond `unpaired` */
        size_t n_unpaired;

        /* defaults, where neither benchmark nor module set a value */
        bool memory;              /* one more process per benchmark counts allocations */
        bool keeps;               /* the result contains every sample */
        uint32_t n_rounds;        /* of a comparison: with more than 1 the interval is over rounds */
        uint32_t n_parts;         /* 1: the run does not pause of itself */
        uint64_t spread_ns;       /* within which the parts begin; 0: one after the other */
        double precision;         /* wanted half-width of the interval, relative; 0: K is fixed */
        uint32_t processes_least; /* where the number is open; 0: not given */
        double margin;            /* of a comparison, relative */
        bool has_nothing;         /* includes PLAN_NOTHING */
        char *unmatched;          /* filters without a match, in words; NULL: none */
        char *reference;          /* the benchmark to which tables are scaled; NULL: times are shown as measured */
        uint64_t target_ns;       /* of a batch; 0: the iterations are given */
        uint64_t budget_ns;
        uint64_t expected_ns; /* of the whole run */
        uint32_t cpus_max;    /* that this machine can lend at once */
        uint32_t options;     /* RUNNER_OPTION_*, of every process */
} Plan;

/* The input of planning. */
typedef struct PlanInput {
        const ListingBlock *listing;
        const ListingBlock *old; /* the old side of a comparison; else NULL */
        uint32_t cpus_max; /* that the machine can lend at once; 0: none can be used for timing (the launcher explains why) */
        const Chosen *chosen;     /* of `listing`, with every name decided */
        const Chosen *old_chosen; /* of `old`; NULL if the comparison names its benchmarks */
} PlanInput;

/* Plans a run of the chosen benchmarks of @input; of a comparison, the ones that both sides have. Returns 0, E_*, or a negative errno. */
int plan_new(const PlanInput *input, const Benchd__RunRequest *request, uint64_t seed, Plan **ret_plan);
Plan *plan_free(Plan *plan);

DEFINE_CLEANUP(Plan *, plan_free)

/* True if the allocations of @benchmark are counted, in a separate process. */
bool plan_counts(const Plan *plan, const PlanBenchmark *benchmark);

/* The processes that @benchmark has at least: those of its first look, or all but replacements. */
uint32_t plan_least_processes(const PlanBenchmark *benchmark);

/* The most processes that any benchmark has without replacements, the most looks, and the most samples of any process. */
uint32_t plan_most_processes(const Plan *plan);
uint32_t plan_most_looks(const Plan *plan);
uint32_t plan_most_samples(const Plan *plan);

/* True if a benchmark has CPUs for threads that its body starts itself. */
bool plan_has_own_cpus(const Plan *plan);

/* The time that a process with @schedule takes: approximately, for display; and at most, as the base of a timeout. */
uint64_t plan_schedule_expected_ns(const RunnerSchedule *schedule);
uint64_t plan_schedule_longest_ns(const RunnerSchedule *schedule);

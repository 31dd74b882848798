/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan of a run: from what a module holds and what a request asks to an ordered array of processes. Pure: equal
 * listing, request and seed give an equal plan.
 *
 * Each benchmark, with each set of its arguments, is measured in several processes. They are interleaved: each round
 * runs every benchmark once, in an order shuffled anew, so that what drifts on the machine falls on all alike. Runs
 * with very many benchmarks are cut into groups, one after the other, so that the samples kept at a time stay bounded.
 * A benchmark of an older method has one process; if the method subtracts an empty loop, a benchmark NOTHING that has only that
 * is the first of the module's. For a precision, and in place of processes that had the core too seldom alone, as many are laid out as
 * there may be; the measurement leaves out the ones that are not needed, so that equal seeds give equal processes. If allocations are asked for, each benchmark of a group has
 * one process more, after all that are timed.
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

#define PLAN_NOTHING        "NOTHING" /* a benchmark of the empty loop */
#define PLAN_BENCHMARKS_MAX 10000u
#define PLAN_PROCESSES_MAX  130000u
#define PLAN_SAMPLES_MAX    (1u << 20) /* of one benchmark, and about that of a group */
#define PLAN_KEPT_MAX       45056u     /* of one side of a benchmark, where each is sent: they go into one reply */
#define PLAN_KEPT_BESIDE    32u  /* samples that a process counts for beside its own, for all else that is sent of it */
#define PLAN_PAIRS_MAX      500u /* of benchmarks that are compared: their rows go into one reply */
#define PLAN_UNPAIRED_MAX   1000u /* as many are named that cannot be */

enum {
        _PLAN_E_SUCCESS,

        PLAN_E_NO_MATCH,            /* nothing is left after the filters */
        PLAN_E_TOO_MANY_BENCHMARKS, /* that the filters choose, of either side, with all arguments */
        PLAN_E_TOO_MANY_PROCESSES,
        PLAN_E_TOO_MANY_SAMPLES,
        PLAN_E_TOO_MANY_KEPT,
        PLAN_E_NOTHING_IN_COMMON, /* of two modules that are compared */
        PLAN_E_NO_OLD_OF_THAT_NAME,
        PLAN_E_TOO_MANY_PAIRS,
        PLAN_E_NO_REFERENCE, /* that the request asks for */
        PLAN_E_SEVERAL_REFERENCES,
};

/* The name of a benchmark. */
typedef struct PlanName {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
} PlanName;

/* The same with its arguments, in words. */
typedef struct PlanPath {
        char text[FILTER_PATH_MAX];
} PlanPath;

/* A benchmark as the module declares it: what reports need of its listing. */
typedef struct PlanEntry {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        PlanName old; /* the other side, if it is compared */
        char title[LISTING_TEXT_MAX];
        char about[LISTING_TEXT_MAX]; /* empty: none */
        char method[RUNNER_NAME_MAX]; /* as the module or the request names it */
        char arg_names[RUNNER_ARGS_MAX][RUNNER_NAME_MAX];
        uint32_t n_args;
} PlanEntry;

/* ... with one set of arguments. */
typedef struct PlanBenchmark {
        uint32_t entry; /* index */
        uint32_t threads;
        uint32_t cpus; /* of each of its processes: one a thread, or with one thread more, for those that its body starts */
        ArgumentValue args[RUNNER_ARGS_MAX];
        uint32_t processes; /* the most there may be, for a precision or in place of others; 0 where it is refused */
        uint32_t processes_first; /* K, or for a precision those that it is reckoned from */
        bool too_many_cpus;       /* for this machine */
        bool skipped;             /* ... as its module has them, which cannot know the machine; a request's fail */
        bool shares_cpus;         /* several threads of benchd's would share CPUs with the body's own: it is refused */
        const Method *method;     /* NULL: there is none of that name */
        const char *refused;      /* an option of the request that the method does not take; or NULL */
        uint32_t options;         /* RUNNER_OPTION_*, of its processes */
        bool reference;           /* the run's, whose time is 1.0 in a scaled table; or one that the module marks */
        RunnerSchedule schedule;
} PlanBenchmark;

typedef struct PlanProcess {
        uint32_t benchmark; /* index */
        uint8_t first_side; /* of a comparison: the one that begins, and leads */
        uint16_t stack_offset_bytes;
        uint16_t heap_offset_bytes;
        uint16_t mapping_offset_pages; /* of a comparison, whose sides have one layout */
        uint16_t heap_offset_pages;
        uint16_t image_offset_bytes; /* of each side */
        uint16_t environment_padding_bytes;
        bool counts; /* allocations, rather than time */
        bool first;  /* of the run: it finds the machine as it was */
} PlanProcess;

typedef struct Plan {
        PlanEntry *entries;
        size_t n_entries;
        PlanBenchmark *benchmarks;
        size_t n_benchmarks;
        PlanProcess *processes; /* in the order to run them */
        size_t n_processes;

        uint32_t n_sides;   /* 2: of a comparison */
        PlanPath *unpaired; /* of a comparison, on one side only: those of the new one first, PLAN_UNPAIRED_MAX at most */
        size_t n_of_cpus;   /* of a comparison: benchmarks of several threads or CPUs, which are left out */
        size_t n_only_new;
        size_t n_unnamed; /* beyond those */
        size_t n_unpaired;

        /* these hold where neither benchmark nor module say otherwise */
        bool memory;        /* one process more a benchmark */
        bool keeps;         /* the result has every sample */
        double precision;   /* half of the interval wanted, relative; 0: K was fixed */
        bool has_nothing;   /* a benchmark of the empty loop is among them */
        char *unmatched;    /* filters that no benchmark matches, in words; NULL: there are none */
        char *reference;    /* the path of the benchmark that tables are scaled to; NULL: times are shown as measured */
        uint64_t target_ns; /* of a batch; 0: its iterations are given */
        uint64_t budget_ns;
        uint64_t expected_ns; /* of the whole run */
        uint32_t cpus_max;    /* the most that this machine can lend at once */
        uint32_t options;     /* RUNNER_OPTION_*, of every process */
} Plan;

/* The facts that a run is planned from. */
typedef struct PlanInput {
        const ListingBlock *listing;
        const ListingBlock *old; /* the old side of a comparison; else NULL */
        uint32_t cpus_max; /* that the machine can lend at once; 0: it has none that can be timed on, which the launcher says */
        const Chosen *chosen;     /* of the listing, every name decided */
        const Chosen *old_chosen; /* of the old one; NULL where a comparison names its benchmarks */
} PlanInput;

/*
 * Plans the run of the benchmarks of @input's listing that @request's filters choose; of a comparison, of those that both sides
 * have. Returns 0, E_*, or a negative errno.
 */
int plan_new(const PlanInput *input, const Benchd__RunRequest *request, uint64_t seed, Plan **ret_plan);
Plan *plan_free(Plan *plan);

DEFINE_CLEANUP(Plan *, plan_free)

/* True if the allocations of @benchmark are counted, in a process of its own. */
bool plan_counts(const Plan *plan, const PlanBenchmark *benchmark);

/* The most processes that a benchmark was laid out with before others took the place of some, and the most samples of one of them. */
uint32_t plan_most_processes(const Plan *plan);
uint32_t plan_most_samples(const Plan *plan);

/* True if a benchmark has CPUs for threads that its body starts itself. */
bool plan_has_own_cpus(const Plan *plan);

/* The time that a process with @schedule takes: about, to show; and at most, to be multiplied into a timeout. */
uint64_t plan_schedule_expected_ns(const RunnerSchedule *schedule);
uint64_t plan_schedule_longest_ns(const RunnerSchedule *schedule);

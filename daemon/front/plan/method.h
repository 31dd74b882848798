/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Methods: the ways in which benchmark harnesses of the literature measure, one table row each. All run through the same runner, so that
 * their numbers can be reproduced and their weaknesses shown; each subtracts and leaves out what its original does. Pure.
 *
 * Each older method measures in one process, so its spread is a lower bound of the spread over several. An option of a run that the method
 * does not support is refused in words; a module may also set a supported one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"
#include "proto/run-request.h"

#define METHOD_NAMES_MAX 256u
#define METHOD_TAKES_MAX 4u

typedef struct Method {
        const char *name;
        const char *about;       /* how it works, in one line */
        const char *caps;        /* its limits, which end it whatever the body */
        RunnerSchedule schedule; /* default, unless request or module set it */
        uint32_t samples_min;    /* in a request; 0: as for any run */
        uint32_t samples_max;
        const char *takes[METHOD_TAKES_MAX]; /* the supported options, of benchd's own; benchd supports all */
        bool primes;                         /* the first call is not a sample */
        bool takes_off_loop; /* subtracts the empty loop from each sample, and shows it as the row NOTHING */
        bool is_scaled;      /* its table is scaled to the module's reference by default */
        bool needs_pause;    /* pauses around the setup of each call */
        bool shows_runs;     /* shows each batch separately */
        bool is_older;       /* not benchd's own */
} Method;

/* The methods in the table's order, benchd's own first; NULL past the last. */
const Method *method_at(size_t index);

/* Finds a method by its name ("": benchd's own); NULL if there is none. */
const Method *method_find(const char *name);

/* Writes the names of all, with commas; returns @names. */
const char *method_names(char names[static METHOD_NAMES_MAX]);

bool method_takes(const Method *method, const RunOption *option);

/* The first option of @request that @method does not support, without its dashes; NULL if it supports all. */
const char *method_refuses(const Method *method, const Benchd__RunRequest *request);

/* True if @method allows @samples samples. */
bool method_takes_samples(const Method *method, uint32_t samples);

/* The schedule of @entry with an older @method: from the request, else from the module, else from the method. */
RunnerSchedule method_schedule(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request);

/*
 * True if @block has few samples because @schedule limits them for a long body, rather than because the budget ended.
 */
bool method_found_long(const RunnerSchedule *schedule, const SampleBlock *block);

/* The findings, as bits, on @block, timed by @clock, with mean @mean_ns, measured by @method with @schedule. */
uint32_t method_findings(const Method *method, const RunnerSchedule *schedule, const SampleBlock *block,
                const ClockFacts *clock, double mean_ns);

/* The warning of batches that outlast a window of SCHED_FIFO: its remedy is an option that @method takes. */
WarningKind method_long_batch(const Method *method, const RunnerSchedule *schedule);

/* Appends a sentence on each of @findings. */
void method_add_findings(uint32_t findings, Arena *arena, WarningList *warnings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Methods: the ways in which the harnesses of the literature measure, by name, a row each. All run through the same runner, so
 * that their numbers can be had and their weaknesses seen; what they subtract or leave out is theirs. Pure.
 *
 * Each older method measures in one process: the spread that it shows is a lower bound of that of several. An option of a run that
 * it does not take is refused in words; one that it takes a module may set too.
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
        const char *about;       /* its working, in a line */
        const char *caps;        /* it ends there whatever the body */
        RunnerSchedule schedule; /* unless request or module say otherwise */
        uint32_t samples_min;    /* in a request; 0: as of any run */
        uint32_t samples_max;
        const char *takes[METHOD_TAKES_MAX]; /* of the options that are benchd's own; benchd takes all */
        bool primes;                         /* the first call is none of its samples */
        bool takes_off_loop;                 /* the empty loop, off each sample; and shows it as the row NOTHING */
        bool is_scaled;                      /* its table, to the module's reference, unasked */
        bool needs_pause;                    /* around what is set up for each call */
        bool shows_runs;                     /* each batch by itself */
        bool is_older;                       /* not benchd's own */
} Method;

/* NULL past the last. The first is benchd's own. */
const Method *method_at(size_t index);

/* Finds a method by its name ("": benchd's own); NULL if there is none. */
const Method *method_find(const char *name);

/* Writes the names of all, with commas; returns @names. */
const char *method_names(char names[static METHOD_NAMES_MAX]);

bool method_takes(const Method *method, const RunOption *option);

/* The first option of @request that @method does not take, as it is typed without its dashes; NULL if it takes all. */
const char *method_refuses(const Method *method, const Benchd__RunRequest *request);

/* True if @method takes as many as @samples. */
bool method_takes_samples(const Method *method, uint32_t samples);

/* The schedule of @entry by an older @method: the request decides, then the module, then the method. */
RunnerSchedule method_schedule(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request);

/* True if @block has the few samples of a body that @schedule calls long, rather than of a budget that ended. */
bool method_found_long(const RunnerSchedule *schedule, const SampleBlock *block);

/* The findings of @block, timed by @clock, whose mean is @mean_ns, measured by @method as planned in @schedule: bits. */
uint32_t method_findings(const Method *method, const RunnerSchedule *schedule, const SampleBlock *block,
                const ClockFacts *clock, double mean_ns);

/* Appends a sentence on each of @findings. */
void method_add_findings(uint32_t findings, Arena *arena, WarningList *warnings);

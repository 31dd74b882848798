/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/method.h"

#include <stdio.h>
#include <string.h>

#include "clock/conversion.h"
#include "util/cleanup.h"
#include "util/time.h"

#define METHOD_PAUSE_LEAST_NS 100 /* Sestoft: under that, Mark8Setup measures its clock */

#define DECIMAL_COUNT_MAX UINT64_C(1000000000)
#define BINARY_COUNT_LAST ((UINT64_C(1) << 30) - 1) /* doubled while it is below half of the largest int */

/* Sestoft's: batches of a given count. */
#define MARK_COUNT_SCHEDULE(samples_)                                                                                  \
 {                                                                                                                     \
  .pace = RUNNER_PACE_FIXED, .samples = samples_, .iterations = 100000000, .target_ns = NS_PER_MS,                     \
  .budget_ns = 60 * NS_PER_S,                                                                                          \
 }
#define MARK_COUNT_CAPS "no more than three batches after 60 s (--budget)"

/* ... and ten batches of a count, which is doubled until the last of them takes a quarter of a second. */
#define MARK_SCHEDULE(pace_, budget_s_)                                                                                \
 {                                                                                                                     \
  .pace = pace_, .samples = 10, .iterations = 2, .growth = 2, .iterations_last = BINARY_COUNT_LAST,                    \
  .target_ns = 250 * NS_PER_MS, .budget_ns = (budget_s_)*NS_PER_S,                                                     \
 }
#define MARK_CAPS       "a count of 2^30; no further count that would end after 60 s (--budget)"
#define MARK_SETUP_CAPS "a count of 2^30; no further count that would end after 20 s, pauses included (--budget)"

static const Method methods[] = {
        {
                        .name = "benchd",
                        .about = "several fresh processes, until times hold still, then samples; an interval over the processes",
                        .primes = true,
        },
        {
                        .is_older = true,
                        .name = "measureit",
                        .about = "primed, 10 samples of 1000 iterations, an empty loop subtracted",
                        .caps = "no more than three samples after 60 s (--budget)",
                        .schedule = { .pace = RUNNER_PACE_FIXED,
                                        .samples = 10,
                                        .iterations = 1000,
                                        .long_ns = NS_PER_MS / 10,
                                        .target_ns = NS_PER_MS,
                                        .budget_ns = 60 * NS_PER_S },
                        .takes = { "samples", "iterations", "budget" },
                        .primes = true,
                        .takes_off_loop = true,
                        .is_scaled = true,
        },
        {
                        .is_older = true,
                        .name = "stopwatch",
                        .about = "pinned, at high priority, 1200 ms of warm-up by the clock, then 20 runs",
                        .caps = "no more than three runs after 60 s (--budget)",
                        .schedule = { .pace = RUNNER_PACE_FIXED,
                                        .samples = 20,
                                        .iterations = 1,
                                        .target_ns = NS_PER_MS,
                                        .warmup_min_ns = 1200 * NS_PER_MS,
                                        .warmup_max_ns = 1200 * NS_PER_MS,
                                        .budget_ns = 60 * NS_PER_S },
                        .takes = { "samples", "iterations", "warmup", "budget" },
                        .shows_runs = true,
        },
        {
                        .is_older = true,
                        .name = "softwx",
                        .about = "a count times ten until a call takes over 1 ms, then at least 5 calls and 5000 ms, an empty loop "
                                 "subtracted",
                        .caps = "a count of 10^9; 4096 calls; no more than three calls after 60 s (--budget)",
                        .schedule = { .pace = RUNNER_PACE_SEARCH,
                                        .samples = 5,
                                        .iterations = 1,
                                        .growth = 10,
                                        .iterations_last = DECIMAL_COUNT_MAX,
                                        .target_ns = NS_PER_MS,
                                        .least_ns = 5000 * NS_PER_MS,
                                        .budget_ns = 60 * NS_PER_S },
                        .takes = { "samples", "iterations", "min-time", "budget" },
                        .primes = true,
                        .takes_off_loop = true,
        },
        {
                        .is_older = true,
                        .name = "macro",
                        .about = "one priming call, then 10 to 50 runs, and their average",
                        .caps = "no more than three runs after 600 s (--budget)",
                        .schedule = { .pace = RUNNER_PACE_FIXED,
                                        .samples = 10,
                                        .iterations = 1,
                                        .target_ns = NS_PER_MS,
                                        .budget_ns = 600 * NS_PER_S },
                        .samples_min = 10,
                        .samples_max = 50,
                        .takes = { "samples", "budget" },
                        .primes = true,
        },
        {
                        .is_older = true,
                        .name = "mark2",
                        .about = "Sestoft's: 100 million calls, and one number",
                        .caps = MARK_COUNT_CAPS,
                        .schedule = MARK_COUNT_SCHEDULE(1),
                        .takes = { "iterations", "budget" },
                        .shows_runs = true,
        },
        {
                        .is_older = true,
                        .name = "mark3",
                        .about = "Sestoft's: ten times 100 million calls, and ten numbers",
                        .caps = MARK_COUNT_CAPS,
                        .schedule = MARK_COUNT_SCHEDULE(10),
                        .takes = { "iterations", "budget" },
                        .shows_runs = true,
        },
        {
                        .is_older = true,
                        .name = "mark4",
                        .about = "Sestoft's: ten times 100 million calls, their mean and deviation",
                        .caps = MARK_COUNT_CAPS,
                        .schedule = MARK_COUNT_SCHEDULE(10),
                        .takes = { "iterations", "budget" },
        },
        {
                        .is_older = true,
                        .name = "mark5",
                        .about = "Sestoft's: ten batches of a count doubled until one takes 0.25 s, each count shown",
                        .caps = MARK_CAPS,
                        .schedule = MARK_SCHEDULE(RUNNER_PACE_ALL_STEPS, 60),
                        .takes = { "budget" },
        },
        {
                        .is_older = true,
                        .name = "mark6",
                        .about = "Sestoft's: mark5, with the name of what is measured",
                        .caps = MARK_CAPS,
                        .schedule = MARK_SCHEDULE(RUNNER_PACE_ALL_STEPS, 60),
                        .takes = { "budget" },
        },
        {
                        .is_older = true,
                        .name = "mark7",
                        .about = "Sestoft's: mark6, of which the last count alone is shown",
                        .caps = MARK_CAPS,
                        .schedule = MARK_SCHEDULE(RUNNER_PACE_LAST_STEP, 60),
                        .takes = { "budget" },
        },
        {
                        .is_older = true,
                        .name = "mark8",
                        .about = "Sestoft's: mark7 with the problem's size, the number of batches and their least time",
                        .caps = MARK_CAPS,
                        .schedule = MARK_SCHEDULE(RUNNER_PACE_LAST_STEP, 60),
                        .takes = { "samples", "min-time", "budget" },
        },
        {
                        .is_older = true,
                        .name = "mark8setup",
                        .about = "Sestoft's: mark8 of what is set up for each call, with the clock paused",
                        .caps = MARK_SETUP_CAPS,
                        .schedule = MARK_SCHEDULE(RUNNER_PACE_LAST_STEP, 20),
                        .takes = { "samples", "min-time", "budget" },
                        .needs_pause = true,
        },
};

const Method *method_at(size_t index) {
        return index < N_ELEMENTS(methods) ? &methods[index] : NULL;
}

const Method *method_find(const char *name) {
        if (!*name)
                return &methods[0];
        for (size_t i = 0; i < N_ELEMENTS(methods); i++)
                if (strcmp(methods[i].name, name) == 0)
                        return &methods[i];
        return NULL;
}

const char *method_names(char names[static METHOD_NAMES_MAX]) {
        size_t n = 0;

        names[0] = '\0';
        for (size_t i = 0; i < N_ELEMENTS(methods) && n < METHOD_NAMES_MAX; i++)
                n += snprintf(names + n, METHOD_NAMES_MAX - n, "%s%s", i == 0 ? "" : ", ", methods[i].name);
        return names;
}

/* ---- options */

static bool method_has(const Method *method, const char *option) {
        for (size_t i = 0; i < METHOD_TAKES_MAX && method->takes[i]; i++)
                if (strcmp(method->takes[i], option) == 0)
                        return true;
        return false;
}

bool method_takes(const Method *method, const RunOption *option) {
        return !option->own || !method->is_older || method_has(method, option->name);
}

const char *method_refuses(const Method *method, const Benchd__RunRequest *request) {
        const RunOption *option;

        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (!method_takes(method, option) && run_request_asks(request, option))
                        return option->name;
        return NULL;
}

bool method_takes_samples(const Method *method, uint32_t samples) {
        return (method->samples_min == 0 || samples >= method->samples_min) &&
               (method->samples_max == 0 || samples <= method->samples_max);
}

/* The value of an option that @method takes, by the request, then the module; 0: neither sets it. */
static uint64_t method_choose(const Method *method, const char *option, bool given, uint64_t value,
                uint64_t of_module) {
        if (!method_has(method, option))
                return 0;
        return given ? value : of_module;
}

/* A count that is given is not looked for; and state that is reset after each batch would grow within a longer one. */
static void method_set_iterations(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request,
                RunnerSchedule *schedule) {
        uint64_t iterations = method_choose(method, "iterations", request->has_iterations, request->iterations,
                        entry->iterations);

        if (iterations == 0 && entry->resets)
                iterations = entry->iterations > 0 ? entry->iterations : 1;
        if (iterations == 0)
                return;
        schedule->pace = RUNNER_PACE_FIXED;
        schedule->iterations = iterations;
        schedule->long_ns = 0;
}

/* The least time of one batch, or, if batches are only as long as they must be, of all. */
static void method_set_min_time(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request,
                RunnerSchedule *schedule) {
        uint64_t ns = method_choose(method, "min-time", request->has_min_time_ns, request->min_time_ns,
                        entry->min_time_ns);

        if (ns == 0 || ns > RUNNER_TARGET_MAX_NS)
                return;
        if (schedule->least_ns > 0)
                schedule->least_ns = ns;
        else
                schedule->target_ns = ns;
}

/* A process that is not prepared is not warmed up either. */
static void method_set_warmup(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request,
                RunnerSchedule *schedule) {
        const bool unprepared = request->has_unprepared && request->unprepared;

        if (!method_has(method, "warmup"))
                return;
        if (request->has_warmup_ns)
                schedule->warmup_min_ns = request->warmup_ns;
        else if (unprepared)
                schedule->warmup_min_ns = 0;
        else if (entry->warmup_ms == LISTING_NO_WARMUP)
                schedule->warmup_min_ns = 0;
        else if (entry->warmup_ms > 0)
                schedule->warmup_min_ns = entry->warmup_ms * NS_PER_MS;
        schedule->warmup_max_ns = schedule->warmup_min_ns;
}

RunnerSchedule method_schedule(const Method *method, const ListingEntry *entry, const Benchd__RunRequest *request) {
        RunnerSchedule schedule = method->schedule;
        uint64_t samples = method_choose(method, "samples", request->has_samples, request->samples, entry->samples);

        if (samples > 0 && samples <= RUNNER_SAMPLES_MAX && method_takes_samples(method, samples))
                schedule.samples = samples;
        method_set_iterations(method, entry, request, &schedule);
        method_set_min_time(method, entry, request, &schedule);
        method_set_warmup(method, entry, request, &schedule);
        if (request->has_budget_ns)
                schedule.budget_ns = request->budget_ns;
        return schedule;
}

/* ---- findings */

static bool any_paused(const SampleBlock *block) {
        for (uint32_t i = 0; i < block->n_samples; i++)
                if (block->samples[i].paused_ticks > 0)
                        return true;
        return false;
}

/* The time of the last batch without its pauses, of the thread that took longest. */
static double last_batch_ns(const SampleBlock *block, const ClockFacts *clock) {
        double longest_ns = 0;

        for (uint32_t i = 0; i < block->n_threads && i < block->n_samples; i++) {
                const Sample *sample = &block->samples[block->n_samples - 1 - i];
                const double ns = ticks_to_ns(sample->ticks - sample->paused_ticks, clock->hz);

                longest_ns = ns > longest_ns ? ns : longest_ns;
        }
        return longest_ns;
}

/* The last batch is shorter than batches were to become, though neither the largest count nor prepared inputs bound it. */
static bool budget_ended_growth(const RunnerSchedule *schedule, const SampleBlock *block, const ClockFacts *clock) {
        return block->iterations <= schedule->iterations_last && block->iterations != block->inputs_max &&
               last_batch_ns(block, clock) < schedule->target_ns;
}

bool method_found_long(const RunnerSchedule *schedule, const SampleBlock *block) {
        return schedule->long_ns > 0 && block->iterations == 1 && schedule->iterations > 1;
}

WarningKind method_long_batch(const Method *method, const RunnerSchedule *schedule) {
        const bool counted = schedule->pace == RUNNER_PACE_FIXED || schedule->pace == RUNNER_PACE_SEARCH;

        if (counted)
                return !method->is_older || method_has(method, "iterations") ? WARNING_LONG_COUNT : WARNING_LONG_WORK;
        return !method->is_older || method_has(method, "min-time") ? WARNING_LONG_BATCH : WARNING_LONG_METHOD;
}

/* A bit each. */
static const char *const finding_words[] = {
        "it never paused the clock: the set-up of each call is timed with it",
        "under 100 ns a call: pausing and resuming takes most of this time",
        "the largest count was reached, and may not last long enough",
        "a long body: one iteration a sample, and at most three samples",
        "ended at 4096 calls, perhaps before the least time",
        "no empty loop was subtracted: with several threads none is timed",
        "the budget ended the doubling (--budget): a batch is shorter than its least time",
};

uint32_t method_findings(const Method *method, const RunnerSchedule *schedule, const SampleBlock *block,
                const ClockFacts *clock, double mean_ns) {
        const bool multiplies = schedule->pace == RUNNER_PACE_LAST_STEP || schedule->pace == RUNNER_PACE_ALL_STEPS;
        const bool paused = any_paused(block);
        const bool own_clock = block->n_samples > 0 && block->samples[0].manual_ns > 0; /* the body's */
        const bool holds[N_ELEMENTS(finding_words)] = {
                method->needs_pause && !paused && !own_clock,
                method->needs_pause && paused && !own_clock && mean_ns < METHOD_PAUSE_LEAST_NS,
                multiplies && block->iterations > schedule->iterations_last,
                method_found_long(schedule, block),
                schedule->least_ns > 0 && block->n_samples == RUNNER_SAMPLES_MAX,
                method->takes_off_loop && block->n_loop_samples == 0 && block->iterations > 1 && !own_clock,
                multiplies && budget_ended_growth(schedule, block, clock),
        };
        uint32_t findings = 0;

        for (size_t i = 0; i < N_ELEMENTS(holds); i++)
                findings |= (uint32_t)holds[i] << i;
        return findings;
}

void method_add_findings(uint32_t findings, Arena *arena, WarningList *warnings) {
        for (size_t i = 0; i < N_ELEMENTS(finding_words); i++)
                if (findings & 1u << i)
                        warning_add(warnings, arena, WARNING_METHOD, "%s", finding_words[i]);
}

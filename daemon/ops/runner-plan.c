/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/runner-plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/file-name.h"

static bool string_ended(const char *text, size_t n) {
        return memchr(text, 0, n);
}

/* A multiplying pace must come to an end. */
static bool pace_valid(const RunnerSchedule *schedule) {
        if (schedule->pace == RUNNER_PACE_SETTLED)
                return true;
        if (schedule->pace >= _RUNNER_PACE_N || schedule->iterations < 1)
                return false;
        return schedule->pace == RUNNER_PACE_FIXED ||
               (schedule->growth >= 2 && schedule->iterations_last <= RUNNER_ITERATIONS_MAX / schedule->growth);
}

static bool schedule_valid(const RunnerSchedule *schedule, uint32_t n_at_once) {
        return schedule->target_ns > 0 && schedule->samples >= 1 &&
               schedule->samples <= RUNNER_SAMPLES_MAX / n_at_once &&
               schedule->samples_most <= RUNNER_SAMPLES_MAX / n_at_once &&
               schedule->warmup_min_ns <= schedule->warmup_max_ns && schedule->budget_ns > 0 && pace_valid(schedule);
}

/* The last string must end before the array does, so that an empty one ends the list. */
static bool environment_valid(const char environment[static RUNNER_ENVIRONMENT_MAX]) {
        return environment[RUNNER_ENVIRONMENT_MAX - 1] == 0 &&
               (environment[0] == 0 || environment[RUNNER_ENVIRONMENT_MAX - 2] == 0);
}

static bool library_names_valid(const RunnerPlan *plan) {
        for (uint32_t i = 0; i < RUNNER_LIBRARIES_MAX; i++)
                if (!string_ended(plan->library_names[i], sizeof plan->library_names[i]))
                        return false;
        return true;
}

bool runner_plan_directory_is_valid(const char *directory) {
        return *directory == '/';
}

bool runner_plan_keeps(const RunnerPlan *plan) {
        return *plan->directory && (plan->mode == RUNNER_MODE_RUN || plan->mode == RUNNER_MODE_MEMORY);
}

static bool has_part(const char *path, const char *part) {
        for (const char *at = path; *at; at += strcspn(at, "/")) {
                at += strspn(at, "/");
                if (strncmp(at, part, strlen(part)) == 0 && (at[strlen(part)] == '/' || at[strlen(part)] == '\0'))
                        return true;
        }
        return false;
}

/* True if @path is @above or below it. */
static bool is_below(const char *path, const char *above) {
        const size_t n = strlen(above);

        return strncmp(path, above, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Places that a run has its own files at; @all: everything below too. */
static const struct {
        const char *path;
        bool all;
} own_places[] = {
        { "/proc", true },
        { "/dev/mqueue", true },
        { "/dev/pts", true },
        { "/dev/shm", true },
        { "/tmp", false },
};

const char *runner_plan_seen_refusal(const char *path) {
        static const char own[] = "is where a run has its own files: name less, or elsewhere";

        if (strcmp(path, "/") == 0)
                return own;
        if (*path != '/' || strstr(path, "//") || path[strlen(path) - 1] == '/' || has_part(path, ".") ||
                        has_part(path, ".."))
                return "is not an absolute path without '.', '..' and needless slashes";
        for (size_t i = 0; i < N_ELEMENTS(own_places); i++)
                if (is_below(own_places[i].path, path) || (own_places[i].all && is_below(path, own_places[i].path)))
                        return own;
        return NULL;
}

bool runner_plan_input_name_is_valid(const char *name) {
        return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

void runner_plan_module_name(const char *name, char ret_name[static RUNNER_LIBRARY_NAME_MAX]) {
        snprintf(ret_name, RUNNER_LIBRARY_NAME_MAX, "%s", file_name_of(name));
        if (!runner_plan_input_name_is_valid(ret_name))
                ret_name[0] = '\0';
}

void runner_plan_area_of_file(const char *file, char ret_area[static RUNNER_NAME_MAX]) {
        const char *name = file_name_of(file);

        snprintf(ret_area, RUNNER_NAME_MAX, "%.*s", (int)strcspn(name, "."), name);
        for (char *c = ret_area; *c; c++)
                if (!isalnum((unsigned char)*c) && !strchr("_-+", *c))
                        *c = '_';
}

static bool inputs_valid(const RunnerPlan *plan) {
        if (plan->n_inputs > RUNNER_INPUTS_MAX)
                return false;
        for (uint32_t i = 0; i < RUNNER_INPUTS_MAX; i++)
                if (!string_ended(plan->input_names[i], sizeof plan->input_names[i]) ||
                                (i < plan->n_inputs && !runner_plan_input_name_is_valid(plan->input_names[i])))
                        return false;
        return true;
}

static bool counters_valid(const ClockFacts *clock) {
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (!isfinite(clock->counter_cost[i]))
                        return false;
        return (clock->counters & ~_COUNTERS) == 0;
}

static bool clock_valid(const ClockFacts *clock) {
        return isfinite(clock->hz) && clock->hz >= 0 && isfinite(clock->error_ppm) && isfinite(clock->quantum_ticks) &&
               clock->quantum_ticks >= 0 && isfinite(clock->batch_cost_ticks) && isfinite(clock->led_cost_ticks) &&
               isfinite(clock->pause_cost_ticks) && isfinite(clock->pause_cycles_per_tick) &&
               clock->pause_cycles_per_tick >= 0 && isfinite(clock->ruler_cost_ticks) && isfinite(clock->ruler_check) &&
               isfinite(clock->pair_cost_ticks) && isfinite(clock->branch_cycles) && isfinite(clock->ports_cycles) &&
               clock->ruler_turns <= RUNNER_RULER_TURNS_MAX && clock->source < _CLOCK_SOURCE_N &&
               (clock->missing & ~_CLOCK_MISSING) == 0 && counters_valid(clock);
}

static bool side_valid(const RunnerSide *side) {
        for (uint32_t i = 0; i < RUNNER_ARGS_MAX; i++)
                if (!argument_is_valid(&side->args[i]))
                        return false;
        return string_ended(side->area, sizeof side->area) && string_ended(side->benchmark, sizeof side->benchmark) &&
               string_ended(side->module_name, sizeof side->module_name) &&
               (!*side->module_name || runner_plan_input_name_is_valid(side->module_name)) &&
               side->n_args <= RUNNER_ARGS_MAX && side->n_libraries <= RUNNER_LIBRARIES_MAX &&
               side->heap_offset_bytes < RUNNER_HEAP_OFFSET_MAX && side->heap_offset_bytes % 16 == 0 &&
               side->image_offset_bytes < RUNNER_IMAGE_OFFSET_MAX && side->image_offset_bytes % 16 == 0;
}

static bool own_cpus_valid(const RunnerPlan *plan) {
        const bool alone = plan->n_sides == 1 || (plan->options & RUNNER_OPTION_COMMANDS);

        return plan->own_cpus == 0 || (plan->n_threads == 1 && alone && plan->own_cpus < RUNNER_THREADS_MAX);
}

/* Two sides run on one thread. The limit of libraries holds for both together. */
static bool sides_valid(const RunnerPlan *plan) {
        uint32_t n_libraries = 0;

        if (plan->n_sides < 1 || plan->n_sides > RUNNER_SIDES_MAX || plan->first_side >= plan->n_sides ||
                        (plan->n_sides > 1 && plan->n_threads > 1))
                return false;
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                if (!side_valid(&plan->sides[i]) || plan->n_preloaded[i] > RUNNER_LIBRARIES_MAX)
                        return false;
                n_libraries += plan->sides[i].n_libraries;
        }
        return n_libraries <= RUNNER_LIBRARIES_MAX;
}

uint32_t runner_plan_n_cpus(const RunnerPlan *plan) {
        return plan->n_threads + plan->own_cpus;
}

int runner_plan_check(const RunnerPlan *plan) {
        if (plan->magic != RUNNER_PLAN_MAGIC || plan->version != RUNNER_PLAN_VERSION)
                return RUNNER_PLAN_E_INVALID;
        if (plan->mode < RUNNER_MODE_LIST || plan->mode >= _RUNNER_MODE_N)
                return RUNNER_PLAN_E_INVALID;
        if (plan->n_threads < 1 || plan->n_threads > RUNNER_THREADS_MAX || (plan->options & ~_RUNNER_OPTIONS))
                return RUNNER_PLAN_E_INVALID;
        if (plan->n_groups > RUNNER_GROUPS_MAX || plan->n_suspects > RUNNER_SUSPECTS_MAX || !sides_valid(plan) ||
                        !own_cpus_valid(plan))
                return RUNNER_PLAN_E_INVALID;
        if (plan->stack_offset_bytes >= RUNNER_STACK_OFFSET_MAX || plan->stack_offset_bytes % 16 ||
                        plan->environment_padding_bytes >= RUNNER_PADDING_MAX ||
                        plan->mapping_offset_pages >= RUNNER_OFFSET_PAGES_MAX ||
                        plan->heap_offset_pages >= RUNNER_OFFSET_PAGES_MAX || !runner_asked_is_valid(&plan->asked))
                return RUNNER_PLAN_E_INVALID;
        if (!string_ended(plan->directory, sizeof plan->directory) ||
                        (*plan->directory && !runner_plan_directory_is_valid(plan->directory)))
                return RUNNER_PLAN_E_INVALID;
        for (size_t i = 0; i < RUNNER_SEEN_MAX; i++)
                if (!string_ended(plan->seen[i], sizeof plan->seen[i]) ||
                                (*plan->seen[i] && runner_plan_seen_refusal(plan->seen[i])))
                        return RUNNER_PLAN_E_INVALID;
        if (!environment_valid(plan->environment) || !library_names_valid(plan) || !inputs_valid(plan) ||
                        !clock_valid(&plan->clock))
                return RUNNER_PLAN_E_INVALID;
        if ((plan->mode == RUNNER_MODE_RUN || plan->mode == RUNNER_MODE_MEMORY) &&
                        !schedule_valid(&plan->schedule, plan->n_threads * plan->n_sides))
                return RUNNER_PLAN_E_INVALID;
        return 0;
}

uint64_t runner_plan_stack_bytes(const RunnerPlan *plan) {
        return plan->asked.stack_bytes > 0 ? plan->asked.stack_bytes : RUNNER_STACK_BYTES;
}

bool runner_plan_moves_images(const RunnerPlan *plan) {
        return plan->mode == RUNNER_MODE_RUN && !(plan->options & RUNNER_OPTION_NO_ASLR);
}

int runner_plan_input_fd(const RunnerPlan *plan) {
        int fd = RUNNER_FD_MODULE;

        for (uint32_t i = 0; i < plan->n_sides; i++)
                fd += 1 + (int)plan->sides[i].n_libraries;
        return fd;
}

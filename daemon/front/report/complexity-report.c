/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/complexity-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "stats/complexity.h"
#include "util/error.h"

/* The benchmarks of one entry stand together, those with equal arguments too. */
typedef struct Sweep {
        const Plan *plan;
        const double *points_ns;
        size_t first, end;
        double *sizes; /* room for all benchmarks of the plan */
        double *times;
} Sweep;

static size_t entry_end(const Plan *plan, size_t first) {
        size_t end = first;

        while (end < plan->n_benchmarks && plan->benchmarks[end].entry == plan->benchmarks[first].entry)
                end++;
        return end;
}

static double argument_size(const ArgumentValue *size) {
        return size->kind == ARGUMENT_REAL ? size->real : (double)size->integer;
}

/* The sizes that have a time with @threads. Returns how many. */
static size_t sweep_gather(const Sweep *sweep, uint32_t threads) {
        size_t n = 0;

        for (size_t i = sweep->first; i < sweep->end; i++) {
                if (sweep->plan->benchmarks[i].threads != threads || !isfinite(sweep->points_ns[i]))
                        continue;
                sweep->sizes[n] = argument_size(&sweep->plan->benchmarks[i].args[0]);
                sweep->times[n++] = sweep->points_ns[i];
        }
        return n;
}

static Benchd__Complexity *build_fit(const PlanEntry *entry, uint32_t threads, const ComplexityFit *fit, size_t n,
                Arena *arena) {
        Benchd__Complexity *message = message_new(arena, Benchd__Complexity, benchd__complexity);

        if (!message)
                return NULL;
        message->area = arena_text(arena, entry->area);
        message->name = arena_text(arena, entry->name);
        message->arg = arena_text(arena, entry->arg_names[0]);
        message_set(message, threads, threads);
        message_set(message, sizes, n);
        message_set_finite(message, residual, fit->residual);
        if (!fit->fits)
                return message;
        message->order = arena_text(arena, complexity_forms[fit->order].name);
        message_set_finite(message, coefficient, fit->coefficient);
        message_set_finite(message, constant, fit->constant);
        return message;
}

static int sweep_add_fit(const Sweep *sweep, uint32_t threads, Arena *arena, Benchd__RunResult *result) {
        const PlanEntry *entry = &sweep->plan->entries[sweep->plan->benchmarks[sweep->first].entry];
        size_t n = sweep_gather(sweep, threads);
        Benchd__Complexity *message;
        ComplexityFit fit;
        int r;

        r = complexity_fit(sweep->sizes, sweep->times, n, &fit);
        if (r > 0)
                return 0; /* too few sizes, or no size at all */
        if (r)
                return error_trace(r);
        message = build_fit(entry, threads, &fit, n, arena);
        if (!message)
                return error_origin(-ENOMEM);
        result->complexity[result->n_complexity++] = message;
        return 0;
}

static bool has_arguments_of(const Plan *plan, size_t index, size_t other) {
        return memcmp(plan->benchmarks[index].args, plan->benchmarks[other].args,
                               sizeof plan->benchmarks[index].args) == 0;
}

/* A fit for each number of threads, which are those of the first size. Texts are no sizes. */
static int sweep_add(const Sweep *sweep, Arena *arena, Benchd__RunResult *result) {
        const PlanBenchmark *first = &sweep->plan->benchmarks[sweep->first];
        int r = 0;

        if (sweep->plan->entries[first->entry].n_args != 1 || first->args[0].kind == ARGUMENT_TEXT)
                return 0;
        for (size_t i = sweep->first; r == 0 && i < sweep->end && has_arguments_of(sweep->plan, i, sweep->first); i++)
                r = sweep_add_fit(sweep, sweep->plan->benchmarks[i].threads, arena, result);
        return error_trace(r);
}

int complexity_report_fill(const Plan *plan, const double *points_ns, Arena *arena, Benchd__RunResult *result) {
        _cleanup_(freep) double *work = malloc(2 * plan->n_benchmarks * sizeof *work);
        Sweep sweep = { .plan = plan, .points_ns = points_ns, .sizes = work, .times = work + plan->n_benchmarks };
        int r = 0;

        result->complexity = arena_zero(arena, plan->n_benchmarks * sizeof *result->complexity);
        if (!work || !result->complexity)
                return error_origin(-ENOMEM);
        for (; r == 0 && sweep.first < plan->n_benchmarks; sweep.first = sweep.end) {
                sweep.end = entry_end(plan, sweep.first);
                r = sweep_add(&sweep, arena, result);
        }
        return error_trace(r);
}

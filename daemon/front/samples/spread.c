/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/spread.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "stats/autocorrelation.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

void spread_deinit(Spread *spread) {
        free(spread->processes);
        *spread = (Spread){};
}

/* ---- one process */

int spread_add(Spread *spread, const SpreadSamples *samples) {
        const ModesRule rule = { .resolution = samples->step, .n_min = modes_of_samples.n_min };
        Autocorrelation autocorrelation = { .ess = NAN };
        SpreadProcess *grown, *process;
        int r;

        grown = reallocarray(spread->processes, spread->n + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        spread->processes = grown;
        process = &grown[spread->n];
        *process = (SpreadProcess){
                .quiet = samples->quiet,
                .drift = { .change = NAN, .p_value = NAN },
        };
        r = drift_of(samples->sequence, samples->n_sequence, &process->drift);
        if (r >= 0)
                r = autocorrelation_of(samples->sequence, samples->n_sequence, &autocorrelation);
        if (r < 0)
                return error_trace(r);
        process->ess = autocorrelation.ess * samples->n / fmax(samples->n_sequence, 1);
        if (variance_group(samples->sorted, samples->n, &process->group) != 0 ||
                        modes_find(samples->steady, samples->n, &rule, &process->within) != 0)
                spread->not_positive = true;
        spread->n++;
        return 0;
}

/* ---- all of them */

static int find_variance(const Spread *spread, SpreadFound *found) {
        _cleanup_(freep) VarianceGroup *groups = malloc(spread->n * sizeof *groups);

        if (!groups)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < spread->n; i++) {
                groups[i] = spread->processes[i].group;
                found->n_samples += groups[i].n;
                found->ess += spread->processes[i].ess;
        }
        found->variance = (VarianceComponents){ .within = NAN, .between = NAN, .share = NAN };
        if (!spread->not_positive)
                (void)variance_components(groups, spread->n, &found->variance);
        return 0;
}

/* Each place is a group of the medians of its processes; with one process per place their share is unknown. */
static int find_places(const double *medians, const uint32_t *places, size_t n, SpreadFound *found) {
        _cleanup_(freep) double *values = malloc((n + 1) * sizeof *values);
        VarianceGroup groups[RUNNER_IMAGE_OFFSETS];
        VarianceComponents components;
        size_t n_groups = 0;

        if (!values)
                return error_origin(-ENOMEM);
        found->place_share = NAN;
        for (uint32_t place = 0; place < RUNNER_IMAGE_OFFSETS; place++) {
                size_t n_here = 0;

                for (size_t i = 0; i < n; i++)
                        if (places[i] == place)
                                values[n_here++] = medians[i];
                found->places[place] = NAN;
                if (n_here == 0)
                        continue;
                if (variance_group(values, n_here, &groups[n_groups]) != 0)
                        return 0;
                found->places[place] = exp(groups[n_groups++].mean);
                found->n_at_place[place] = n_here;
        }
        if (n >= 2 * n_groups && variance_components(groups, n_groups, &components) == 0)
                found->place_share = components.share;
        return 0;
}

/* Each process counts by the normal deviate whose two-sided p-value is that of its drift, with its sign. */
static int find_drift(const Spread *spread, SpreadFound *found) {
        _cleanup_(freep) double *changes = malloc(spread->n * sizeof *changes);
        double deviates = 0;
        size_t n = 0;

        if (!changes)
                return error_origin(-ENOMEM);
        found->drift = (Drift){ .change = NAN, .p_value = NAN };
        for (size_t i = 0; i < spread->n; i++)
                if (isfinite(spread->processes[i].drift.change)) {
                        const Drift *drift = &spread->processes[i].drift;

                        deviates += copysign(gsl_cdf_ugaussian_Qinv(fmax(drift->p_value, 1e-300) / 2), drift->change);
                        changes[n++] = drift->change;
                }
        if (n == 0)
                return 0;
        found->drift.change = quantile_median(changes, n);
        found->drift.p_value = 2 * gsl_cdf_ugaussian_Q(fabs(deviates) / sqrt(n));
        return 0;
}

/* The number of modes, 2 or more, that most processes have; 0 if none has several. */
static size_t usual_modes(const Spread *spread) {
        size_t counts[MODES_MAX + 1] = {}, usual = 0;

        for (size_t i = 0; i < spread->n; i++)
                counts[spread->processes[i].within.n]++;
        for (size_t n = 2; n <= MODES_MAX; n++)
                if (counts[n] > 0 && (usual == 0 || counts[n] > counts[usual]))
                        usual = n;
        return usual;
}

/* Centre and weight of the mode at @which, over the processes that have @n_modes. */
static Mode usual_mode(const Spread *spread, size_t n_modes, size_t which, double *work) {
        Mode mode = {};
        size_t n = 0;

        for (size_t i = 0; i < spread->n; i++) {
                const Modes *of = &spread->processes[i].within;

                if (of->n != n_modes)
                        continue;
                mode.weight += of->modes[which].weight;
                work[n++] = of->modes[which].center;
        }
        mode.weight /= n;
        mode.center = quantile_median(work, n);
        return mode;
}

static int find_within(const Spread *spread, SpreadFound *found) {
        _cleanup_(freep) double *work = malloc(spread->n * sizeof *work);
        size_t usual = usual_modes(spread);

        if (!work)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < spread->n; i++)
                found->n_within += spread->processes[i].within.n >= 2;
        if (SPREAD_WITHIN_SHARE * found->n_within < spread->n || spread->n < SPREAD_MODES_PROCESSES_MIN)
                return 0;
        found->within.n = usual;
        for (size_t i = 0; i < usual; i++)
                found->within.modes[i] = usual_mode(spread, usual, i, work);
        return 0;
}

/* If samples change between two modes in even shares, medians fall in one or the other: that is one thing, not two. */
static bool within_explains(const Modes *within, const Modes *between) {
        return within->n >= 2 && between->modes[0].center >= within->modes[0].center * (1 - MODES_DISTANCE_MIN) &&
               between->modes[between->n - 1].center <= within->modes[within->n - 1].center * (1 + MODES_DISTANCE_MIN);
}

/* Modes that go with the places are no chance: the places explain them. */
static int find_between(const double *medians, size_t n, SpreadFound *found) {
        _cleanup_(freep) double *sorted = malloc((n + 1) * sizeof *sorted);
        Modes between;

        if (!sorted)
                return error_origin(-ENOMEM);
        memcpy(sorted, medians, n * sizeof *sorted);
        quantile_sort(sorted, n);
        if (n >= SPREAD_MODES_PROCESSES_MIN && !(found->place_share > SPREAD_PLACE_SHARE) &&
                        modes_find(sorted, n, &modes_of_processes, &between) == 0 && between.n >= 2 &&
                        !within_explains(&found->within, &between))
                found->between = between;
        return 0;
}

/* A copy of the processes that count; of what they hold nothing is copied. */
static int spread_select(const Spread *spread, bool alone, Spread *ret_selected) {
        Spread selected = { .not_positive = spread->not_positive };

        selected.processes = malloc((spread->n + 1) * sizeof *selected.processes);
        if (!selected.processes)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < spread->n; i++)
                if (spread->processes[i].quiet || !alone)
                        selected.processes[selected.n++] = spread->processes[i];
        *ret_selected = selected;
        return 0;
}

int spread_find(const Spread *spread, bool alone, const double *medians, const uint32_t *places, size_t n,
                SpreadFound *ret_found) {
        _cleanup_(spread_deinit) Spread selected = {};
        SpreadFound found = { .n_processes = n };
        int r;

        r = spread_select(spread, alone, &selected);
        if (r == 0)
                r = find_variance(&selected, &found);
        if (r == 0)
                r = find_places(medians, places, n, &found);
        if (r == 0)
                r = find_drift(&selected, &found);
        if (r == 0)
                r = find_within(&selected, &found);
        if (r == 0)
                r = find_between(medians, n, &found);
        if (r == 0)
                r = autocorrelation_of_logs(medians, places, n, &found.succession);
        if (r)
                return error_trace(r);
        *ret_found = found;
        return 0;
}

/* ---- in a result */

/* The times at the places, where the module lay at several. */
static int report_places(const SpreadFound *found, Arena *arena, Benchd__BenchmarkResult *result) {
        size_t n_places = 0;

        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS; i++)
                n_places += found->n_at_place[i] > 0;
        result->places = arena_zero(arena, RUNNER_IMAGE_OFFSETS * sizeof *result->places);
        if (!result->places)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS && n_places > 1; i++) {
                Benchd__Place *place = message_new(arena, Benchd__Place, benchd__place);

                if (!place)
                        return error_origin(-ENOMEM);
                message_set(place, image_offset, i * RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS);
                message_set(place, processes, found->n_at_place[i]);
                message_set_finite(place, time_ns, found->places[i]);
                result->places[result->n_places++] = place;
        }
        return 0;
}

static int report_modes(const Modes *modes, Benchd__Mode__Kind kind, Arena *arena, Benchd__BenchmarkResult *result) {
        for (size_t i = 0; i < modes->n; i++) {
                Benchd__Mode *mode = message_new(arena, Benchd__Mode, benchd__mode);

                if (!mode)
                        return error_origin(-ENOMEM);
                message_set(mode, kind, kind);
                message_set_finite(mode, center_ns, modes->modes[i].center);
                message_set_finite(mode, weight, modes->modes[i].weight);
                result->modes[result->n_modes++] = mode;
        }
        return 0;
}

int spread_report(const SpreadFound *found, Arena *arena, Benchd__BenchmarkResult *result) {
        Benchd__Variance *variance = message_new(arena, Benchd__Variance, benchd__variance);
        Benchd__Drift *drift = message_new(arena, Benchd__Drift, benchd__drift);
        int r;

        result->modes = arena_zero(arena, 2 * MODES_MAX * sizeof *result->modes);
        if (!variance || !drift || !result->modes)
                return error_origin(-ENOMEM);
        message_set_finite(variance, within_process, found->variance.within);
        message_set_finite(variance, between_process, found->variance.between);
        message_set_finite(variance, ess, found->ess);
        message_set_finite(variance, lag1, found->succession.lag1);
        message_set_finite(variance, image_offset_share, found->place_share);
        message_set_finite(drift, change, found->drift.change);
        message_set_finite(drift, p_value, found->drift.p_value);
        result->variance = variance;
        result->drift = drift;
        r = report_places(found, arena, result);
        if (r == 0)
                r = report_modes(&found->within, BENCHD__MODE__KIND__WITHIN, arena, result);
        if (r == 0)
                r = report_modes(&found->between, BENCHD__MODE__KIND__BETWEEN, arena, result);
        return error_trace(r);
}

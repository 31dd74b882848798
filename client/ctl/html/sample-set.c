/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/html/sample-set.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "ctl/json-path.h"
#include "util/cleanup.h"
#include "util/error.h"

/* ---- causes */

/* The worst class first, so that the first that a sample has is of its own class. */
static const SampleCause causes[] = {
        { 256, "stolen by the hypervisor", "stolen", 5 },
        { 2, "preempted", "preempted", 0 },
        { 4, "migrated", "migrated", 5 },
        { 32, "stretched by something unknown", "unattributed", 0 },
        { 64, "beside another thread of the core", "company", 0 },
        { 128, "next to a shared one", "beside", 0 },
        { 16, "at another frequency", "frequency", 4 },
        { 8, "with page faults", "faulted", 4 },
        { 1, "interrupted", "interrupted", 4 },
        { 0, "without a mark", "unmarked", 0 },
};

_Static_assert(N_ELEMENTS(causes) <= SAMPLE_CAUSES_MAX, "a set counts by cause");

const SampleCause *sample_cause_at(size_t index) {
        return index < N_ELEMENTS(causes) ? &causes[index] : NULL;
}

MarkClass sample_cause_class(size_t index) {
        return marks_class(causes[index].bit);
}

const char *sample_class_word(MarkClass class) {
        static const char *const words[_MARK_CLASS_N] = {
                [MARK_CLASS_QUIET] = "quiet",
                [MARK_CLASS_SHARED] = "shared",
                [MARK_CLASS_DISTURBED] = "disturbed",
        };

        return words[class];
}

static unsigned cause_of(uint32_t marks) {
        unsigned i = 0;

        while (causes[i].bit && !(causes[i].bit & marks))
                i++;
        return i;
}

MarkClass sample_class(const DrawnSample *sample) {
        return sample_cause_class(sample->cause);
}

/* ---- reading */

static double number_in(const json_t *array, size_t index) {
        return json_number_value(json_array_get(array, index));
}

static size_t n_samples(const json_t *processes) {
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(processes); i++)
                n += json_array_size(json_at(json_array_get(processes, i), "samples.time_ns"));
        return n;
}

static void read_process(const json_t *process, unsigned index, SampleSet *set) {
        const json_t *times = json_at(process, "samples.time_ns"), *at = json_at(process, "samples.at_ns");
        const json_t *marks = json_at(process, "samples.marks");

        for (size_t i = 0; i < json_array_size(times); i++) {
                DrawnSample *sample = &set->samples[set->n];

                *sample = (DrawnSample){
                        .at = number_in(at, i),
                        .ns = number_in(times, i),
                        .cause = cause_of((uint32_t)json_integer_value(json_array_get(marks, i))),
                        .process = index,
                };
                if (!isfinite(sample->ns) || !isfinite(sample->at))
                        continue;
                set->n_by_cause[sample->cause]++;
                set->n_by_class[sample_class(sample)]++;
                set->n++;
        }
}

int sample_set_read(const json_t *benchmark, SampleSet *ret_set) {
        const json_t *processes = json_at(benchmark, "processes");
        SampleSet set = { .n_processes = json_array_size(processes) };
        double longest = 0;

        set.samples = calloc(n_samples(processes) + 1, sizeof *set.samples);
        if (!set.samples)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < set.n_processes; i++)
                read_process(json_array_get(processes, i), (unsigned)i, &set);
        for (size_t i = 0; i < set.n; i++)
                longest = fmax(longest, set.samples[i].at);
        for (size_t i = 0; i < set.n; i++)
                set.samples[i].at = longest > 0 ? fmax(0, set.samples[i].at / longest) : 0.5;
        *ret_set = set;
        return 0;
}

void sample_set_clear(SampleSet *set) {
        free(set->samples);
        *set = (SampleSet){};
}

static int compare_doubles(const void *a, const void *b) {
        const double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

double *sample_set_sorted(const SampleSet *set, MarkClass class) {
        double *times = calloc(set->n_by_class[class] + 1, sizeof *times);
        size_t n = 0;

        for (size_t i = 0; times && i < set->n; i++)
                if (sample_class(&set->samples[i]) == class)
                        times[n++] = set->samples[i].ns;
        if (times)
                qsort(times, n, sizeof *times, compare_doubles);
        return times;
}

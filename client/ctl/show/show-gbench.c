/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Google Benchmark's JSON, for the tools that read it: its compare.py, and services that gather results. Each benchmark is one entry with
 * the headline, since such services chart every entry. Real and CPU time are the same figure: benchd times by one clock. In a
 * comparison "old/" and "new/" begin the names, so that compare.py's filters mode sets them side by side; so do the names of the
 * modules where there are several results.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"

/* ---- the context */

/* Adds @key with @value, a new reference that may be NULL where there is nothing to add. */
static int add(json_t *object, const char *key, json_t *value) {
        return value && json_object_set_new(object, key, value) < 0 ? error_origin(-ENOMEM) : 0;
}

static json_t *copy_number(const json_t *json, const char *path, double scale) {
        double number;

        return json_number_at(json, path, &number) ? json_real(number * scale) : NULL;
}

static json_t *copy_integer(const json_t *json, const char *path, double scale) {
        double number;

        return json_number_at(json, path, &number) ? json_integer(llround(number * scale)) : json_integer(0);
}

static json_t *copy_text(const json_t *json, const char *path) {
        return json_string(json_text_or(json, path, ""));
}

/* "2023-11-14T23:13:20+01:00": local, with the colon that strftime() leaves out. */
static json_t *local_date(const json_t *result) {
        const char *started = json_text_at(result, "started_at");
        char date[INSTANT_TEXT_MAX];
        const size_t n_zone = strlen("00");

        if (!started || !instant_local(started, "%Y-%m-%dT%H:%M:%S%z", date) || strlen(date) < n_zone)
                return json_string("");
        return json_sprintf("%.*s:%s", (int)(strlen(date) - n_zone), date, date + strlen(date) - n_zone);
}

static const char *cache_type(const char *kind) {
        if (kind && strcmp(kind, "data") == 0)
                return "Data";
        return kind && strcmp(kind, "instruction") == 0 ? "Instruction" : "Unified";
}

static json_t *caches_of(const json_t *result) {
        json_t *list = json_array();
        const json_t *cache;

        json_each(i, cache, json_at(result, "environment.cpu.caches")) {
                (void)json_array_append_new(list,
                                json_pack("{s:s, s:o, s:o, s:i}", "type", cache_type(json_text_at(cache, "kind")),
                                                "level", copy_integer(cache, "level", 1), "size",
                                                copy_integer(cache, "size_bytes", 1), "num_sharing", 0));
        }
        return list;
}

static json_t *load_of(const json_t *result) {
        double load;

        return json_number_at(result, "environment.load", &load) ? json_pack("[f]", load) : json_array();
}

/* A new reference; NULL if memory ran out. */
static json_t *context_new(const json_t *result) {
        const char *governor = json_text_at(result, "environment.governor");

        return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o*, s:o, s:o, s:s, s:s, s:i, s:o, s:o, s:o}", "date",
                        local_date(result), "host_name", json_text_or(result, "environment.machine.name", ""),
                        "executable", copy_text(result, "module.name"), "num_cpus",
                        copy_integer(result, "environment.processors", 1), "mhz_per_cpu",
                        copy_integer(result, "environment.tsc.hz", 1e-6), "cpu_scaling_enabled",
                        governor ? json_boolean(strcmp(governor, "performance") != 0) : NULL, "caches",
                        caches_of(result), "load_avg", load_of(result), "library_version", "benchd",
                        "library_build_type", "release", "json_schema_version", 1, "benchd_run_id",
                        copy_text(result, "run_id"), "benchd_verdict", copy_text(result, "verdict"),
                        "benchd_comparability_key", copy_text(result, "comparability_key"));
}

/* ---- entries */

typedef struct Family {
        int family;   /* by area and name */
        int instance; /* within it */
} Family;

/* "old/sorting/qsort/n=100" */
static json_t *name_of(const json_t *result, const json_t *benchmark, bool several) {
        const char *side = json_text_at(benchmark, "side");
        _cleanup_(freep) char *path = row_path_within(several && !side ? result : NULL, benchmark);

        if (!path)
                return NULL;
        return side ? json_sprintf("%s/%s", side, path) : json_string(path);
}

/* Google Benchmark's name of the unit, and its nanoseconds. */
typedef struct EntryUnit {
        const char *name;
        double ns;
} EntryUnit;

static EntryUnit unit_of(const View *view) {
        const AmountTimeUnit *unit = view->times.unit;

        return unit ? (EntryUnit){ unit->typed, unit->ns } : (EntryUnit){ "ns", 1 };
}

/* The time of the entry, or zeros beside the reason why there is none, as Google Benchmark has it. NULL if memory ran out. */
static json_t *times_of(const json_t *benchmark, EntryUnit unit) {
        const char *code = row_failure(benchmark);
        const bool skipped = code && strcmp(code, "skipped") == 0;
        const double time = json_number_or(benchmark, "time_ns.point", 0) / unit.ns;

        return json_pack("{s:o*, s:o*, s:o, s:f, s:f, s:s}", skipped ? "skipped" : "error_occurred",
                        code ? json_true() : NULL, skipped ? "skip_message" : "error_message",
                        code ? copy_text(benchmark, "failed.message") : NULL, "iterations",
                        copy_integer(benchmark, "operations_total", 1), "real_time", time, "cpu_time", time,
                        "time_unit", unit.name);
}

/* Figures that Google Benchmark has as counters; one of the module's that has the name of a field is left out. */
static int entry_add_counters(json_t *entry, const json_t *benchmark, EntryUnit unit) {
        static const struct {
                const char *key;
                const char *path;
                bool is_time;
        } counters[] = {
                { "bytes_per_second", "throughput.bytes_per_second", false },
                { "items_per_second", "throughput.items_per_second", false },
                { "time_low", "time_ns.low", true },
                { "time_high", "time_ns.high", true },
                { "cycles", "cycles.point", false },
                { "allocs_per_iter", "memory.allocations_per_operation", false },
        };
        const char *name;
        json_t *value;
        int r = 0;

        for (size_t i = 0; r == 0 && i < N_ELEMENTS(counters); i++)
                r = add(entry, counters[i].key,
                                copy_number(benchmark, counters[i].path, counters[i].is_time ? 1 / unit.ns : 1));
        row_each_counter(name, value, benchmark) {
                if (r == 0 && !json_object_get(entry, name))
                        r = add(entry, name, json_real(json_number_value(value)));
        }
        if (r == 0 && json_text_at(benchmark, "label"))
                r = add(entry, "label", copy_text(benchmark, "label"));
        return error_trace(r);
}

static int entry_new(const json_t *result, const json_t *benchmark, bool several, Family family, EntryUnit unit,
                json_t **ret_entry) {
        _cleanup_(json_decrefp) json_t *entry = NULL, *name = name_of(result, benchmark, several);
        _cleanup_(json_decrefp) json_t *times = times_of(benchmark, unit);
        int r;

        entry = json_pack("{s:O, s:i, s:i, s:O, s:s, s:i, s:i, s:o}", "name", name, "family_index", family.family,
                        "per_family_instance_index", family.instance, "run_name", name, "run_type", "iteration",
                        "repetitions", 1, "repetition_index", 0, "threads",
                        json_integer(llround(row_threads(benchmark))));
        if (!entry || !times || json_object_update(entry, times) < 0)
                return error_origin(-ENOMEM);
        r = entry_add_counters(entry, benchmark, unit);
        if (r)
                return error_trace(r);
        *ret_entry = take_pointer(entry);
        return 0;
}

static bool is_same_family(const json_t *a, const json_t *b) {
        return json_is_same(a, b, "area") && json_is_same(a, b, "name") && json_is_same(a, b, "side");
}

static int add_entries(json_t *entries, const json_t *result, bool several, Family *family, EntryUnit unit) {
        const json_t *benchmark, *before = NULL;

        result_each_row(i, benchmark, result) {
                json_t *entry = NULL;
                int r;

                if (!json_at(benchmark, "time_ns.point") && !row_has_failed(benchmark))
                        continue;
                if (before && is_same_family(before, benchmark))
                        family->instance++;
                else
                        *family = (Family){ .family = family->family + 1 };
                r = entry_new(result, benchmark, several, *family, unit, &entry);
                if (r)
                        return error_trace(r);
                if (json_array_append_new(entries, entry) < 0)
                        return error_origin(-ENOMEM);
                before = benchmark;
        }
        return 0;
}

int show_gbench(ShowKind kind, const json_t *results, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *document = NULL, *entries = json_array();
        Family family = { .family = -1 };
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(results); i++)
                r = add_entries(entries, json_array_get(results, i), json_array_size(results) > 1, &family,
                                unit_of(view));
        if (r)
                return error_trace(r);
        document = json_pack("{s:o, s:O}", "context", context_new(json_array_get(results, 0)), "benchmarks", entries);
        return document ? error_trace(show_json(kind, document, view, out)) : error_origin(-ENOMEM);
}

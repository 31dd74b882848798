/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/raw.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/show/npz.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"
#include "words/mark.h"

#define RAW_FORMAT "benchd-samples 1"
#define RAW_DIGITS 15 /* decimal digits that every double keeps in text */

/* One row a sample. */
typedef struct Columns {
        uint32_t *benchmark; /* a row of names */
        uint16_t *process;
        uint8_t *side; /* 0: the new one, or the only one; 1: the old */
        uint8_t *thread;
        uint64_t *at_ns;
        double *time_ns;
        uint16_t *marks;
        uint64_t *iterations;
        size_t n;
} Columns;

/* One row a benchmark; of a comparison one for both sides. */
typedef struct Names {
        char **names;
        char **old_names; /* empty: it has none */
        size_t n;
} Names;

typedef struct Raw {
        const json_t *result;
        Columns columns;
        Names names;
        bool compared;
} Raw;

static void raw_clear(Raw *raw) {
        Columns *columns = &raw->columns;

        free(columns->benchmark);
        free(columns->process);
        free(columns->side);
        free(columns->thread);
        free(columns->at_ns);
        free(columns->time_ns);
        free(columns->marks);
        free(columns->iterations);
        for (size_t i = 0; i < raw->names.n; i++) {
                free(raw->names.names[i]);
                free(raw->names.old_names[i]);
        }
        free(raw->names.names);
        free(raw->names.old_names);
}

static bool is_old(const json_t *benchmark) {
        return json_text_is(benchmark, "side", "old");
}

/* ---- sizes */

typedef struct RawSize {
        size_t samples;
        size_t processes;
} RawSize;

static RawSize raw_size(const json_t *benchmarks) {
        const json_t *benchmark, *process;
        RawSize size = {};

        json_each(i, benchmark, benchmarks)
                json_each(k, process, json_at(benchmark, "processes")) {
                        size.processes++;
                        size.samples += json_array_size(json_at(process, "samples.at_ns"));
                }
        return size;
}

static int raw_reserve(Raw *raw, size_t n_samples, size_t n_benchmarks) {
        Columns *columns = &raw->columns;

        columns->benchmark = calloc(n_samples, sizeof *columns->benchmark);
        columns->process = calloc(n_samples, sizeof *columns->process);
        columns->side = calloc(n_samples, sizeof *columns->side);
        columns->thread = calloc(n_samples, sizeof *columns->thread);
        columns->at_ns = calloc(n_samples, sizeof *columns->at_ns);
        columns->time_ns = calloc(n_samples, sizeof *columns->time_ns);
        columns->marks = calloc(n_samples, sizeof *columns->marks);
        columns->iterations = calloc(n_samples, sizeof *columns->iterations);
        raw->names.names = calloc(n_benchmarks, sizeof *raw->names.names);
        raw->names.old_names = calloc(n_benchmarks, sizeof *raw->names.old_names);
        if (!columns->benchmark || !columns->process || !columns->side || !columns->thread || !columns->at_ns ||
                        !columns->time_ns || !columns->marks || !columns->iterations || !raw->names.names ||
                        !raw->names.old_names)
                return error_origin(-ENOMEM);
        return 0;
}

/* ---- rows */

/* As filters have it, with the threads where there are several: "area/name/n=16"; "" for NULL. */
static int name_of(const json_t *benchmark, char **ret_name) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        if (benchmark)
                row_print_path(benchmark, out);
        if (row_threads(benchmark) > 1)
                fprintf(out, " threads=%g", row_threads(benchmark));
        *ret_name = text_stream_take(&text);
        return *ret_name ? 0 : error_origin(-ENOMEM);
}

/* A row of the names for @benchmark, or for the second side the row of the first, which has the same index and comes before it. */
static int raw_add_name(Raw *raw, const json_t *benchmark, const json_t *before) {
        Names *names = &raw->names;
        int r;

        if (json_number_or(benchmark, "index", 0) == json_number_or(before, "index", -1) && is_old(benchmark)) {
                free(names->old_names[names->n - 1]);
                return error_trace(name_of(benchmark, &names->old_names[names->n - 1]));
        }
        r = name_of(is_old(benchmark) ? NULL : benchmark, &names->names[names->n]);
        if (r)
                return error_trace(r);
        names->n++;
        return error_trace(name_of(is_old(benchmark) ? benchmark : NULL, &names->old_names[names->n - 1]));
}

static uint64_t whole_at(const json_t *list, size_t index) {
        return json_integer_value(json_array_get(list, index));
}

static void columns_add_process(Columns *columns, const json_t *process, size_t i_benchmark, size_t i_process,
                bool old) {
        const json_t *at_ns = json_at(process, "samples.at_ns"), *time_ns = json_at(process, "samples.time_ns");
        const json_t *marks = json_at(process, "samples.marks"), *thread = json_at(process, "samples.thread");
        const double iterations = json_number_or(process, "iterations", 0);

        for (size_t i = 0; i < json_array_size(at_ns); i++) {
                const size_t row = columns->n++;

                columns->benchmark[row] = i_benchmark;
                columns->process[row] = i_process;
                columns->side[row] = old;
                columns->thread[row] = whole_at(thread, i);
                columns->at_ns[row] = whole_at(at_ns, i);
                columns->time_ns[row] = json_number_value(json_array_get(time_ns, i));
                columns->marks[row] = whole_at(marks, i);
                columns->iterations[row] = iterations;
        }
}

static int raw_fill(Raw *raw, const json_t *benchmarks) {
        const json_t *benchmark, *process;

        json_each(i, benchmark, benchmarks) {
                const json_t *before = i > 0 ? json_array_get(benchmarks, i - 1) : NULL;
                int r;

                raw->compared |= is_old(benchmark);
                r = raw_add_name(raw, benchmark, before);
                if (r)
                        return error_trace(r);
                json_each(k, process, json_at(benchmark, "processes"))
                        columns_add_process(&raw->columns, process, raw->names.n - 1, k, is_old(benchmark));
        }
        return 0;
}

/* ---- the file */

static int add_columns(Npz *npz, const Columns *columns) {
        const struct {
                const char *name;
                NpzType type;
                const void *values;
        } rows[] = {
                { "benchmark", NPZ_U32, columns->benchmark },
                { "process", NPZ_U16, columns->process },
                { "side", NPZ_U8, columns->side },
                { "thread", NPZ_U8, columns->thread },
                { "at_ns", NPZ_U64, columns->at_ns },
                { "time_ns", NPZ_F64, columns->time_ns },
                { "marks", NPZ_U16, columns->marks },
                { "iterations", NPZ_U64, columns->iterations },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                int r = npz_add_column(npz, rows[i].name, rows[i].type, rows[i].values, columns->n);

                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int add_tables(Npz *npz, const Raw *raw) {
        const char *words[MARKS_N];
        uint16_t bits[MARKS_N];
        const Mark *mark;
        size_t n = 0;
        int r;

        for (; (mark = mark_at(n)); n++) {
                words[n] = mark->word;
                bits[n] = mark->bit;
        }
        r = npz_add_texts(npz, "names", (const char *const *)raw->names.names, raw->names.n);
        if (r == 0 && raw->compared)
                r = npz_add_texts(npz, "old_names", (const char *const *)raw->names.old_names, raw->names.n);
        if (r == 0)
                r = npz_add_texts(npz, "mark_names", words, n);
        return r ? error_trace(r) : error_trace(npz_add_column(npz, "mark_bits", NPZ_U16, bits, n));
}

static int add_identity(Npz *npz, const json_t *result) {
        const json_t *environment = json_at(result, "environment");
        _cleanup_(freep) char *text = NULL;
        int r;

        text = environment ? json_dumps(environment, JSON_COMPACT | JSON_REAL_PRECISION(RAW_DIGITS)) : strdup("{}");
        if (!text)
                return error_origin(-ENOMEM);
        r = npz_add_text(npz, "format", RAW_FORMAT);
        if (r == 0)
                r = npz_add_text(npz, "version", "benchctl " BENCHD_VERSION);
        if (r == 0)
                r = npz_add_text(npz, "run_id", json_text_or(result, "run_id", ""));
        if (r == 0)
                r = npz_add_text(npz, "started_at", json_text_or(result, "started_at", ""));
        return r ? error_trace(r) : error_trace(npz_add_text(npz, "environment", text));
}

int raw_make(const json_t *result, Npz **ret_npz, const void **ret_bytes, size_t *ret_n_bytes) {
        const json_t *benchmarks = result_rows(result);
        const RawSize size = raw_size(benchmarks);
        _cleanup_(raw_clear) Raw raw = { .result = result };
        _cleanup_(npz_freep) Npz *npz = NULL;
        int r;

        if (size.samples == 0)
                return size.processes > 0 ? RAW_E_NOT_KEPT : RAW_E_NOTHING;
        r = raw_reserve(&raw, size.samples, json_array_size(benchmarks));
        if (r == 0)
                r = raw_fill(&raw, benchmarks);
        if (r == 0)
                r = npz_new(&npz);
        if (r == 0)
                r = add_columns(npz, &raw.columns);
        if (r == 0)
                r = add_tables(npz, &raw);
        if (r == 0)
                r = add_identity(npz, result);
        if (r == 0)
                r = npz_end(npz, ret_bytes, ret_n_bytes);
        if (r)
                return error_trace(r);
        *ret_npz = take_pointer(npz);
        return 0;
}

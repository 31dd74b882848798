/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/cell.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>

#include "ctl/footnotes.h"
#include "ctl/json-path.h"
#include "ctl/unit.h"
#include "util/cleanup.h"

#define CELL_SHARED_MIN 0.01 /* of the samples: as often a probe is wrong */

void cell_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        bool scaled = json_flag_at(benchmark, "scaled");
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(scaled ? unit_number(ns, text) : unit_time(ns, text), out);
}

void cell_elapsed(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double mean, operations;

        if (json_number_at(benchmark, path, &mean) && json_number_at(benchmark, "operations_total", &operations) &&
                        !json_flag_at(benchmark, "scaled"))
                fputs(unit_time(mean * operations, text), out);
}

void cell_number(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        if (json_number_at(benchmark, path, &number))
                fputs(unit_number(number, text), out);
}

void cell_count(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count;

        if (json_number_at(benchmark, path, &count))
                fputs(unit_count(count, text), out);
}

void cell_share(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(benchmark, path, &share))
                fputs(unit_share(share, text), out);
}

void cell_interval(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        double point, low, high, half;
        char text[UNIT_TEXT_MAX];

        if (!json_number_at(benchmark, "time_ns.point", &point) || !json_number_at(benchmark, "time_ns.low", &low) ||
                        !json_number_at(benchmark, "time_ns.high", &high))
                return;
        half = fmax(high - point, point - low);
        fprintf(out, "± %s", point > 0 ? unit_share(half / point, text) : unit_time(half, text));
}

void cell_iterations(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count, scale;

        if (!json_number_at(benchmark, path, &count))
                return;
        fprintf(out, "[count=%s", unit_count(count, text));
        if (json_number_at(benchmark, "ops_per_iteration", &scale) && scale != 1)
                fprintf(out, " scale=%g", scale);
        fputc(']', out);
}

void cell_print_name(const json_t *benchmark, FILE *out) {
        const char *title = json_text_at(benchmark, "title");
        const char *name = json_text_at(benchmark, "name");
        json_t *args = (json_t *)json_at(benchmark, "args"), *value;
        const char *key;
        double threads;

        fputs(title ? title : name ? name : "?", out);
        json_object_foreach(args, key, value) fprintf(out, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        if (json_number_at(benchmark, "threads", &threads) && threads > 1)
                fprintf(out, " threads=%g", threads);
}

void cell_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        fputs("  ", out);
        cell_print_name(benchmark, out);
}

/* ---- notes: flags in words, rates, the author's counters, and numbers of footnotes */

typedef struct CellFlag {
        const char *path;
        const char *words;
} CellFlag;

static const CellFlag cell_flags[] = {
        { "below_noise_floor", "below the noise floor" },
        { "within_loop_cost", "within the loop's cost: repeat it (BENCH_REPEAT10)" },
        { "disturbed.unfit", "disturbed too much" },
        { "debugger_attached", "a debugger was attached" },
};

static const CellFlag cell_rates[] = {
        { "throughput.bytes_per_second", "B/s" },
        { "throughput.items_per_second", "/s" },
};

static const CellFlag cell_memory[] = {
        { "memory.allocations_per_operation", "allocations" },
        { "memory.bytes_per_operation", "bytes" },
        { "memory.retained_bytes_per_operation", "retained" },
        { "memory.peak_bytes_per_iteration", "peak" },
};

__attribute__((format(printf, 3, 4))) static void note(FILE *out, const char **separator, const char *format, ...) {
        va_list arguments;

        fputs(*separator, out);
        *separator = ", ";
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
}

static void note_memory(const json_t *benchmark, const char **separator, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        for (size_t i = 0; i < N_ELEMENTS(cell_memory); i++)
                if (json_number_at(benchmark, cell_memory[i].path, &number))
                        note(out, separator, "%s %s", cell_memory[i].words, unit_number(number, text));
}

/* The time while shared: what the headline leaves out. */
static void note_shared(const json_t *benchmark, Footnotes *footnotes, const char **separator, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share, ns;

        if (!json_number_at(benchmark, "disturbed.shared_share", &share) || share <= CELL_SHARED_MIN ||
                        !json_number_at(benchmark, "time_ns.while_shared.median", &ns))
                return;
        note(out, separator, "shared %s of the time: ", unit_share(share, text));
        cell_time("time_ns.while_shared.median", benchmark, footnotes, out);
        fputs(" then", out);
}

static void note_counters(const json_t *benchmark, const char **separator, FILE *out) {
        json_t *counters = (json_t *)json_at(benchmark, "counters"), *value;
        char text[UNIT_TEXT_MAX];
        const char *name;

        json_object_foreach(counters, name, value) if (json_is_number(value))
                        note(out, separator, "%s %s", name, unit_number(json_number_value(value), text));
}

static void note_warnings(const json_t *benchmark, Footnotes *footnotes, const char **separator, FILE *out) {
        const json_t *warnings = json_at(benchmark, "warnings");

        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                if (text)
                        note(out, separator, "(%zu)", footnotes_add(footnotes, text));
        }
}

void cell_notes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *separator = "";
        char text[UNIT_TEXT_MAX];
        double rate;

        for (size_t i = 0; i < N_ELEMENTS(cell_flags); i++)
                if (json_flag_at(benchmark, cell_flags[i].path))
                        note(out, &separator, "%s", cell_flags[i].words);
        for (size_t i = 0; i < N_ELEMENTS(cell_rates); i++)
                if (json_number_at(benchmark, cell_rates[i].path, &rate))
                        note(out, &separator, "%s", unit_amount(rate, cell_rates[i].words, text));
        note_shared(benchmark, footnotes, &separator, out);
        note_memory(benchmark, &separator, out);
        note_counters(benchmark, &separator, out);
        note_warnings(benchmark, footnotes, &separator, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/cell.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/findings.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report-output.h"
#include "ctl/time-unit.h"
#include "ctl/unit.h"
#include "util/cleanup.h"

#define CELL_SHARED_MIN 0.1  /* share of the samples: few of them say little, and would take a column */
#define CELL_WIDE       0.30 /* half of an interval: its two ends say more than a number around the point */
#define CELL_BARS       12u

/* ---- names */

static void print_name(const json_t *benchmark, const char *name, FILE *out) {
        double threads = 1, cpus;

        fputs(name ? name : "?", out);
        arguments_print(benchmark, out);
        if (json_number_at(benchmark, "threads", &threads) && threads > 1)
                fprintf(out, " threads=%g", threads);
        if (json_number_at(benchmark, "cpus", &cpus) && cpus > threads)
                fprintf(out, " cpus=%g", cpus);
}

void cell_print_name(const json_t *benchmark, FILE *out) {
        print_name(benchmark, json_text_at(benchmark, "name"), out);
}

void cell_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        fputs("  ", out);
        cell_print_name(benchmark, out);
}

void cell_title(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *title = json_text_at(benchmark, "title");

        fputs("  ", out);
        print_name(benchmark, title ? title : json_text_at(benchmark, "name"), out);
}

void cell_sided_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *side = json_text_at(benchmark, "side");

        cell_print_name(benchmark, out);
        if (side)
                fprintf(out, " (%s)", side);
}

/* ---- numbers */

/* A scaled benchmark has multiples in place of times, without a unit. */
static const char *time_text(const json_t *benchmark, double ns, char text[static UNIT_TEXT_MAX]) {
        return json_flag_at(benchmark, "scaled") ? unit_number(ns, text)
                                                 : unit_time_in(time_unit_of(benchmark), ns, text);
}

void cell_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(time_text(benchmark, ns, text), out);
}

void cell_unscaled_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(unit_time_in(time_unit_of(benchmark), ns, text), out);
}

/* An iteration of several operations takes as many times as long; one of a single operation goes without saying. */
void cell_iteration(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns, ops;

        if (json_number_at(benchmark, path, &ns) && json_number_at(benchmark, "ops_per_iteration", &ops) && ops != 1)
                fputs(time_text(benchmark, ns * ops, text), out);
}

void cell_elapsed(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double mean, operations;

        if (json_number_at(benchmark, path, &mean) && json_number_at(benchmark, "operations_total", &operations) &&
                        !json_flag_at(benchmark, "scaled"))
                fputs(unit_time_in(time_unit_of(benchmark), mean * operations, text), out);
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
        char text[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double point, low, high, half;

        if (!json_number_at(benchmark, "time_ns.point", &point) || !json_number_at(benchmark, "time_ns.low", &low) ||
                        !json_number_at(benchmark, "time_ns.high", &high))
                return;
        half = fmax(high - point, point - low);
        if (!(point > 0))
                fprintf(out, "± %s", unit_time_in(time_unit_of(benchmark), half, text));
        else if (half <= CELL_WIDE * point)
                fprintf(out, "± %s", unit_share(half / point, text));
        else if (json_flag_at(benchmark, "scaled"))
                fprintf(out, "%s … %s", unit_number(low, text), unit_number(high, text_high));
        else
                fputs(unit_time_range_in(time_unit_of(benchmark), low, high, text), out);
}

static void print_amount(const char *path, const json_t *benchmark, const char *unit, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double amount;

        if (json_number_at(benchmark, path, &amount))
                fputs(unit_amount(amount, unit, text), out);
}

void cell_throughput(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        print_amount(path, benchmark, "B/s", out);
}

void cell_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        print_amount(path, benchmark, "/s", out);
}

void cell_throughput_or_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        double rate;

        if (json_number_at(benchmark, "throughput.bytes_per_second", &rate))
                cell_throughput("throughput.bytes_per_second", benchmark, footnotes, out);
        else
                cell_rate("throughput.items_per_second", benchmark, footnotes, out);
}

/* A name may have a dot in it, so it is no path. */
void cell_counter(const char *name, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const json_t *value = json_object_get(json_at(benchmark, "counters"), name);
        char text[UNIT_TEXT_MAX];

        if (json_is_number(value))
                fputs(unit_number(json_number_value(value), text), out);
}

void cell_text(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *text = json_text_at(benchmark, path);

        fputs(text ? text : "", out);
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

/* ---- distribution */

static double sum_of(const json_t *counts, size_t from, size_t to) {
        double sum = 0;

        for (size_t i = from; i < to; i++)
                sum += json_number_value(json_array_get(counts, i));
        return sum;
}

/* A bar of eight heights for each of a few neighbouring bins; a blank where they are empty. */
/* "14.90 ns (95 %)": with the share of the samples that it is of. */
void cell_shared(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share, ns;

        if (!json_number_at(benchmark, "disturbed.shared_share", &share) || share <= CELL_SHARED_MIN ||
                        !json_number_at(benchmark, path, &ns))
                return;
        cell_time(path, benchmark, footnotes, out);
        fprintf(out, " (%s)", unit_share(share, text));
}

void cell_distribution(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
        const json_t *counts = json_at(benchmark, path);
        const size_t n = json_array_size(counts), n_bars = n < CELL_BARS ? n : CELL_BARS;
        double most = 0;

        for (size_t i = 0; i < n_bars; i++)
                most = fmax(most, sum_of(counts, i * n / n_bars, (i + 1) * n / n_bars));
        for (size_t i = 0; i < n_bars && most > 0; i++) {
                /* Counts that a stranger's file has may be negative. */
                const double share = fmax(sum_of(counts, i * n / n_bars, (i + 1) * n / n_bars) / most, 0);

                fputs(bars[(size_t)ceil(share * (N_ELEMENTS(bars) - 1))], out);
        }
}

/* ---- spread */

void cell_median(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;

        if (json_number_at(benchmark, "time_ns.raw.median_low", &low) &&
                        json_number_at(benchmark, "time_ns.raw.median_high", &high))
                fprintf(out, "%s … %s", time_text(benchmark, low, text_low), time_text(benchmark, high, text_high));
}

void cell_drift(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double change, p_value;

        if (!json_number_at(benchmark, "drift.change", &change))
                return;
        fprintf(out, "%s%s", change < 0 ? "-" : "+", unit_share(fabs(change), text));
        if (json_number_at(benchmark, "drift.p_value", &p_value))
                fprintf(out, " (p %.2g)", p_value);
}

void cell_modes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes");

        for (size_t i = 0; i < json_array_size(modes); i++) {
                const json_t *mode = json_array_get(modes, i);
                const char *kind = json_text_at(mode, "kind");
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX];
                double ns, weight;

                if (json_number_at(mode, "center_ns", &ns) && json_number_at(mode, "weight", &weight))
                        fprintf(out, "%s%s %s at %s", i > 0 ? ", " : "", kind ? kind : "", unit_share(weight, share),
                                        unit_time_in(time_unit_of(benchmark), ns, center));
        }
}

/* ---- notes */

static const struct {
        const char *path;
        const char *words;
} flags[] = {
        { "below_noise_floor", "below the noise floor" },
        { "within_loop_cost", "within the loop's cost: repeat the body (BENCH_REPEAT10)" },
        { "disturbed.unfit", "disturbed too much" },
        { "debugger_attached", "a debugger was attached" },
        { "manual_time", "times told by the benchmark" },
};

__attribute__((format(printf, 3, 4))) static void note(FILE *out, const char **separator, const char *format, ...) {
        va_list arguments;

        fputs(*separator, out);
        *separator = ", ";
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
}

static void note_warnings(const json_t *benchmark, Footnotes *footnotes, const char **separator, FILE *out) {
        const json_t *warnings = json_at(benchmark, "warnings");

        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                if (text)
                        note(out, separator, "(%zu)", grid_add_footnote(footnotes, text));
        }
}

void cell_notes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *separator = "", *first = findings_note(benchmark);
        char printed[UNIT_TEXT_MAX] = "";

        (void)report_output_describe(benchmark, printed);
        if (!footnotes) {
                fputs(first ? first : printed, out);
                return;
        }
        for (size_t i = 0; i < N_ELEMENTS(flags); i++)
                if (json_flag_at(benchmark, flags[i].path))
                        note(out, &separator, "%s", flags[i].words);
        if (*printed)
                note(out, &separator, "%s", printed);
        note_warnings(benchmark, footnotes, &separator, out);
}

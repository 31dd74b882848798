/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/cell.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/arguments.h"
#include "ctl/model/commit.h"
#include "ctl/model/findings.h"
#include "ctl/model/result.h"
#include "ctl/model/standing.h"
#include "ctl/model/times.h"
#include "ctl/model/trend.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

#define CELL_SHARED_MIN 0.1  /* share of the samples: few of them say little, and would take a column */
#define CELL_WIDE       0.30 /* half of an interval: its two ends say more than a number around the point */
#define CELL_BARS       12u
#define RANGE_STEP      5e-4 /* relative: machines that agree better than that need no more digits */
#define PATH_TEXT_MAX   64u  /* of an interval in a row */
#define VALUES_MAX      8u   /* a longer list shows its first two, its last and the number */

size_t cell_footnotes_add(CellFootnotes *footnotes, const char *text) {
        for (size_t i = 0; i < footnotes->n; i++)
                if (strcmp(footnotes->texts[i], text) == 0)
                        return i + 1;
        if (footnotes->n == CELL_FOOTNOTES_MAX)
                return 0;
        footnotes->texts[footnotes->n++] = text;
        return footnotes->n;
}

char *cell_make(CellFill fill, const char *path, const json_t *row, const Times *times) {
        _cleanup_(text_stream_clear) TextStream text = {};

        fill(path, row, times, NULL, text_stream_open(&text));
        return text_stream_take(&text);
}

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
        const char *title = json_text_at(benchmark, "title");

        print_name(benchmark, title ? title : json_text_at(benchmark, "name"), out);
}

void cell_name(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        fputs("  ", out);
        cell_print_name(benchmark, out);
}

void cell_sided_name(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const char *side = json_text_at(benchmark, "side");

        cell_print_name(benchmark, out);
        if (!side)
                return;
        if (!row_is_command(benchmark))
                fprintf(out, " (%s)", side);
        else if (strcmp(side, "old") == 0)
                fputs(json_flag_at(benchmark, "reference") ? " (reference)" : " (baseline)", out);
}

void cell_path(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *area = json_text_at(row, "area"), *old_area = json_text_at(row, "old_area");
        const char *old_name = json_text_at(row, "old_name");

        if (area && !row_is_command(row))
                fprintf(out, "%s/", area);
        cell_print_name(row, out);
        if (old_name && old_area && !(area && strcmp(old_area, area) == 0))
                fprintf(out, " against %s/%s", old_area, old_name);
        else if (old_name)
                fprintf(out, " against %s", old_name);
}

/* ---- numbers */

/* The ends of the interval at @path. */
static bool read_ends(const json_t *row, const char *path, double *ret_low, double *ret_high) {
        const json_t *interval = json_at(row, path);

        return json_number_at(interval, "low", ret_low) && json_number_at(interval, "high", ret_high);
}

/* Half of the interval whose point is at @path; 0 without one. */
static double half_around(const json_t *row, const char *path) {
        const char *point = strstr(path, ".point");
        char interval[PATH_TEXT_MAX];
        double low, high;

        if (!point || (size_t)(point - path) >= sizeof interval)
                return 0;
        snprintf(interval, sizeof interval, "%.*s", (int)(point - path), path);
        return read_ends(row, interval, &low, &high) ? (high - low) / 2 : 0;
}

/* As many digits as its interval permits. */
void cell_time(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(times_text_within(times, ns, half_around(benchmark, path), text), out);
}

void cell_unscaled_time(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(unit_time_in(times_unit(times), ns, text), out);
}

/* An iteration of several operations takes as many times as long; one of a single operation goes without saying. */
void cell_iteration(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns, ops;

        if (json_number_at(benchmark, path, &ns) && json_number_at(benchmark, "ops_per_iteration", &ops) && ops != 1)
                fputs(times_text(times, ns * ops, text), out);
}

void cell_elapsed(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double mean, operations;

        if (json_number_at(benchmark, path, &mean) && json_number_at(benchmark, "operations_total", &operations) &&
                        !times_are_scaled(times))
                fputs(unit_time_in(times_unit(times), mean * operations, text), out);
}

void cell_number(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        if (json_number_at(benchmark, path, &number))
                fputs(unit_number(number, text), out);
}

void cell_count(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count;

        if (json_number_at(benchmark, path, &count))
                fputs(unit_count(count, text), out);
}

void cell_share(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(benchmark, path, &share))
                fputs(unit_share(share, text), out);
}

void cell_p_value(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        double p;

        if (json_number_at(row, path, &p))
                fprintf(out, p < 0.0001 ? "< 0.0001" : "%.4f", p);
}

void cell_time_range(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double low, high;

        if (read_ends(row, path, &low, &high))
                fputs(times_range(times, low, high, text), out);
}

void cell_date(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *iso = json_text_at(row, path);
        char date[INSTANT_TEXT_MAX];

        if (iso && instant_local(iso, "%Y-%m-%d %H:%M:%S", date))
                fputs(date, out);
}

void cell_interval(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const RowEstimate time = times_estimate(times, benchmark);
        const double half = fmax(time.high - time.point, time.point - time.low);
        const bool scaled = times_are_scaled(times);
        char text[UNIT_TEXT_MAX];

        if (!isfinite(time.point) || !isfinite(time.low) || !isfinite(time.high))
                return;
        if (!(time.point > 0))
                fprintf(out, "± %s", scaled ? unit_number(half, text) : unit_time_in(times_unit(times), half, text));
        else if (half <= CELL_WIDE * time.point)
                fprintf(out, "± %s", unit_share(half / time.point, text));
        else if (scaled)
                fputs(unit_range(time.low, time.high, text), out);
        else
                fputs(unit_time_range_in(times_unit(times), time.low, time.high, text), out);
}

static void print_amount(const char *path, const json_t *benchmark, const char *unit, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double amount;

        if (json_number_at(benchmark, path, &amount))
                fputs(unit_amount(amount, unit, text), out);
}

void cell_throughput(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        print_amount(path, benchmark, "B/s", out);
}

void cell_rate(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        print_amount(path, benchmark, "/s", out);
}

void cell_throughput_or_rate(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        double rate;

        if (json_number_at(benchmark, "throughput.bytes_per_second", &rate))
                cell_throughput("throughput.bytes_per_second", benchmark, times, footnotes, out);
        else
                cell_rate("throughput.items_per_second", benchmark, times, footnotes, out);
}

/* A name may contain a dot, so it is not used as a path. */
void cell_counter(const char *name, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const json_t *value = json_object_get(json_at(benchmark, "counters"), name);
        char text[UNIT_TEXT_MAX];

        if (json_is_number(value))
                fputs(unit_number(json_number_value(value), text), out);
}

void cell_text(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *text = json_text_at(benchmark, path);

        fputs(text ? text : "", out);
}

void cell_iterations(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
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

/* "14.90 ns (95 %)": with the share of the samples that it is of. */
void cell_shared(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share, ns;

        if (!json_number_at(benchmark, "disturbed.shared_share", &share) || share <= CELL_SHARED_MIN ||
                        !json_number_at(benchmark, path, &ns))
                return;
        cell_time(path, benchmark, times, footnotes, out);
        fprintf(out, " (%s)", unit_share(share, text));
}

/* A bar of eight heights for each of a few neighbouring bins; a blank where they are empty. */
void cell_distribution(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
        const json_t *counts = json_at(benchmark, path);
        const size_t n = json_array_size(counts), n_bars = n < CELL_BARS ? n : CELL_BARS;
        double most = 0;

        for (size_t i = 0; i < n_bars; i++)
                most = fmax(most, sum_of(counts, i * n / n_bars, (i + 1) * n / n_bars));
        for (size_t i = 0; i < n_bars && most > 0; i++) {
                /* Counts from an untrusted file may be negative. */
                const double share = fmax(sum_of(counts, i * n / n_bars, (i + 1) * n / n_bars) / most, 0);

                fputs(bars[(size_t)ceil(share * (N_ELEMENTS(bars) - 1))], out);
        }
}

/* ---- spread */

void cell_median(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double low, high;

        if (json_number_at(benchmark, "time_ns.raw.median_low", &low) &&
                        json_number_at(benchmark, "time_ns.raw.median_high", &high))
                fputs(times_range(times, low, high, text), out);
}

void cell_drift(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double change, p_value;

        if (!json_number_at(benchmark, "drift.change", &change))
                return;
        fprintf(out, "%s%s", change < 0 ? "-" : "+", unit_share(fabs(change), text));
        if (json_number_at(benchmark, "drift.p_value", &p_value))
                fprintf(out, " (p %.2g)", p_value);
}

void cell_modes(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes");

        for (size_t i = 0; i < json_array_size(modes); i++) {
                const json_t *mode = json_array_get(modes, i);
                const char *kind = json_text_at(mode, "kind");
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX];
                double ns, weight;

                if (json_number_at(mode, "center_ns", &ns) && json_number_at(mode, "weight", &weight))
                        fprintf(out, "%s%s %s at %s", i > 0 ? ", " : "", kind ? kind : "", unit_share(weight, share),
                                        unit_time_in(times_unit(times), ns, center));
        }
}

/* ---- notes */

static const struct {
        const char *path;
        const char *words;
        bool of_loop; /* says nothing of a command */
} flags[] = {
        { "below_noise_floor", "below the noise floor", true },
        { "within_loop_cost", "within the loop's cost: repeat the body (BENCH_REPEAT10)", true },
        { "manual_time", "times told by the benchmark", true },
};

__attribute__((format(printf, 3, 4))) static void note(FILE *out, const char **separator, const char *format, ...) {
        va_list arguments;

        fputs(*separator, out);
        *separator = ", ";
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
}

/* The verdict counts rows by these words. */
static void note_unfit(const json_t *row, const char **separator, FILE *out) {
        const char *words = findings_unfit_note(row);

        if (words)
                note(out, separator, "%s", words);
}

static void note_warnings(const json_t *benchmark, CellFootnotes *footnotes, const char **separator, FILE *out) {
        const json_t *warnings = json_at(benchmark, "warnings");

        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                if (text)
                        note(out, separator, "(%zu)", cell_footnotes_add(footnotes, text));
        }
}

bool cell_describe_output(const json_t *benchmark, char text[static UNIT_TEXT_MAX]) {
        char count[UNIT_TEXT_MAX];
        double n;

        if (!json_number_at(benchmark, "output_bytes", &n) || n <= 0)
                return false;
        snprintf(text, UNIT_TEXT_MAX, "printed %.24s byte%s", unit_count(n, count), n == 1 ? "" : "s");
        return true;
}

void cell_notes(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *separator = "", *first = findings_note(benchmark);
        char printed[UNIT_TEXT_MAX] = "";

        (void)cell_describe_output(benchmark, printed);
        if (!footnotes) {
                fputs(first ? first : printed, out);
                return;
        }
        note_unfit(benchmark, &separator, out);
        for (size_t i = 0; i < N_ELEMENTS(flags); i++)
                if (json_flag_at(benchmark, flags[i].path) && !(row_is_command(benchmark) && flags[i].of_loop))
                        note(out, &separator, "%s", flags[i].words);
        if (*printed)
                note(out, &separator, "%s", printed);
        note_warnings(benchmark, footnotes, &separator, out);
}

/* ---- pairs */

/* Half of the interval of the ratio, which decides how many digits mean anything; 0 without one. */
static double ratio_error(const json_t *pair) {
        double low, high;

        return read_ends(pair, "ratio", &low, &high) ? (high - low) / 2 : 0;
}

void cell_ratio(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ratio;

        if (json_number_at(pair, path, &ratio))
                fputs(unit_to_error(ratio, ratio_error(pair), text), out);
}

void cell_ratio_interval(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const double error = ratio_error(pair);
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;

        if (read_ends(pair, path, &low, &high))
                fprintf(out, "%s … %s", unit_to_error(low, error, text_low), unit_to_error(high, error, text_high));
}

/* The times of both sides have digits enough to differ, unless the interval of their ratio permits no difference. */
void cell_side_time(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const double old_ns = json_number_or(pair, "old.time_ns.point", NAN);
        const double new_ns = json_number_or(pair, "new.time_ns.point", NAN);
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(pair, path, &ns))
                fputs(times_text_within(times, ns, fmax(fabs(new_ns - old_ns), ratio_error(pair) * ns), text), out);
}

/*
 * "7.9 × faster", which takes 1 / 7.9 of the time; "1.25 × slower". An interval of more than ± 30 % stands as its two ends. Other verdicts
 * are their word.
 */
void cell_verdict(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *verdict = json_text_or(pair, path, "");
        const bool faster = strcmp(verdict, "faster") == 0;
        const RowEstimate ratio = row_ratio(pair);
        const double factor = faster ? 1 / ratio.point : ratio.point;
        const double low = faster ? 1 / ratio.high : ratio.low, high = faster ? 1 / ratio.low : ratio.high;
        const double half = fmax(high - factor, factor - low);
        char text[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];

        if ((faster || strcmp(verdict, "slower") == 0) && isfinite(factor)) {
                if (half > CELL_WIDE * factor && isfinite(half))
                        fprintf(out, "%s … %s × ", unit_factor(low, half, text), unit_factor(high, half, text_high));
                else
                        fprintf(out, "%s × ", unit_factor(factor, half, text));
        }
        fputs(verdict, out);
}

void cell_pair_notes(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *first = findings_note(pair), *separator = "";
        double needed;

        if (!footnotes) {
                fputs(first ? first : "", out);
                return;
        }
        note_unfit(pair, &separator, out);
        if (json_number_at(pair, "processes_needed", &needed))
                note(out, &separator, "--processes=%.0f would settle it", needed);
        if (json_number_at(pair, "rounds_needed", &needed))
                note(out, &separator, "--rounds=%.0f would settle it", needed);
        note_warnings(pair, footnotes, &separator, out);
}

/* ---- several machines */

/* The lowest and the highest of the machines; returns how many have a number. */
static size_t extremes(const json_t *row, double *ret_low, double *ret_high) {
        const json_t *machines = json_at(row, "machines");
        double low = INFINITY, high = -INFINITY, point;
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                if (json_number_at(json_array_get(machines, i), "point", &point)) {
                        low = fmin(low, point);
                        high = fmax(high, point);
                        n++;
                }
        *ret_low = low;
        *ret_high = high;
        return n;
}

/* Both ends have enough digits to differ. The ends for a comparison are ratios. */
void cell_print_machines_range(const json_t *row, const Times *times, FILE *out) {
        const bool scaled = times_are_scaled(times) && !json_object_get(row, "ratio");
        const bool timed = json_at(row, "time_ns") && !scaled;
        char text[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        const char *unit = "";
        double low, high, size, error;
        const size_t n = extremes(row, &low, &high);

        if (scaled)
                low = times_number(times, low), high = times_number(times, high);
        if (n == 1)
                fputs(timed ? unit_time_in(times_unit(times), low, text) : unit_number(low, text), out);
        if (n < 2)
                return;
        size = timed ? unit_time_size(times_unit(times), high, &unit) : 1;
        error = fmax((high - low) / 2, RANGE_STEP * fabs(high)) / size;
        fprintf(out, "%s … %s%s%s", unit_to_error(low / size, error, text),
                        unit_to_error(high / size, error, text_high), *unit ? " " : "", unit);
}

/* The number of one machine alone is that of the row. */
void cell_machines_range(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        if (json_array_size(json_at(row, "machines")) > 1)
                cell_print_machines_range(row, times, out);
}

/* The number of machines, and which of the two questions the interval answers: "3" represent their kind, "these 2" do not. */
void cell_machines(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const size_t n = json_array_size(json_at(row, "machines"));
        const char *over = json_text_at(row, "over");

        if (n == 0)
                return;
        if (!over || strcmp(over, "machines") == 0)
                fprintf(out, "%zu", n);
        else if (n == 1)
                fputs("this one", out);
        else
                fprintf(out, "these %zu", n);
}

void cell_machine_notes(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const json_t *machines = json_at(row, "machines");
        const char *separator = "odd: ";

        if (json_flag_at(row, "odd"))
                fputs("odd", out);
        for (size_t i = 0; i < json_array_size(machines); i++) {
                const char *name = json_text_at(json_array_get(machines, i), "name");

                if (json_flag_at(json_array_get(machines, i), "odd"))
                        note(out, &separator, "%s", name ? name : "?");
        }
}

/* ---- jobs and earlier runs */

void cell_job(const char *path, const json_t *run, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *job = json_text_at(run, path);

        fprintf(out, "  %.*s", JOB_ID_SHOWN, job ? job : "?");
}

void cell_run_note(const char *path, const json_t *run, const Times *times, CellFootnotes *footnotes, FILE *out) {
        fputs(trend_note(run), out);
}

void cell_commit(const char *path, const json_t *run, const Times *times, CellFootnotes *footnotes, FILE *out) {
        commit_print(json_at(run, path), out);
}

void cell_user(const char *path, const json_t *job, const Times *times, CellFootnotes *footnotes, FILE *out) {
        double uid;

        if (json_number_at(job, path, &uid))
                fprintf(out, "%.0f", uid);
}

/* The state, and what the result says is wrong with it. */
void cell_state(const char *path, const json_t *job, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *state = json_text_at(job, "state"), *verdict = json_text_at(job, "verdict");

        fputs(state ? state : "?", out);
        if (verdict && strcmp(verdict, "unfit") == 0)
                fputs(", not reliable", out);
        else if (verdict && strcmp(verdict, "fit") != 0)
                fprintf(out, ", %s", verdict);
}

void cell_job_notes(const char *path, const json_t *job, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *error = json_text_at(job, "error.message"), *separator = "";
        char words[STANDING_TEXT_MAX];
        Standing standing;

        if (json_flag_at(job, "pinned"))
                fprintf(out, "pinned"), separator = "; ";
        if (standing_read(json_at(job, "standing"), &standing))
                fprintf(out, "%swaiting: %s", separator, standing_words(&standing, words)), separator = "; ";
        if (error)
                fprintf(out, "%s%s", separator, error);
}

/* ---- benchmarks of a list */

void cell_listed_name(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const char *name = json_text_at(benchmark, "name");

        fprintf(out, "  %s", name ? name : "?");
}

static void print_values(const json_t *values, FILE *out) {
        const size_t n = json_array_size(values);

        for (size_t i = 0; i < n; i++) {
                if (n > VALUES_MAX && i == 2) {
                        fputs(",..", out);
                        i = n - 1;
                }
                fputs(i ? "," : "", out);
                arguments_print_value(json_array_get(values, i), out);
        }
        if (n > VALUES_MAX)
                fprintf(out, " (%zu)", n);
}

void cell_axes(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const json_t *args = json_at(benchmark, path), *threads = json_at(benchmark, "threads");
        const char *separator = "";
        double cpus;

        for (size_t i = 0; i < json_array_size(args); i++) {
                const json_t *arg = json_array_get(args, i);
                const char *name = json_text_at(arg, "name");

                fprintf(out, "%s%s=", separator, name ? name : "?");
                print_values(json_at(arg, "values"), out);
                separator = " ";
        }
        if (json_array_size(threads) > 1) {
                fprintf(out, "%sthreads=", separator);
                print_values(threads, out);
                separator = " ";
        }
        if (json_number_at(benchmark, "cpus", &cpus))
                fprintf(out, "%scpus=%g", separator, cpus);
}

/* Filters match the name, so the name comes first; a different title precedes the description. */
void cell_about(const char *path, const json_t *benchmark, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const char *name = json_text_at(benchmark, "name"), *title = json_text_at(benchmark, "title");
        const char *about = json_text_at(benchmark, path), *separator = "";

        if (json_flag_at(benchmark, "hidden"))
                fputs("(hidden)", out), separator = " ";
        if (title && strcmp(title, name ? name : "?") != 0)
                fprintf(out, "%s%s", separator, title), separator = ": ";
        if (about)
                fprintf(out, "%s%s", separator, about);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Go's benchmark format, for benchstat and its like: a line for each process, since processes are what is independent, of which a run
 * has ten. Only keys that stay the same from run to run stand above them, because benchstat makes a table of each combination. The sides of
 * a comparison differ in the key "side", for benchstat -col side; the modules of a run of several in the key "module".
 */

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/printable.h"
#include "ctl/model/arguments.h"
#include "ctl/model/result.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define GO_PROSE_MAX 1024u /* bytes of a text that is cut there */

/* ---- texts */

/* Control characters, which would begin a line of another kind, are replaced. */
static void print_prose(const char *text, FILE *out) {
        char line[GO_PROSE_MAX];

        snprintf(line, sizeof line, "%s", text);
        printable_text(line);
        fputs(line, out);
}

/*
 * A name ends at white space, and those who draw charts take few characters: any other stands as a percent sign and its two hexadecimal
 * digits, so that no two texts become one. So do those that part a name, unless they are @kept.
 */
static void print_word(const char *text, const char *kept, FILE *out) {
        for (; *text; text++)
                if (isalnum((unsigned char)*text) || strchr("_()$^&*+,-.:;<|[]{}\"#", *text) || strchr(kept, *text))
                        fputc(*text, out);
                else
                        fprintf(out, "%%%02X", (unsigned char)*text);
}

/* ---- keys */

/* A key without a value ends. */
static void print_key(const char *key, const char *value, FILE *out) {
        fprintf(out, "%s:%s", key, value ? " " : "");
        print_word(value ? value : "", "/=", out);
        fputc('\n', out);
}

static const char *go_architecture(const char *kernel) {
        static const struct {
                const char *machine;
                const char *architecture;
        } rows[] = { { "x86_64", "amd64" }, { "aarch64", "arm64" } };
        const char *machine = kernel ? strrchr(kernel, ' ') : NULL;

        for (size_t i = 0; machine && i < N_ELEMENTS(rows); i++)
                if (strcmp(rows[i].machine, machine + 1) == 0)
                        return rows[i].architecture;
        return machine ? machine + 1 : NULL;
}

static void print_head(const json_t *result, FILE *out) {
        const char *architecture = go_architecture(json_text_at(result, "environment.kernel"));
        const char *cpu = json_text_at(result, "environment.cpu.brand");

        fputs("goos: linux\n", out);
        if (architecture)
                print_key("goarch", architecture, out);
        if (cpu) {
                fputs("cpu: ", out);
                print_prose(cpu, out);
                fputc('\n', out);
        }
        fputs("Unit cycles/op better=lower\nUnit items/s better=higher\n", out);
}

/* The keys that the lines of @benchmark have, where they differ from those @before it; NULL: there were none. */
static void print_keys(const json_t *before, const json_t *benchmark, FILE *out) {
        static const struct {
                const char *key;
                const char *path;
        } keys[] = { { "pkg", "area" }, { "side", "side" } };

        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                const char *was = json_text_at(before, keys[i].path), *is = json_text_at(benchmark, keys[i].path);

                if (strcmp(was ? was : "", is ? is : "") != 0)
                        print_key(keys[i].key, is, out);
        }
}

/* ---- names */

/* True if @text ends in "-3", which a reader would take for a number of threads. */
static bool ends_in_threads(const char *text) {
        const char *end = text + strlen(text);

        while (end > text && isdigit((unsigned char)end[-1]))
                end--;
        return *end && end > text && end[-1] == '-';
}

/* A reader wants no lower-case letter behind "Benchmark": it becomes a capital, and what begins otherwise, with a capital too, follows "_". */
static void print_begin(const char *name, FILE *out) {
        const bool is_lower = islower((unsigned char)*name);

        fprintf(out, "Benchmark%c", is_lower ? toupper((unsigned char)*name) : '_');
        print_word(name + is_lower, "", out);
}

/* "BenchmarkQsort/n=100-2" */
static int name_of(const json_t *benchmark, char **ret_name) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);
        const char *key;
        json_t *value;

        print_begin(row_name(benchmark), out);
        row_each_argument(key, value, benchmark) {
                fputc('/', out);
                print_word(key, "", out);
                fputc('=', out);
                if (json_is_string(value))
                        print_word(json_string_value(value), "", out);
                else
                        arguments_print_value(value, out);
        }
        fflush(out);
        if (row_threads(benchmark) > 1 || ends_in_threads(text.text))
                fprintf(out, "-%.0f", row_threads(benchmark));
        if (text_stream_close(&text) < 0)
                return error_origin(-ENOMEM);
        *ret_name = take_pointer(text.text);
        return 0;
}

/* ---- lines */

static void print_pair(double value, const char *unit, FILE *out) {
        fprintf(out, "\t" JSON_NUMBER " %s", value, unit);
}

/* Rates are the whole run's, scaled by the process's time. */
static void print_rates(const json_t *benchmark, double time_ns, FILE *out) {
        double point, rate;

        if (!json_number_at(benchmark, "time_ns.point", &point) || point <= 0 || time_ns <= 0)
                return;
        if (json_number_at(benchmark, "throughput.bytes_per_second", &rate))
                print_pair(rate * point / time_ns / 1e6, "MB/s", out);
        if (json_number_at(benchmark, "throughput.items_per_second", &rate))
                print_pair(rate * point / time_ns, "items/s", out);
}

static void print_counters(const json_t *benchmark, FILE *out) {
        static const struct {
                const char *path;
                const char *unit;
        } figures[] = {
                { "memory.bytes_per_operation", "B/op" },
                { "memory.allocations_per_operation", "allocs/op" },
        };
        const char *name;
        double number;
        json_t *value;

        for (size_t i = 0; i < N_ELEMENTS(figures); i++)
                if (json_number_at(benchmark, figures[i].path, &number))
                        print_pair(number, figures[i].unit, out);
        row_each_counter(name, value, benchmark) {
                print_pair(json_number_value(value), "", out);
                print_word(name, "", out);
        }
}

static void print_line(const char *name, const json_t *benchmark, double iterations, double time_ns,
                const double *cycles, FILE *out) {
        fprintf(out, "%s\t%.0f", name, iterations);
        print_pair(time_ns, "ns/op", out);
        if (cycles)
                print_pair(*cycles, "cycles/op", out);
        print_rates(benchmark, time_ns, out);
        print_counters(benchmark, out);
        fputc('\n', out);
}

/* A method without separate processes, and a run by --here, has one line. */
static int print_benchmark(const json_t *benchmark, FILE *out) {
        const json_t *processes = json_at(benchmark, "processes");
        _cleanup_(freep) char *name = NULL;
        double iterations = 1, time_ns, cycles;
        size_t n_lines = 0;
        int r;
        const json_t *process;

        r = name_of(benchmark, &name);
        if (r)
                return error_trace(r);
        if (row_has_failed(benchmark)) {
                fprintf(out, "--- FAIL: %s\n    ", name);
                print_prose(row_failure_message(benchmark), out);
                fputc('\n', out);
                return 0;
        }
        json_each(i, process, processes) {
                const bool has_cycles = json_number_at(process, "median_cycles", &cycles);

                if (!json_number_at(process, "median_ns", &time_ns))
                        continue;
                (void)json_number_at(process, "iterations", &iterations);
                print_line(name, benchmark, iterations, time_ns, has_cycles ? &cycles : NULL, out);
                n_lines++;
        }
        if (n_lines > 0 || !json_number_at(benchmark, "time_ns.point", &time_ns))
                return 0;
        (void)json_number_at(benchmark, "iterations_total", &iterations);
        print_line(name, benchmark, iterations, time_ns,
                        json_number_at(benchmark, "cycles.point", &cycles) ? &cycles : NULL, out);
        return 0;
}

/* The side must be stated anew where a benchmark of the other one stood before: sides go one after the other. */
static int print_side(const json_t *result, const char *side, const json_t **before, FILE *out) {
        const json_t *benchmark;
        int r = 0;

        result_each_row(i, benchmark, result) {
                if (r || (side && !json_text_is(benchmark, "side", side)))
                        continue;
                print_keys(*before, benchmark, out);
                r = print_benchmark(benchmark, out);
                *before = benchmark;
        }
        return error_trace(r);
}

static int print_result(const json_t *result, const json_t **before, FILE *out) {
        int r;

        if (!json_text_at(json_array_get(result_rows(result), 0), "side"))
                return error_trace(print_side(result, NULL, before, out));
        r = print_side(result, "old", before, out);
        return r ? error_trace(r) : error_trace(print_side(result, "new", before, out));
}

/* Benchmarks of several modules may have one name, so that of the module is a key too. */
int show_go(ShowKind kind, const json_t *results, const View *view, FILE *out) {
        const bool several = json_array_size(results) > 1;
        const json_t *before = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(results); i++) {
                const json_t *result = json_array_get(results, i);

                if (i == 0)
                        print_head(result, out);
                if (several)
                        print_key("module", json_text_at(result, "module.name"), out);
                r = print_result(result, &before, out);
        }
        return error_trace(r);
}

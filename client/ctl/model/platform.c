/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/platform.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/base/unit.h"
#include "ctl/model/preloaded.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* ---- the first line */

typedef enum PlatformPart {
        PLATFORM_MACHINE,
        PLATFORM_SYSTEM,
        PLATFORM_KERNEL,
        PLATFORM_LIBC,
        PLATFORM_COMPILER,
        PLATFORM_PRELOADED,
        PLATFORM_CPU,
        PLATFORM_MODEL,
        PLATFORM_MICROCODE,
        PLATFORM_CACHES,
        PLATFORM_DATE,
        _PLATFORM_N,
} PlatformPart;

#define PLATFORM_PART_MAX 160u
#define COMPILERS_DIFFER  " against "

typedef char PlatformParts[_PLATFORM_N][PLATFORM_PART_MAX];

/* The parts that leave where a line is too long, the first first. */
static const PlatformPart leaving[] = { PLATFORM_CACHES, PLATFORM_MICROCODE, PLATFORM_LIBC, PLATFORM_MODEL,
        PLATFORM_SYSTEM, PLATFORM_KERNEL, PLATFORM_COMPILER, PLATFORM_DATE };

/* Words that the name of a system, a kernel or a processor does without. */
static const char *const fillers[] = { " GNU/Linux", "(R)", "(TM)", "(tm)", " x86_64", " Processor", " CPU" };

static void cut_out(char *text, const char *words) {
        for (char *at = strstr(text, words); at; at = strstr(at, words))
                memmove(at, at + strlen(words), strlen(at + strlen(words)) + 1);
}

/* "Debian GNU/Linux 12 (bookworm)" becomes "Debian 12", "Ryzen 7 5800X 8-Core Processor" "Ryzen 7 5800X". */
static void part_shorten(char *text) {
        char *cores = strstr(text, "-Core"), *code_name;

        while (cores && cores > text && cores[-1] != ' ')
                memmove(cores - 1, cores, strlen(cores) + 1), cores--;
        cut_out(text, " -Core");
        for (size_t i = 0; i < N_ELEMENTS(fillers); i++)
                cut_out(text, fillers[i]);
        code_name = strstr(text, " (");
        if (code_name)
                *code_name = '\0';
}

/* The module of whole commands is no user's. */
void platform_print_compiler(const json_t *result, const char *path, FILE *out) {
        const char *is = json_text_at(result, "module.compiler"), *was = json_text_at(result, "old_module.compiler");

        if (result_is_of_commands(result))
                return;
        if (is && was && strcmp(is, was) != 0)
                fprintf(out, "%s" COMPILERS_DIFFER "%s", is, was);
        else if (is)
                fputs(is, out);
}

void platform_print_model(const json_t *json, const char *path, FILE *out) {
        const json_t *cpu = json_at(json, path);
        double family, model, stepping;

        if (json_number_at(cpu, "family", &family) && json_number_at(cpu, "model", &model) &&
                        json_number_at(cpu, "stepping", &stepping))
                fprintf(out, "family %.0f, model %.0f, stepping %.0f", family, model, stepping);
}

void platform_print_caches(const json_t *json, const char *path, FILE *out) {
        const json_t *cache;

        json_each(i, cache, json_at(json, path)) {
                const char *kind = json_text_at(cache, "kind");
                const bool named = kind && strcmp(kind, "unified") != 0;
                char text[AMOUNT_TEXT_MAX];
                double level, bytes;

                if (!json_number_at(cache, "level", &level) || !json_number_at(cache, "size_bytes", &bytes))
                        continue;
                fprintf(out, "%sL%.0f%s%s %s", i ? ", " : "", level, named ? " " : "", named ? kind : "",
                                amount_bytes(bytes, 3, text));
        }
}

static void print_text(const json_t *result, const char *path, FILE *out) {
        fputs(json_text_or(result, path, ""), out);
}

static void print_microcode(const json_t *result, const char *path, FILE *out) {
        const char *revision = json_text_at(result, path);

        if (revision)
                fprintf(out, "microcode %s", revision);
}

static void print_preloaded(const json_t *result, const char *path, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};

        preloaded_print(result, path, text_stream_open(&text));
        if (text_stream_close(&text) == 0 && *text.text)
                fprintf(out, "%.100s preloaded", text.text);
}

static void part_fill(const json_t *result, PlatformPart which, char part[static PLATFORM_PART_MAX]) {
        static const struct {
                void (*print)(const json_t *result, const char *path, FILE *out);
                const char *path;
        } rows[_PLATFORM_N] = {
                [PLATFORM_MACHINE] = { print_text, "environment.machine.name" },
                [PLATFORM_SYSTEM] = { print_text, "environment.system" },
                [PLATFORM_KERNEL] = { print_text, "environment.kernel" },
                [PLATFORM_LIBC] = { print_text, "environment.libc" },
                [PLATFORM_COMPILER] = { platform_print_compiler, "" },
                [PLATFORM_PRELOADED] = { print_preloaded, "" },
                [PLATFORM_CPU] = { print_text, "environment.cpu.brand" },
                [PLATFORM_MODEL] = { platform_print_model, "environment.cpu" },
                [PLATFORM_MICROCODE] = { print_microcode, "environment.cpu.microcode" },
                [PLATFORM_CACHES] = { platform_print_caches, "environment.cpu.caches" },
                [PLATFORM_DATE] = { print_text, "started_at" },
        };
        _cleanup_(text_stream_clear) TextStream text = {};

        rows[which].print(result, rows[which].path, text_stream_open(&text));
        snprintf(part, PLATFORM_PART_MAX, "%s", text_stream_close(&text) == 0 ? text.text : "");
}

static void parts_fill(const json_t *result, const View *view, bool shortened, PlatformParts parts) {
        char date[INSTANT_TEXT_MAX];
        double n;

        for (size_t i = 0; i < _PLATFORM_N; i++) {
                part_fill(result, i, parts[i]);
                if (shortened && i != PLATFORM_DATE && i != PLATFORM_MACHINE && i != PLATFORM_PRELOADED)
                        part_shorten(parts[i]);
        }
        if (!view->elsewhere)
                *parts[PLATFORM_MACHINE] = '\0';
        if (*parts[PLATFORM_CPU] && json_number_at(result, "environment.processors", &n)) {
                size_t end = strlen(parts[PLATFORM_CPU]);

                snprintf(parts[PLATFORM_CPU] + end, PLATFORM_PART_MAX - end, " (%.0f processor%s)", n,
                                n == 1 ? "" : "s");
        }
        if (*parts[PLATFORM_DATE]) /* in the reader's time zone, named */
                snprintf(parts[PLATFORM_DATE], PLATFORM_PART_MAX, "%s",
                                instant_local(parts[PLATFORM_DATE],
                                                shortened ? "%Y-%m-%d %H:%M %Z" : "%Y-%m-%d %H:%M:%S %Z", date)
                                                ? date
                                                : "");
}

static size_t parts_width(PlatformParts parts) {
        size_t width = 0;

        for (size_t i = 0; i < _PLATFORM_N; i++)
                width += *parts[i] ? typeset_width(parts[i]) + strlen(", ") : 0;
        return width;
}

void platform_print(const json_t *result, const View *view, FILE *out) {
        const char *separator = "# ";
        PlatformParts parts;
        bool differs;

        parts_fill(result, view, false, parts);
        differs = strstr(parts[PLATFORM_COMPILER], COMPILERS_DIFFER); /* that may be all that the sides differ in */
        if (view->width > 0 && parts_width(parts) > view->width)
                parts_fill(result, view, true, parts);
        for (size_t i = 0; view->width > 0 && parts_width(parts) > view->width && i < N_ELEMENTS(leaving); i++)
                if (leaving[i] != PLATFORM_COMPILER || !differs)
                        *parts[leaving[i]] = '\0';
        for (size_t i = 0; i < _PLATFORM_N; i++) {
                if (!*parts[i])
                        continue;
                if (view->width > 2)
                        typeset_cut(parts[i], view->width - 2);
                fprintf(out, "%s%s", separator, parts[i]);
                separator = ", ";
        }
        fputs(*separator == ',' ? "\n" : "", out);
}

/* ---- the clock */

/* CLOCK_MONOTONIC_RAW runs at 1 GHz by definition. */
static void describe_frequency(const json_t *tsc, double hz, FILE *out) {
        const char *clock = json_text_at(tsc, "clock");
        double ppm;

        if (clock && strcmp(clock, "tsc") != 0) {
                fputs(clock, out);
                return;
        }
        fprintf(out, "time-stamp counter, %.6f GHz", hz / 1e9);
        if (json_number_at(tsc, "error_ppm", &ppm))
                fprintf(out, " ± %.2g ppm", ppm);
}

bool platform_describe_clock(const json_t *tsc, char ret_text[static PLATFORM_CLOCK_MAX]) {
        char text[UNIT_TEXT_MAX], whole[PLATFORM_CLOCK_MAX] = "";
        double hz, quantum;
        FILE *out;

        if (!json_number_at(tsc, "hz", &hz) || hz <= 0)
                return false;
        out = fmemopen(whole, sizeof whole, "w");
        if (!out)
                return false;
        describe_frequency(tsc, hz, out);
        if (json_number_at(tsc, "quantum_ticks", &quantum))
                fprintf(out, ", steps of %s", unit_time(quantum / hz * 1e9, text));
        fclose(out);
        whole[PLATFORM_CLOCK_MAX - 1] = 0;
        memcpy(ret_text, whole, sizeof whole);
        return true;
}

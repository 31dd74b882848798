/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/platform.h"

#include <jansson.h>
#include <string.h>

#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/unit.h"
#include "util/cleanup.h"

/* ---- the first line */

static const char *const platform_paths[] = {
        "environment.system",
        "environment.kernel",
        "environment.libc",
        "module.compiler",
};

static void print_text(const char *text, const char **separator, FILE *out) {
        fprintf(out, "%s%s", *separator, text);
        *separator = ", ";
}

void platform_print(const json_t *result, FILE *out) {
        const char *brand = json_text_at(result, "environment.cpu.brand");
        const char *instant = json_text_at(result, "started_at");
        char date[INSTANT_TEXT_MAX];
        const char *separator = "# ";
        double n;

        for (size_t i = 0; i < N_ELEMENTS(platform_paths); i++) {
                const char *text = json_text_at(result, platform_paths[i]);

                if (text)
                        print_text(text, &separator, out);
        }
        if (brand)
                print_text(brand, &separator, out);
        if (brand && json_number_at(result, "environment.processors", &n))
                fprintf(out, " (%.0f processor%s)", n, n == 1 ? "" : "s");
        if (instant && instant_local(instant, "%Y-%m-%d %H:%M:%S %Z", date)) /* the reader's time zone, named */
                print_text(date, &separator, out);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/clock.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/unit.h"

/* CLOCK_MONOTONIC_RAW goes at 1 GHz by definition. */
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

bool clock_describe(const json_t *tsc, char ret_text[static CLOCK_TEXT_MAX]) {
        char text[UNIT_TEXT_MAX], whole[CLOCK_TEXT_MAX] = "";
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
        whole[CLOCK_TEXT_MAX - 1] = 0;
        memcpy(ret_text, whole, sizeof whole);
        return true;
}

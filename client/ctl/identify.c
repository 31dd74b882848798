/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/identify.h"

#include <jansson.h>

#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "util/cleanup.h"

static const char *const identify_paths[] = {
        "environment.system",
        "environment.kernel",
        "environment.libc",
        "module.compiler",
};

static void print_text(const char *text, const char **separator, FILE *out) {
        fprintf(out, "%s%s", *separator, text);
        *separator = ", ";
}

static void print_cpu(const json_t *result, const char **separator, FILE *out) {
        const char *brand = json_text_at(result, "environment.cpu.brand");
        double n;

        if (!brand)
                return;
        print_text(brand, separator, out);
        if (json_number_at(result, "environment.processors", &n))
                fprintf(out, " (%.0f processor%s)", n, n == 1 ? "" : "s");
}

/* In the reader's time zone, which the date names. */
static void print_date(const json_t *result, const char **separator, FILE *out) {
        const char *instant = json_text_at(result, "started_at");
        char date[INSTANT_TEXT_MAX];

        if (instant && instant_local(instant, "%Y-%m-%d %H:%M:%S %Z", date))
                print_text(date, separator, out);
}

void identify_print(const json_t *result, FILE *out) {
        const char *separator = "# ";

        for (size_t i = 0; i < N_ELEMENTS(identify_paths); i++) {
                const char *text = json_text_at(result, identify_paths[i]);

                if (text)
                        print_text(text, &separator, out);
        }
        print_cpu(result, &separator, out);
        print_date(result, &separator, out);
        fputs(*separator == ',' ? "\n" : "", out);
}

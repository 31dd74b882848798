/* SPDX-License-Identifier: MIT */
#include "util/amount.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

#define ROUNDED_UP 0.99995 /* of a unit: the least that four digits print as one */

static const AmountTimeUnit time_units[] = {
        { "ps", 1e-3, "ps" },
        { "ns", 1, "ns" },
        { "µs", 1e3, "us" },
        { "ms", 1e6, "ms" },
        { "s", 1e9, "s" },
};

const AmountTimeUnit *amount_time_unit(double ns) {
        const double size = ns < 0 ? -ns : ns;
        size_t i = N_ELEMENTS(time_units) - 1;

        while (i > 0 && size < ROUNDED_UP * time_units[i].ns)
                i--;
        return &time_units[ns == 0 ? 1 : i];
}

const AmountTimeUnit *amount_time_named(const char *word) {
        for (size_t i = 0; i < N_ELEMENTS(time_units); i++)
                if (strcmp(time_units[i].typed, word) == 0 || strcmp(time_units[i].name, word) == 0)
                        return &time_units[i];
        return NULL;
}

const char *amount_time(double ns, char text[static AMOUNT_TEXT_MAX]) {
        const AmountTimeUnit *unit = amount_time_unit(ns);

        snprintf(text, AMOUNT_TEXT_MAX, "%.4g %s", ns / unit->ns, unit->name);
        return text;
}

const char *amount_bytes(double bytes, int digits, char text[static AMOUNT_TEXT_MAX]) {
        static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
        size_t i = 0;

        for (; bytes >= 1024 && i + 1 < N_ELEMENTS(units); i++)
                bytes /= 1024;
        snprintf(text, AMOUNT_TEXT_MAX, "%.*g %s", bytes < 999.5 ? digits : 4, bytes, units[i]);
        return text;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/shown-rows.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/row-filter.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

static bool print_unmatched(const SettingsWords *filters, const bool *matched, FILE *out) {
        bool any = false;

        for (size_t i = 0; i < filters->n; i++) {
                if (matched[i])
                        continue;
                fprintf(out, "%s%s", any ? ", " : "", filters->words[i]);
                any = true;
        }
        return any;
}

int shown_rows_choose(const Settings *settings, json_t *results) {
        const SettingsWords *filters = &settings->filters;
        _cleanup_(freep) bool *matched = calloc(filters->n + 1, sizeof *matched);
        _cleanup_(text_stream_clear) TextStream text = {};
        size_t n_left = 0;
        bool any;

        if (filters->n == 0)
                return 0;
        for (size_t i = 0; matched && i < json_array_size(results); i++)
                n_left += row_filter_apply(filters->words, filters->n, json_array_get(results, i), matched);
        any = matched && print_unmatched(filters, matched, text_stream_open(&text));
        if (!matched || (any && text_stream_close(&text) != 0)) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        if (any)
                complain("No benchmark of the result matches %s%s", text.text,
                                n_left > 0 ? ": look for a mistyped name." : ".");
        else if (n_left == 0)
                complain("The filters leave no benchmark of the result.");
        if (n_left > 0)
                return 0;
        complain_hint("'benchctl show' without filters has all rows.");
        return EXIT_USAGE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/area-filters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/model/settings.h"
#include "util/error.h"

#define FILTER_MAX 512u /* longer than a filter may be, so the daemon refuses one that is cut */

/* A growing list of filters: pointers to separate strings, merged to one block at the end. */
typedef struct FilterBlock {
        char **filters;
        char *end; /* of the strings so far */
} FilterBlock;

static void block_add(FilterBlock *block, const char *area, const char *separator, const char *rest) {
        *block->filters++ = block->end;
        snprintf(block->end, FILTER_MAX, "%s%s%s", area, separator, rest);
        block->end += strlen(block->end) + 1;
}

static bool is_exclusion(const char *filter) {
        return *filter == '!';
}

static size_t count_inclusions(const SettingsWords *filters) {
        size_t n = 0;

        for (size_t i = 0; i < filters->n; i++)
                n += !is_exclusion(filters->words[i]);
        return n;
}

int area_filters(const SettingsWords *areas, const SettingsWords *filters, char ***ret_filters) {
        const size_t n_max = filters->n + areas->n * (filters->n + 1), n_inclusions = count_inclusions(filters);
        FilterBlock block;
        char **list;

        list = malloc((n_max + 1) * (sizeof *list + FILTER_MAX));
        if (!list)
                return error_origin(-ENOMEM);
        block = (FilterBlock){ .filters = list, .end = (char *)(list + n_max + 1) };
        for (size_t i = 0; i < filters->n; i++)
                if (areas->n == 0 || is_exclusion(filters->words[i]))
                        block_add(&block, "", "", filters->words[i]);
        for (size_t i = 0; i < areas->n; i++) {
                if (n_inclusions == 0)
                        block_add(&block, areas->words[i], "", strchr(areas->words[i], '/') ? "" : "/*");
                for (size_t k = 0; k < filters->n; k++)
                        if (!is_exclusion(filters->words[k]))
                                block_add(&block, areas->words[i], "//", filters->words[k]);
        }
        *block.filters = NULL;
        *ret_filters = list;
        return 0;
}

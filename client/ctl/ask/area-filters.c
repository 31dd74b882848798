/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/area-filters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/model/settings.h"
#include "util/error.h"
#include "util/glob.h"

#define FILTER_MAX 512u /* longer than a filter may be, so the daemon refuses one that is cut */

/* Filters that grow: pointers, each to a string of its own, and one block of both at the end. */
typedef struct FilterBlock {
        char **filters;
        char *end; /* of the strings so far */
} FilterBlock;

static void block_add(FilterBlock *block, const char *area, const char *rest) {
        *block->filters++ = block->end;
        snprintf(block->end, FILTER_MAX, "%s%s%s", area, *area && *rest ? "/" : "", rest);
        block->end += strlen(block->end) + 1;
}

static bool is_exclusion(const char *filter) {
        return *filter == '!';
}

static size_t count_inclusions(const WordList *filters) {
        size_t n = 0;

        for (size_t i = 0; i < filters->n; i++)
                n += !is_exclusion(filters->words[i]);
        return n;
}

/* True if @filter begins with the name of another of @areas than @area: it is not about this one. */
static bool is_of_another(const WordList *areas, const char *area, const char *filter, size_t n_head) {
        for (size_t i = 0; i < areas->n; i++)
                if (areas->words[i] != area && strlen(areas->words[i]) == n_head &&
                                strncmp(areas->words[i], filter, n_head) == 0)
                        return true;
        return false;
}

/* Adds what @filter chooses within @area. Its part before the first slash may be a glob of areas. */
static void block_add_within(FilterBlock *block, const WordList *areas, const char *area, const char *filter) {
        const size_t n_head = strcspn(filter, "/");
        char head[FILTER_MAX];

        snprintf(head, sizeof head, "%.*s", (int)n_head, filter);
        if (filter[n_head] && glob_pattern_matches(head, area))
                block_add(block, area, filter + n_head + 1);
        else if (!filter[n_head] || !is_of_another(areas, area, filter, n_head))
                block_add(block, area, filter);
}

int area_filters(const WordList *areas, const WordList *filters, char ***ret_filters) {
        const size_t n_max = filters->n + areas->n * (filters->n + 1), n_inclusions = count_inclusions(filters);
        FilterBlock block;
        char **list;

        list = malloc((n_max + 1) * (sizeof *list + FILTER_MAX));
        if (!list)
                return error_origin(-ENOMEM);
        block = (FilterBlock){ .filters = list, .end = (char *)(list + n_max + 1) };
        for (size_t i = 0; i < filters->n; i++)
                if (areas->n == 0 || is_exclusion(filters->words[i]))
                        block_add(&block, "", filters->words[i]);
        for (size_t i = 0; i < areas->n; i++) {
                if (n_inclusions == 0)
                        block_add(&block, areas->words[i], strchr(areas->words[i], '/') ? "" : "*");
                for (size_t k = 0; k < filters->n; k++)
                        if (!is_exclusion(filters->words[k]))
                                block_add_within(&block, areas, areas->words[i], filters->words[k]);
        }
        *block.filters = NULL;
        *ret_filters = list;
        return 0;
}

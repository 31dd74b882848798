/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

void filter_path(const ListingEntry *entry, const ArgumentValue *args, char ret_path[static FILTER_PATH_MAX]) {
        size_t n;

        n = snprintf(ret_path, FILTER_PATH_MAX, "%s/%s", entry->area, entry->name);
        for (size_t i = 0; args && i < entry->n_axes; i++) {
                char text[ARGUMENT_TEXT_MAX];

                n += snprintf(ret_path + n, FILTER_PATH_MAX - n, "/%s=%s", entry->axes[i].name,
                                argument_print(&args[i], text));
        }
}

static bool filter_matches(const char *filter, const char *path) {
        return fnmatch(filter, path, FNM_LEADING_DIR) == 0 ||
               fnmatch(filter, strchr(path, '/') + 1, FNM_LEADING_DIR) == 0;
}

static bool begins_with_part(const char *text, const char *part) {
        size_t n = strlen(part);

        return strncmp(text, part, n) == 0 && (text[n] == 0 || text[n] == '/');
}

/* A hidden benchmark has its own name written out; one that only its area hides may have the area's instead. */
static bool filter_names(const char *filter, const ListingEntry *entry) {
        const char *rest;

        if (begins_with_part(filter, entry->name))
                return true;
        if (!begins_with_part(filter, entry->area))
                return false;
        rest = filter + strlen(entry->area);
        return entry->hidden == LISTING_HIDDEN_AREA || (*rest == '/' && begins_with_part(rest + 1, entry->name));
}

bool filter_select(const FilterList *list, const ListingEntry *entry, const ArgumentValue *args, bool hidden) {
        char path[FILTER_PATH_MAX];
        bool any = false, selected = false;

        filter_path(entry, args, path);
        for (size_t i = 0; i < list->n_filters; i++) {
                const char *filter = list->filters[i];

                if (*filter == '!') {
                        if (filter_matches(filter + 1, path))
                                return false;
                        continue;
                }
                any = true;
                if (!selected && (!hidden || filter_names(filter, entry)))
                        selected = filter_matches(filter, path);
        }
        return any ? selected : !hidden;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/glob.h"

struct FilterSet {
        FilterList list;
        Glob *globs[];
};

void filter_path(const ListingEntry *entry, const ArgumentValue *args, char ret_path[static FILTER_PATH_MAX]) {
        size_t n;

        n = snprintf(ret_path, FILTER_PATH_MAX, "%s/%s", entry->area, entry->name);
        for (size_t i = 0; args && i < entry->n_axes; i++) {
                char text[ARGUMENT_TEXT_MAX];

                n += snprintf(ret_path + n, FILTER_PATH_MAX - n, "/%s=%s", entry->axes[i].name,
                                argument_print(&args[i], text));
        }
}

/* A leading `!` is no part of the glob. */
static const char *filter_glob(const char *filter) {
        return filter + (*filter == '!');
}

int filter_check(const char *filter) {
        return error_trace(glob_check(filter_glob(filter)));
}

int filter_set_new(const FilterList *list, FilterSet **ret_set) {
        _cleanup_(filter_set_freep) FilterSet *set = NULL;

        set = calloc(1, sizeof *set + list->n_filters * sizeof *set->globs);
        if (!set)
                return error_origin(-ENOMEM);
        set->list = *list;
        for (size_t i = 0; i < list->n_filters; i++) {
                int r = glob_new(filter_glob(list->filters[i]), &set->globs[i]);

                if (r)
                        return error_fold(r);
        }
        *ret_set = take_pointer(set);
        return 0;
}

FilterSet *filter_set_free(FilterSet *set) {
        if (!set)
                return NULL;
        for (size_t i = 0; i < set->list.n_filters; i++)
                glob_free(set->globs[i]);
        free(set);
        return NULL;
}

size_t filter_set_work(const FilterSet *set) {
        size_t n = 1;

        for (size_t i = 0; i < set->list.n_filters; i++)
                n += 2 * glob_count_words(set->globs[i]); /* with the area and without it */
        return n;
}

static bool filter_matches(const Glob *glob, const char *path) {
        return glob_matches_leading(glob, path) || glob_matches_leading(glob, strchr(path, '/') + 1);
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

/* Some path that begins with @beginning: a leading part of it is matched, or one that goes on. */
static bool filter_may_match(const Glob *glob, const char *beginning) {
        return glob_may_match_leading(glob, beginning) || glob_may_match_leading(glob, strchr(beginning, '/') + 1);
}

bool filter_set_may_select(const FilterSet *set, const ListingEntry *entry, bool hidden) {
        char path[FILTER_PATH_MAX], beginning[FILTER_PATH_MAX + 1];
        bool any = false, may = false;

        filter_path(entry, NULL, path);
        snprintf(beginning, sizeof beginning, "%s/", path);
        for (size_t i = 0; i < set->list.n_filters; i++) {
                const char *filter = set->list.filters[i];

                if (*filter == '!') {
                        if (filter_matches(set->globs[i], path))
                                return false;
                        continue;
                }
                any = true;
                if (!may && (!hidden || filter_names(filter, entry)))
                        may = entry->n_axes > 0 ? filter_may_match(set->globs[i], beginning)
                                                : filter_matches(set->globs[i], path);
        }
        return any ? may : !hidden;
}

bool filter_set_select(const FilterSet *set, const ListingEntry *entry, const char *path, bool hidden) {
        bool any = false, selected = false;

        for (size_t i = 0; i < set->list.n_filters; i++) {
                const char *filter = set->list.filters[i];

                if (*filter == '!') {
                        if (filter_matches(set->globs[i], path))
                                return false;
                        continue;
                }
                any = true;
                if (!selected && (!hidden || filter_names(filter, entry)))
                        selected = filter_matches(set->globs[i], path);
        }
        return any ? selected : !hidden;
}

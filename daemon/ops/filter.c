/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/glob.h"

typedef struct FilterWord {
        const char *shown; /* as written, without the filter that it is within */
        bool excludes;
        const char *text; /* ... without the mark of an exclusion */
        Glob *glob;
        Glob *within; /* NULL: everything */
        char within_text[FILTER_BYTES_MAX];
        bool is_part; /* has no slash: may be an argument */
        bool matched; /* a path, so far */
} FilterWord;

struct FilterSet {
        size_t n;
        FilterWord words[];
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

static void word_read(FilterWord *word, const char *filter) {
        const char *rest;

        *word = (FilterWord){ .shown = filter, .excludes = *filter == '!' };
        filter += word->excludes;
        rest = strstr(filter, "//");
        if (rest)
                snprintf(word->within_text, sizeof word->within_text, "%.*s", (int)(rest - filter), filter);
        word->text = rest ? rest + strlen("//") : filter;
        word->shown = rest ? word->text : word->shown;
        word->is_part = !strchr(word->text, '/');
}

int filter_check(const char *filter) {
        FilterWord word;
        int r;

        word_read(&word, filter);
        r = glob_check(word.within_text);
        return error_trace(r ? r : glob_check(word.text));
}

static int word_compile(FilterWord *word) {
        int r = *word->within_text ? glob_new(word->within_text, &word->within) : 0;

        return error_trace(r ? r : glob_new(word->text, &word->glob));
}

int filter_set_new(const FilterList *list, FilterSet **ret_set) {
        _cleanup_(filter_set_freep) FilterSet *set = NULL;

        set = calloc(1, sizeof *set + list->n_filters * sizeof *set->words);
        if (!set)
                return error_origin(-ENOMEM);
        for (int r; set->n < list->n_filters;) {
                FilterWord *word = &set->words[set->n++];

                word_read(word, list->filters[set->n - 1]);
                r = word_compile(word);
                if (r)
                        return error_fold(r);
        }
        *ret_set = take_pointer(set);
        return 0;
}

FilterSet *filter_set_free(FilterSet *set) {
        if (!set)
                return NULL;
        for (size_t i = 0; i < set->n; i++) {
                glob_free(set->words[i].glob);
                glob_free(set->words[i].within);
        }
        free(set);
        return NULL;
}

/* Each glob is tried on the whole path and after the area; a part also at each argument. */
size_t filter_set_work(const FilterSet *set) {
        size_t n = 1;

        for (size_t i = 0; i < set->n; i++) {
                const FilterWord *word = &set->words[i];

                n += (word->is_part ? 2 + RUNNER_ARGS_MAX : 2) * glob_count_words(word->glob);
                n += word->within ? 2 * glob_count_words(word->within) : 0;
        }
        return n;
}

static bool glob_matches_path(const Glob *glob, const char *path) {
        return glob_matches_leading(glob, path) || glob_matches_leading(glob, strchr(path, '/') + 1);
}

static bool glob_may_match_path(const Glob *glob, const char *beginning) {
        return glob_may_match_leading(glob, beginning) || glob_may_match_leading(glob, strchr(beginning, '/') + 1);
}

/* An argument of @path, which begins with area and name. */
static bool word_matches_argument(const FilterWord *word, const char *path) {
        const char *at = word->is_part ? strchr(strchr(path, '/') + 1, '/') : NULL;

        for (; at; at = strchr(at + 1, '/'))
                if (glob_matches_leading(word->glob, at + 1))
                        return true;
        return false;
}

static bool word_matches(FilterWord *word, const char *path) {
        const bool matches = (!word->within || glob_matches_path(word->within, path)) &&
                             (glob_matches_path(word->glob, path) || word_matches_argument(word, path));

        word->matched |= matches;
        return matches;
}

static bool begins_with_part(const char *text, const char *part) {
        size_t n = strlen(part);

        return strncmp(text, part, n) == 0 && (text[n] == 0 || text[n] == '/');
}

/* A hidden benchmark needs its own name spelled out; if only its area is hidden, the area's name is enough. */
static bool text_names(const char *filter, const ListingEntry *entry) {
        const char *rest;

        if (begins_with_part(filter, entry->name))
                return true;
        if (!begins_with_part(filter, entry->area))
                return false;
        rest = filter + strlen(entry->area);
        return entry->hidden == LISTING_HIDDEN_AREA || (*rest == '/' && begins_with_part(rest + 1, entry->name));
}

static bool word_names(const FilterWord *word, const ListingEntry *entry) {
        return text_names(word->text, entry) || text_names(word->within_text, entry);
}

/* True if a path that begins with @beginning may match: in a leading part, beyond it, or by an argument. */
static bool word_may_match(const FilterWord *word, const char *beginning, const ListingEntry *entry) {
        bool may = glob_may_match_path(word->glob, beginning);

        if (word->within && !glob_may_match_path(word->within, beginning))
                return false;
        for (size_t i = 0; !may && word->is_part && i < entry->n_axes; i++) {
                char argument[RUNNER_NAME_MAX + 1];

                snprintf(argument, sizeof argument, "%s=", entry->axes[i].name);
                may = glob_may_match_leading(word->glob, argument);
        }
        return may;
}

bool filter_set_may_select(FilterSet *set, const ListingEntry *entry, bool hidden) {
        char path[FILTER_PATH_MAX], beginning[FILTER_PATH_MAX + 1];
        bool any = false, may = false;

        filter_path(entry, NULL, path);
        snprintf(beginning, sizeof beginning, "%s/", path);
        for (size_t i = 0; i < set->n; i++) {
                FilterWord *word = &set->words[i];

                if (word->excludes && word_matches(word, path))
                        return false;
                if (word->excludes)
                        continue;
                any = true;
                if (!may && (!hidden || word_names(word, entry)))
                        may = entry->n_axes > 0 ? word_may_match(word, beginning, entry) : word_matches(word, path);
        }
        return any ? may : !hidden;
}

/* All words are tried on a path even after the decision, because words that match nothing are reported. */
bool filter_set_select(FilterSet *set, const ListingEntry *entry, const char *path, bool hidden) {
        bool any = false, selected = false, excluded = false;

        for (size_t i = 0; i < set->n; i++) {
                FilterWord *word = &set->words[i];

                any |= !word->excludes;
                if (word->matched && (word->excludes ? excluded : selected))
                        continue;
                if (!word->excludes && hidden && !word_names(word, entry))
                        continue;
                if (word_matches(word, path))
                        *(word->excludes ? &excluded : &selected) = true;
        }
        return !excluded && (any ? selected : !hidden);
}

/* Words that differ only in the filter that they choose within count as one; the first stands for all. */
static bool is_unmatched(const FilterSet *set, size_t at) {
        const FilterWord *word = &set->words[at];

        for (size_t i = 0; i < set->n; i++) {
                const FilterWord *other = &set->words[i];

                if ((other->matched || i < at) && other->excludes == word->excludes &&
                                strcmp(other->text, word->text) == 0)
                        return false;
        }
        return !word->matched;
}

const char *filter_set_unmatched(const FilterSet *set, size_t from, size_t *ret_at) {
        for (size_t i = from; i < set->n; i++)
                if (is_unmatched(set, i)) {
                        *ret_at = i;
                        return set->words[i].shown;
                }
        return NULL;
}

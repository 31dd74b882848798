/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/arguments.h"
#include "util/error.h"

#define CHOSEN_UNMATCHED_MAX 512u

struct Chosen {
        ChosenWish wish;
        FilterSet *filters;
        size_t n_filter_bytes;
        uint32_t n_looked; /* entries checked by name for a possible match */
        bool may[LISTING_ENTRIES_MAX];
        bool by_entry; /* each that may is chosen, as a whole */
        bool *sets;    /* of all those entries in order: chosen; NULL until all are looked at */
        size_t first_sets[LISTING_ENTRIES_MAX + 1];
        size_t counts[LISTING_ENTRIES_MAX];   /* of chosen ones */
        uint32_t n_decided;                   /* entries */
        size_t n_sets;                        /* decided so far */
        bool inside;                          /* the next entry has sets that are decided */
        Arguments arguments;                  /* of that one */
        char unmatched[CHOSEN_UNMATCHED_MAX]; /* filters in words, once all names are decided */
};

int chosen_new(const ChosenWish *wish, Chosen **ret_chosen) {
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        int r;

        chosen = calloc(1, sizeof *chosen);
        if (!chosen)
                return error_origin(-ENOMEM);
        chosen->wish = *wish;
        for (size_t i = 0; i < wish->filters.n_filters; i++)
                chosen->n_filter_bytes += strlen(wish->filters.filters[i]);
        r = filter_set_new(&wish->filters, &chosen->filters);
        if (r)
                return error_trace(r);
        *ret_chosen = take_pointer(chosen);
        return 0;
}

Chosen *chosen_free(Chosen *chosen) {
        if (!chosen)
                return NULL;
        filter_set_free(chosen->filters);
        free(chosen->sets);
        free(chosen);
        return NULL;
}

static bool has_to_be_named(const Chosen *chosen, const ListingEntry *entry) {
        return entry->hidden && !chosen->wish.of_hidden;
}

/* ---- the entries that may be chosen, and the room for their names */

/* Looks at the next entry. Returns the operations that it took, as chosen_decide() does. */
static size_t chosen_look(Chosen *chosen) {
        const ListingEntry *entry = &chosen->wish.listing->entries[chosen->n_looked];

        chosen->may[chosen->n_looked++] = filter_set_may_select(chosen->filters, entry, has_to_be_named(chosen, entry));
        return CHOSEN_NAME_WORK + 2 * RUNNER_NAME_MAX * filter_set_work(chosen->filters);
}

static size_t entry_count_sets(const Chosen *chosen, uint32_t i) {
        Arguments arguments;

        if (!chosen->may[i])
                return 0;
        if (chosen->by_entry)
                return 1;
        arguments_init(&arguments, &chosen->wish.listing->entries[i]);
        return arguments_count(&arguments);
}

static void chosen_place_sets(Chosen *chosen) {
        for (uint32_t i = 0; i < chosen->wish.listing->n_entries; i++)
                chosen->first_sets[i + 1] = chosen->first_sets[i] + entry_count_sets(chosen, i);
}

static int chosen_check_size(const Chosen *chosen) {
        const size_t n = chosen_count_names(chosen);

        if (n > CHOSEN_NAMES_MAX)
                return CHOSEN_E_TOO_MANY;
        return n * chosen->n_filter_bytes > CHOSEN_PRODUCT_MAX ? CHOSEN_E_TOO_MUCH : 0;
}

static int chosen_make_room(Chosen *chosen) {
        int r;

        chosen_place_sets(chosen);
        r = chosen_check_size(chosen);
        if (r && chosen->wish.lists) {
                chosen->by_entry = true;
                chosen_place_sets(chosen);
                r = 0;
        }
        if (r)
                return r;
        chosen->sets = calloc(chosen_count_names(chosen) + 1, sizeof *chosen->sets);
        return chosen->sets ? 0 : error_origin(-ENOMEM);
}

/* ---- the names */

/* Decides the next set of the next entry, and steps over it. Returns the operations that it took. */
static size_t chosen_decide(Chosen *chosen) {
        const uint32_t i = chosen->n_decided;
        const ListingEntry *entry = &chosen->wish.listing->entries[i];
        ArgumentValue args[RUNNER_ARGS_MAX];
        char path[FILTER_PATH_MAX];
        bool is_chosen;

        if (!chosen->may[i]) {
                chosen->n_decided++;
                return 1;
        }
        if (!chosen->inside)
                arguments_init(&chosen->arguments, entry);
        arguments_get(&chosen->arguments, args);
        filter_path(entry, args, path);
        is_chosen = chosen->by_entry || filter_set_select(chosen->filters, entry, path, has_to_be_named(chosen, entry));
        chosen->sets[chosen->n_sets++] = is_chosen;
        chosen->counts[i] += is_chosen;
        chosen->inside = !chosen->by_entry && arguments_step(&chosen->arguments);
        chosen->n_decided += !chosen->inside;
        return CHOSEN_NAME_WORK + strlen(path) * filter_set_work(chosen->filters);
}

static void chosen_note_unmatched(Chosen *chosen) {
        const char *filter;
        size_t n = 0;

        for (size_t i = 0; n < sizeof chosen->unmatched && (filter = filter_set_unmatched(chosen->filters, i, &i)); i++)
                n += (size_t)snprintf(chosen->unmatched + n, sizeof chosen->unmatched - n, "%s%s", n > 0 ? ", " : "",
                                filter);
}

int chosen_step(Chosen *chosen, size_t *ret_work) {
        const uint32_t n_entries = chosen->wish.listing->n_entries;
        size_t work = 0;
        int r = 0;

        while (chosen->n_looked < n_entries && work < CHOSEN_SLICE_WORK)
                work += chosen_look(chosen);
        if (chosen->n_looked == n_entries && !chosen->sets)
                r = chosen_make_room(chosen);
        if (r)
                return r;
        while (chosen->sets && chosen->n_decided < n_entries && work < CHOSEN_SLICE_WORK)
                work += chosen_decide(chosen);
        if (ret_work)
                *ret_work = work;
        if (!chosen->sets || chosen->n_decided < n_entries)
                return CHOSEN_E_MORE;
        chosen_note_unmatched(chosen);
        chosen->filters = filter_set_free(chosen->filters);
        return 0;
}

size_t chosen_count_names(const Chosen *chosen) {
        return chosen->first_sets[chosen->wish.listing->n_entries];
}

size_t chosen_count(const Chosen *chosen, uint32_t entry) {
        return chosen->counts[entry];
}

const char *chosen_unmatched(const Chosen *chosen) {
        return *chosen->unmatched ? chosen->unmatched : NULL;
}

bool chosen_next(const Chosen *chosen, uint32_t entry, size_t from, size_t *ret_set) {
        const size_t first = chosen->first_sets[entry], n = chosen->first_sets[entry + 1] - first;
        const bool *found = from < n ? memchr(&chosen->sets[first + from], true, n - from) : NULL;

        if (!found)
                return false;
        *ret_set = (size_t)(found - &chosen->sets[first]);
        return true;
}

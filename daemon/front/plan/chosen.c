/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "ops/arguments.h"
#include "util/error.h"

struct Chosen {
        ChosenWish wish;
        FilterSet *filters;
        uint32_t n_decided;  /* entries */
        bool inside;         /* the next one has sets that are decided */
        Arguments arguments; /* of that one */
        size_t n_sets;       /* decided so far */
        uint32_t first_sets[LISTING_ENTRIES_MAX + 1];
        bool sets[]; /* of all entries in order: chosen */
};

static size_t wish_count_sets(const ChosenWish *wish, const ListingEntry *entry) {
        Arguments arguments;

        if (wish->by_entry)
                return 1;
        arguments_init(&arguments, entry);
        return arguments_count(&arguments);
}

static size_t wish_count_bytes(const ChosenWish *wish) {
        size_t n = 0;

        for (size_t i = 0; i < wish->filters.n_filters; i++)
                n += strlen(wish->filters.filters[i]);
        return n;
}

int chosen_new(const ChosenWish *wish, Chosen **ret_chosen) {
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        size_t n_sets = 0;
        int r;

        for (uint32_t i = 0; i < wish->listing->n_entries; i++)
                n_sets += wish_count_sets(wish, &wish->listing->entries[i]);
        if (n_sets * wish_count_bytes(wish) > CHOSEN_PRODUCT_MAX)
                return CHOSEN_E_TOO_MUCH;
        chosen = calloc(1, sizeof *chosen + n_sets * sizeof *chosen->sets);
        if (!chosen)
                return error_origin(-ENOMEM);
        chosen->wish = *wish;
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
        free(chosen);
        return NULL;
}

/* Decides the next set of the next entry, and steps over it. Returns the operations that it took. */
static size_t chosen_decide(Chosen *chosen) {
        const ListingEntry *entry = &chosen->wish.listing->entries[chosen->n_decided];
        ArgumentValue args[RUNNER_ARGS_MAX];
        char path[FILTER_PATH_MAX];

        if (!chosen->inside)
                arguments_init(&chosen->arguments, entry);
        arguments_get(&chosen->arguments, args);
        filter_path(entry, chosen->wish.by_entry ? NULL : args, path);
        chosen->sets[chosen->n_sets++] =
                        filter_set_select(chosen->filters, entry, path, entry->hidden && !chosen->wish.of_hidden);
        chosen->inside = !chosen->wish.by_entry && arguments_step(&chosen->arguments);
        if (!chosen->inside)
                chosen->first_sets[++chosen->n_decided] = chosen->n_sets;
        return CHOSEN_NAME_WORK + strlen(path) * filter_set_work(chosen->filters);
}

int chosen_step(Chosen *chosen, size_t *ret_work) {
        size_t work = 0;

        while (chosen->n_decided < chosen->wish.listing->n_entries && work < CHOSEN_SLICE_WORK)
                work += chosen_decide(chosen);
        if (ret_work)
                *ret_work = work;
        if (chosen->n_decided < chosen->wish.listing->n_entries)
                return CHOSEN_E_MORE;
        chosen->filters = filter_set_free(chosen->filters);
        return 0;
}

bool chosen_has(const Chosen *chosen, uint32_t entry, size_t set) {
        return chosen->sets[chosen->first_sets[entry] + (chosen->wish.by_entry ? 0 : set)];
}

bool chosen_find(const Chosen *chosen, uint32_t entry, size_t *ret_set) {
        const size_t n = chosen->first_sets[entry + 1] - chosen->first_sets[entry];

        for (size_t i = 0; i < n; i++) {
                if (!chosen_has(chosen, entry, i))
                        continue;
                *ret_set = i;
                return true;
        }
        return false;
}

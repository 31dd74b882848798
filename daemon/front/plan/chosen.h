/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Chosen: the benchmarks of a listing, with each set of their arguments, that the filters of a request choose.
 *
 * A listing can have ten thousand names and a request 16 KiB of filters, so they are matched a slice at a time, and the loop
 * serves others between the slices. The product of the two is bounded, and a request beyond it is refused. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/filter.h"
#include "ops/sample-block.h"
#include "util/cleanup.h"

#define CHOSEN_PRODUCT_MAX (32u << 20) /* names times bytes of filters */
#define CHOSEN_SLICE_WORK  (1u << 20)  /* operations of the matcher: about a millisecond */
#define CHOSEN_NAME_WORK   2048u       /* ... as which writing a name counts */

typedef struct Chosen Chosen;

enum {
        _CHOSEN_E_SUCCESS,

        CHOSEN_E_MORE,     /* not all names are decided yet */
        CHOSEN_E_TOO_MUCH, /* more names times bytes of filters than CHOSEN_PRODUCT_MAX */
};

/* The question that the filters answer. Borrowed. */
typedef struct ChosenWish {
        const ListingBlock *listing;
        FilterList filters;
        bool by_entry;  /* a benchmark is decided as a whole, without its arguments */
        bool of_hidden; /* a hidden benchmark need not be written out */
} ChosenWish;

/* Begins to choose; nothing is decided yet. Returns 0, E_TOO_MUCH, or a negative errno. */
int chosen_new(const ChosenWish *wish, Chosen **ret_chosen);
Chosen *chosen_free(Chosen *chosen);

DEFINE_CLEANUP(Chosen *, chosen_free)

/* Decides the names of one slice; @ret_work (or NULL): its operations. Returns 0 when all are decided, or E_MORE. */
int chosen_step(Chosen *chosen, size_t *ret_work);

/*
 * True if set @set of the arguments of entry @entry of the listing is chosen, in the order of arguments_step(); where entries are
 * decided as a whole, if the entry is. All names have to be decided.
 */
bool chosen_has(const Chosen *chosen, uint32_t entry, size_t set);

/* Finds the first chosen set of @entry. Returns false if there is none. */
bool chosen_find(const Chosen *chosen, uint32_t entry, size_t *ret_set);

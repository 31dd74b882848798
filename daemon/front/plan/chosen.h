/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Chosen: the benchmarks of a listing, with each set of their arguments, that the filters of a request choose.
 *
 * A listing can have far more names than a run may measure, and a request 16 KiB of filters, so they are matched a slice at a time, and
 * the loop serves others between the slices. Benchmarks of which the filters can choose nothing are found first, by their names alone; the
 * names of the others are bounded, as is the product with the bytes of the filters, and a request beyond it is refused. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/filter.h"
#include "util/cleanup.h"

#define CHOSEN_NAMES_MAX   1000000u    /* that are matched */
#define CHOSEN_PRODUCT_MAX (32u << 20) /* names times bytes of filters */
#define CHOSEN_SLICE_WORK  (1u << 20)  /* operations of the matcher: about a millisecond */
#define CHOSEN_NAME_WORK   2048u       /* ... as which writing a name counts */

typedef struct Chosen Chosen;

enum {
        _CHOSEN_E_SUCCESS,

        CHOSEN_E_MORE,     /* not all names are decided yet */
        CHOSEN_E_TOO_MANY, /* more than CHOSEN_NAMES_MAX names that the filters might choose */
        CHOSEN_E_TOO_MUCH, /* more of them times bytes of filters than CHOSEN_PRODUCT_MAX */
};

/* The question that the filters answer. Borrowed. */
typedef struct ChosenWish {
        const ListingBlock *listing;
        FilterList filters;
        bool of_hidden; /* a hidden benchmark need not be written out */
        bool lists; /* where names are too many, each benchmark of which the filters might choose something is chosen, as a whole */
} ChosenWish;

/* Begins to choose; nothing is decided yet. Returns 0 or a negative errno. */
int chosen_new(const ChosenWish *wish, Chosen **ret_chosen);
Chosen *chosen_free(Chosen *chosen);

DEFINE_CLEANUP(Chosen *, chosen_free)

/*
 * Decides the names of one slice; @ret_work (or NULL): its operations. Returns 0 when all are decided, E_MORE, E_TOO_MANY, E_TOO_MUCH, or a
 * negative errno.
 */
int chosen_step(Chosen *chosen, size_t *ret_work);

/* The names, arguments counted out, of the benchmarks that the filters might choose; known once one was decided or they are too many. */
size_t chosen_count_names(const Chosen *chosen);

/* The number of chosen sets of arguments of entry @entry of the listing, once all names are decided. */
size_t chosen_count(const Chosen *chosen, uint32_t entry);

/* The filters that matched nothing, once all names are decided: "nosuch, n=9"; NULL: each matched something. */
const char *chosen_unmatched(const Chosen *chosen);

/*
 * Finds the first chosen set of @entry from set @from on, in the order of arguments_step(); where it was decided as a whole it is set 0.
 * Returns false if there is none.
 */
bool chosen_next(const Chosen *chosen, uint32_t entry, size_t from, size_t *ret_set);

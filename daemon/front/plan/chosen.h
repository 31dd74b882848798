/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Chosen: the benchmarks of a listing, with their sets of arguments, that match the filters of a request.
 *
 * A listing can have far more names than a run may measure, and a request 16 KiB of filters, so matching is cut into slices, between which
 * the loop serves others. Benchmarks that cannot match are excluded first, by their names alone. The number of the remaining names is
 * limited, and so is its product with the bytes of the filters; a request beyond these limits is refused. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/filter.h"
#include "util/cleanup.h"

#define CHOSEN_NAMES_MAX   1000000u    /* to be matched */
#define CHOSEN_PRODUCT_MAX (32u << 20) /* names times bytes of filters */
#define CHOSEN_SLICE_WORK  (1u << 20)  /* operations of the matcher: about a millisecond */
#define CHOSEN_NAME_WORK   2048u       /* the cost of writing a name, in these */

typedef struct Chosen Chosen;

enum {
        _CHOSEN_E_SUCCESS,

        CHOSEN_E_MORE,     /* names are left to decide */
        CHOSEN_E_TOO_MANY, /* more than CHOSEN_NAMES_MAX names might match */
        CHOSEN_E_TOO_MUCH, /* their number times bytes of filters exceeds CHOSEN_PRODUCT_MAX */
};

/* The input of the choice. Borrowed. */
typedef struct ChosenWish {
        const ListingBlock *listing;
        FilterList filters;
        bool of_hidden; /* a hidden benchmark need not be named in full */
        bool lists; /* if there are too many names, chooses each benchmark that might match as a whole, instead of failing */
} ChosenWish;

/* Begins a choice; no name is decided yet. Returns 0 or a negative errno. */
int chosen_new(const ChosenWish *wish, Chosen **ret_chosen);
Chosen *chosen_free(Chosen *chosen);

DEFINE_CLEANUP(Chosen *, chosen_free)

/*
 * Decides the names of one slice; @ret_work (or NULL): the operations that it took. Returns 0 when all are decided, E_MORE, E_TOO_MANY,
 * E_TOO_MUCH, or a negative errno.
 */
int chosen_step(Chosen *chosen, size_t *ret_work);

/* The number of names, with all sets of arguments, that might match; known after the first chosen_step(). */
size_t chosen_count_names(const Chosen *chosen);

/* The number of chosen sets of arguments of entry @entry of the listing, once all names are decided. */
size_t chosen_count(const Chosen *chosen, uint32_t entry);

/* The filters that matched nothing, once all names are decided: "nosuch, n=9"; NULL: all matched. */
const char *chosen_unmatched(const Chosen *chosen);

/* The format of a warning of them: of the side, or empty; the filters. */
#define CHOSEN_UNMATCHED_WARNING "no benchmark%s matches %s: look for a mistyped name"

/*
 * Finds the first chosen set of arguments of @entry from set @from on, in the order of arguments_step(); an entry chosen as a whole has set
 * 0. Returns false if there is none.
 */
bool chosen_next(const Chosen *chosen, uint32_t entry, size_t from, size_t *ret_set);

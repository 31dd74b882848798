/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Company: whether the threads of a benchmark really ran side by side. They begin each batch together, but on a machine
 * that has no CPU for one of them just then it waits while the other runs: what they do to each other is then not in
 * the figures. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/sample-block.h"

#define COMPANY_ENOUGH 0.5 /* of a batch, from the first start to the last stop, and of all batches */

typedef struct Company {
        uint64_t n_batches;
        uint64_t n_together; /* in which all ran at the same time for long enough */
} Company;

/* Adds batches of @n_threads (1 or more) threads, whose @n samples stand together, batch after batch. */
void company_add(Company *company, const Sample *samples, size_t n, uint32_t n_threads);

/* The share of batches that were together; 1 where there were none. */
double company_share(const Company *company);

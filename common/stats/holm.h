/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Many comparisons in one table: p values adjusted so that the chance of even one false finding is what each row's would
 * be alone (Holm, Scandinavian Journal of Statistics 6, 1979). It holds however the rows depend on each other.
 */

#include <stddef.h>

/* Replaces each of @n p values by its adjusted one, at most 1. Returns 0 or a negative errno. */
int holm_adjust(double *p_values, size_t n);

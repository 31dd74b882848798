/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Areas of the built-in module that were named, as filters of a run: each area alone is all of it, and filters choose among the
 * benchmarks of the areas. Pure.
 */

#include <stddef.h>

typedef struct SettingsWords SettingsWords;

/*
 * Writes the filters that choose what each of @filters chooses, within @areas: a name, or one with a benchmark behind it
 * ("strings", "strings/strlen"). The list ends with NULL and is one block, the caller's to free(). Without areas they are @filters.
 * Returns 0 or a negative errno.
 */
int area_filters(const SettingsWords *areas, const SettingsWords *filters, char ***ret_filters);

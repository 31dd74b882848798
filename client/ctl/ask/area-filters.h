/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Converts named areas of the built-in module to filters of a run: an area alone means all of it, and filters choose among the benchmarks
 * of the areas. Pure.
 */

#include <stddef.h>

typedef struct SettingsWords SettingsWords;

/*
 * Writes filters that restrict @filters to @areas; an area is a name ("strings") or a name with a benchmark ("strings/strlen"). The list
 * ends with NULL and is one block, which the caller frees. Without areas it equals @filters. Returns 0 or a negative errno.
 */
int area_filters(const SettingsWords *areas, const SettingsWords *filters, char ***ret_filters);

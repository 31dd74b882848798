/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The links of the sides of a comparison that are sources.
 */

typedef struct CompileLinks CompileLinks;
typedef struct Settings Settings;

/*
 * Chooses the links of the side number @side, whose file or files are at @path: one where it is not built. The run has the seed that they are
 * drawn from. Returns 0, or an exit code after printing the error.
 */
int compare_links_choose(const Settings *settings, const char *path, unsigned side, CompileLinks *ret_links);

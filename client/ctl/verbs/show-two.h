/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * show A B: two results side by side. Each is a job's id, or a file with the JSON of a result.
 */

typedef struct Settings Settings;

/* Prints the two results that the arguments name. Returns an exit code. */
int show_two(const Settings *settings);

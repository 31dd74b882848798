/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * compare --git, --build: one module of two commits, or of one tree by several builds, each in a tree of its own in the user's cache. All
 * builds but the first are compared with the first, one after the other: each is measured in turns with it.
 */

typedef struct Settings Settings;

/* Returns an exit code. */
int compare_git(const Settings *settings);

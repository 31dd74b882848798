/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commits of a bisection: the line of first parents from the good end, commit 0, to the bad one.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/git/git.h"

typedef struct BisectRange {
        Git git;
        GitCommit good;
        GitRange range; /* the commits after the good end; the last is the bad one */
} BisectRange;

/* Functions print their own errors, and return 0 or an exit code. */

/* Finds the range in the repository of the current directory, and says which commits it leaves out. */
int bisect_range_open(const char *good, const char *bad, BisectRange *range);
void bisect_range_clear(BisectRange *range);

/* The commit @index, 0 for the good end. */
const GitCommit *bisect_range_at(const BisectRange *range, size_t index);

/* For a merge, what it brought: the first commit of its line and the last, to search within. False: it is no merge, or git failed. */
bool bisect_range_merged(BisectRange *range, size_t index, GitCommit *ret_base, GitCommit *ret_tip);

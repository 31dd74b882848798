/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The two sides of a comparison, loaded and measured in turns: files, which source code was compiled to, or modules of earlier jobs.
 */

#include <stdbool.h>

typedef struct Connection Connection;
typedef struct Fleet Fleet;
typedef struct GitCommit GitCommit;
typedef struct Output Output;
typedef struct Settings Settings;

typedef struct CompareSide {
        const char *word;        /* FILE or @JOB, and #AREA/BENCHMARK, as it was typed */
        char *path;              /* of the file; NULL: the module of a job */
        const char *name;        /* in results; NULL: the file in @word */
        const GitCommit *commit; /* NULL: told-commit.h tells it */
        bool dirty;              /* files differ from @commit */
} CompareSide;

typedef struct CompareSides {
        CompareSide old;
        CompareSide new;
} CompareSides;

/* The functions below print their own errors, and return an exit code. */

/* With --bisect the exit code @r of the old side (else the new one), such that git bisect run is not told of a fault of the other. */
int compare_blame(const Settings *settings, bool is_old, int r);

int compare_sides(const Settings *settings, Connection *connection, Output *output, const CompareSides *sides);

/* The same on several machines. */
int compare_sides_on(const Settings *settings, Fleet *fleet, Output *output, const CompareSides *sides);

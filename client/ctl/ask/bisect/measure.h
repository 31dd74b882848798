/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Builds a commit of a bisection, and measures its build, a module or a whole command, in turns with that of the good end.
 */

#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/git/worktree.h"

typedef struct BisectRange BisectRange;
typedef struct Connection Connection;
typedef struct Output Output;
typedef struct Settings Settings;
typedef struct benchd_module benchd_module;

/* A commit whose module is there. */
typedef struct BisectBuild {
        Worktree tree;
        benchd_module *module; /* NULL: a command is measured, */
        char *directory;       /* ... in this directory */
        uint64_t code;         /* a hash of what is loaded of the module; 0: unknown */
        double build_s;        /* the time that it took */
} BisectBuild;

#define BISECT_BUILD_NONE ((BisectBuild){ .tree = WORKTREE_NONE })

typedef struct BisectMeasurer {
        const Settings *settings;
        Connection *connection;
        Output *output;
        BisectRange *range;
        const char *build;   /* the command that builds a commit; NULL: none */
        const char *word;    /* the module, as it is named in the current directory; NULL: a command is measured */
        const char *command; /* for the shell, in the tree of each commit; NULL: a module is measured */
        BisectBuild good;    /* of the good end, whose tree stays until the search has ended */
        char *benchmark;     /* the name of the row that is measured; NULL: not known yet */
} BisectMeasurer;

/* Log ratios of a build against the good one. */
typedef struct BisectLook {
        size_t n; /* processes */
        double mean;
        double error;
        double freedom;
        double seconds; /* that it took */
} BisectLook;

void bisect_measurer_clear(BisectMeasurer *measurer);

/* Functions return 0 or an exit code after printing the error; EXIT_BENCHMARK: the commit is at fault. */

/* Builds the commit @index, 0 for the good end. */
int bisect_build(BisectMeasurer *measurer, size_t index, BisectBuild *ret_build);
void bisect_build_clear(BisectBuild *build);

/* Measures @build in @n processes. The first call names the benchmark; a build without it is at fault. */
int bisect_look(BisectMeasurer *measurer, const BisectBuild *build, size_t n, BisectLook *ret_look);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which commit of a range changed a time: the posterior over all of them, from measured log ratios of builds against the build of the
 * range's good end.
 *
 * Commits are numbered in their order: 0 is the good end, n the bad one, and the change is that of one commit of 1 to n. The builds before
 * it have one level, those from it on another. A build lies off its level by its layout, a deviation that more processes do not average
 * out; its size is not known, so it is a parameter with a prior over two decades, like both levels, and is integrated out by sums over a
 * grid. One build in a thousand may be off by four times as much, so that no single build decides. The processes' own deviation is pooled
 * over all builds. A change of none explains the ends where builds scatter as much as they differ.
 *
 * Commits that do not build tell nothing: those between two that do form a block with the later one, which no measurement divides. Builds
 * of the same bytes have no change between them, and need no measurement.
 */

#include <stdbool.h>
#include <stddef.h>

#define BISECTION_ENOUGH       0.99 /* of the posterior: found */
#define BISECTION_COMMITS_MAX  100000u
#define BISECTION_ENDS_LOOK    12u  /* processes of the ends at a time */
#define BISECTION_ENDS_MAX     60u  /* ... in all */
#define BISECTION_MEASURED_MAX 200u /* builds */

typedef enum BisectionState {
        BISECTION_UNBUILT,
        BISECTION_BUILT,  /* perhaps measured, too */
        BISECTION_BROKEN, /* does not build, or does not run */
} BisectionState;

typedef struct BisectionCommit {
        BisectionState state;
        bool is_twin;       /* has the bytes of another build, which stands for it */
        bool is_excluded;   /* builds of the same bytes are on both sides of it */
        size_t n_processes; /* 0: not measured */
        double mean;        /* of the log ratios against the good end */
        double squares;     /* sum of their squared deviations */
        double freedom;     /* degrees of freedom of the squares */
        double mass;        /* of the posterior: the change is this commit's */
} BisectionCommit;

typedef struct Bisection {
        BisectionCommit *commits; /* 0 to n; owned */
        size_t n;
        double mass_none; /* of the posterior: no commit changed anything */
        double deviation; /* of a process, as a log ratio */
        double layout;    /* of a build, likewise: the posterior's mean */
} Bisection;

/* The answer as far as it is known: a block of commits that cannot be divided, most often of one. */
typedef struct BisectionBlock {
        size_t first;
        size_t last;
        double mass;
} BisectionBlock;

/* The change in logs: the level of the builds from the block on, less that of those before it. */
typedef struct BisectionChange {
        double mean;
        double half; /* of its interval at 95 % */
} BisectionChange;

enum {
        _BISECTION_E_SUCCESS,

        BISECTION_E_TOO_MANY, /* builds that are measured */
};

/* A range of @n commits behind the good end, 1 to BISECTION_COMMITS_MAX, of which both ends are built. Returns 0 or a negative errno. */
int bisection_init(Bisection *bisection, size_t n);
void bisection_clear(Bisection *bisection);

/* Adds @n log ratios (1 or more) of @commit against the good end by their mean, its standard error and the error's degrees of freedom. */
void bisection_add(Bisection *bisection, size_t commit, size_t n, double mean, double error, double freedom);

void bisection_set_broken(Bisection *bisection, size_t commit);

/* @commit has the bytes of @other, which is built, and takes its place in what is asked of either. */
void bisection_set_twin(Bisection *bisection, size_t commit, size_t other);

/* Half of the interval of the difference of the ends, beyond which they would differ. */
double bisection_ends_reach(const Bisection *bisection);

/* True if the ends differ, as far as their processes tell, which is enough to look for a commit. */
bool bisection_ends_differ(const Bisection *bisection);

/* The posterior of all that was added, which includes the bad end. Returns 0, E_TOO_MANY, or a negative errno. */
int bisection_update(Bisection *bisection);

/* The block that @commit, which is not 0, belongs to. */
BisectionBlock bisection_block_of(const Bisection *bisection, size_t commit);

/* Writes the @n blocks with the most mass, most first. Returns how many there are with any. */
size_t bisection_best(const Bisection *bisection, BisectionBlock *blocks, size_t n);

BisectionChange bisection_change(const Bisection *bisection, const BisectionBlock *block);

/* The variance of the mean of a measured commit as a measurement of that build, without its layout. */
double bisection_variance(const Bisection *bisection, size_t commit);

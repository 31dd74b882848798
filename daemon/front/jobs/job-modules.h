/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The modules of a job, one per side: a run and a list have one, a comparison has the new and the old one. Each comes with the request or
 * is recalled from an earlier job; once hashed, both kinds are treated alike.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/reply-error.h"
#include "front/base/share.h"
#include "front/plan/module-request.h"
#include "ops/block.h"

typedef struct Chosen Chosen;
typedef struct InspectionBlock InspectionBlock;
typedef struct ModuleRecall ModuleRecall;
typedef struct SealedModule SealedModule;

enum {
        _JOB_MODULES_E_SUCCESS,

        JOB_MODULES_E_BAD,      /* ret_why has the reason */
        JOB_MODULES_E_MORE,     /* not all modules are ready yet */
        JOB_MODULES_E_TOO_MUCH, /* too many names of the side, or names times bytes of filters, to match */
};

typedef struct JobSide {
        ModuleRequest wants;   /* borrowed from the request and from the recall */
        ModuleRecall *recall;  /* NULL: its module came with the request */
        SealedModule *module;  /* NULL until it is recalled */
        uint64_t ticket;       /* 0: none yet */
        ListingBlock *listing; /* freed once the run is planned */
        Chosen *chosen;        /* of the listing; NULL: not yet, or not asked for */
        char compiler[LISTING_TEXT_MAX];
        bool optimized;
        InspectionBlock *inspected; /* without the code of a run's benchmarks; NULL: not yet, or it failed */
} JobSide;

/* A checked request with its descriptors and recalled modules. A part that a job takes becomes NULL or -1. */
typedef struct JobInput {
        Benchd__Request *request;
        ShareHold place;                       /* of its user's jobs */
        ModuleRequest wants[RUNNER_SIDES_MAX]; /* the module of each side */
        size_t n_sides;
        int *fds;        /* as many as the request names: modules by side, then inputs */
        ShareHold *held; /* the user's share for `fds`; NULL: not counted */
        size_t n_inputs;
        ModuleRecall *recalls[RUNNER_SIDES_MAX]; /* of each side with an earlier job's module; else NULL */
} JobInput;

typedef struct JobModules {
        JobSide sides[RUNNER_SIDES_MAX];
        size_t n;
        size_t at;            /* the side being hashed, opened or listed */
        SealedModule *inputs; /* of all sides; NULL: none */
} JobModules;

/*
 * Makes the sides of @input; takes its descriptors, in order, and its recalled modules. Returns 0, E_BAD, or a negative errno; @modules
 * must be cleared in any case.
 */
int job_modules_init(JobModules *modules, JobInput *input, ReplyError *ret_why);
void job_modules_clear(JobModules *modules);

/*
 * Keeps the compiler of each module from its listing, and frees the listings, which are large, once the run is planned.
 */
void job_modules_note_listings(JobModules *modules);

/*
 * Matches a slice of the listed names with the filters of @run (NULL: a list request); all listings must be there. Returns 0 when all sides
 * have their chosen names, E_MORE, E_TOO_MUCH for the current side, or a negative errno.
 */
int job_modules_choose(JobModules *modules, const Benchd__RunRequest *run);

/*
 * Recalls or hashes the next slice. Returns 0 when all sides are hashed and fit into one process, E_MORE, E_BAD, or a
 * negative errno.
 */
int job_modules_prepare(JobModules *modules, ReplyError *ret_why);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The modules of a job, one a side: a run and a list have one, a comparison the new and the old one. Each comes with the
 * request, or is recalled from an earlier job; once all are hashed both are alike.
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
        JOB_MODULES_E_MORE,     /* not all are ready yet */
        JOB_MODULES_E_TOO_MUCH, /* more names of the side, or of them times bytes of filters, than are matched */
};

typedef struct JobSide {
        ModuleRequest wants;   /* borrowed from the request, and from what is recalled */
        ModuleRecall *recall;  /* NULL: its module came with the request */
        SealedModule *module;  /* NULL until it is recalled */
        uint64_t ticket;       /* 0: none yet */
        ListingBlock *listing; /* until all sides are listed */
        Chosen *chosen;        /* of the listing; NULL: not yet, or it is not asked for */
        char compiler[LISTING_TEXT_MAX];
        bool optimized;
        InspectionBlock *inspected; /* of a run without its code; NULL: not yet, or it could not be */
} JobSide;

/* A checked request with its descriptors and recalled modules. A part that a job takes is then NULL or -1. */
typedef struct JobInput {
        Benchd__Request *request;
        ShareHold place;                       /* of its user's jobs */
        ModuleRequest wants[RUNNER_SIDES_MAX]; /* the module of each side */
        size_t n_sides;
        int *fds;        /* as many as the request names: of the sides, then of inputs */
        ShareHold *held; /* these, among the descriptors of its user; NULL: not counted */
        size_t n_inputs;
        ModuleRecall *recalls[RUNNER_SIDES_MAX]; /* of each side whose module an earlier job measured; else NULL */
} JobInput;

typedef struct JobModules {
        JobSide sides[RUNNER_SIDES_MAX];
        size_t n;
        size_t at;            /* the side that is hashed, opened or listed now */
        SealedModule *inputs; /* of all sides; NULL: none */
} JobModules;

/*
 * Makes the sides of @input, and takes its descriptors, in order, and its recalled modules. Returns 0, E_BAD, or a negative errno;
 * the sides are to be cleared in any case.
 */
int job_modules_init(JobModules *modules, JobInput *input, ReplyError *ret_why);
void job_modules_clear(JobModules *modules);

/* Notes of the listings who compiled the modules and how, and frees them, which are large, once the run is planned. */
void job_modules_note_listings(JobModules *modules);

/*
 * Matches a slice of the names of the listings, all of which are there, with the filters of @run, or with NULL of a list. Returns 0 when
 * all sides have their chosen names, E_MORE, E_TOO_MUCH of the side that is chosen from now, or a negative errno.
 */
int job_modules_choose(JobModules *modules, const Benchd__RunRequest *run);

/*
 * Recalls and hashes the next slice. Returns 0 when all sides are hashed and fit into one process, E_MORE, E_BAD, or a
 * negative errno.
 */
int job_modules_prepare(JobModules *modules, ReplyError *ret_why);

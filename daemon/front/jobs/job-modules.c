/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-modules.h"

#include <stdlib.h>
#include <string.h>

#include "front/history/module-recall.h"
#include "front/history/sealed-module.h"
#include "front/plan/chosen.h"
#include "util/cleanup.h"
#include "util/error.h"

static int job_side_take(JobSide *side, int *fds, size_t n, ShareHold *held, ReplyError *ret_why) {
        int r;

        r = sealed_module_new(fds, n, held, &side->module, ret_why);
        return r > 0 ? (int)JOB_MODULES_E_BAD : error_trace(r);
}

int job_modules_init(JobModules *modules, JobInput *input, ReplyError *ret_why) {
        int *fds = input->fds;
        int r;

        *modules = (JobModules){ .n = input->n_sides };
        for (size_t i = 0; i < modules->n; i++)
                modules->sides[i] = (JobSide){ .wants = input->wants[i], .recall = take_pointer(input->recalls[i]) };
        for (size_t i = 0; i < modules->n; i++) {
                JobSide *side = &modules->sides[i];
                const size_t n_fds = 1 + side->wants.n_libraries;

                if (side->recall) {
                        side->wants.name = module_recall_module_name(side->recall);
                        side->wants.commit = module_recall_earlier(side->recall)->module->commit;
                        side->wants.library_names = module_recall_library_names(side->recall, &side->wants.n_libraries);
                        side->wants.n_preloaded = module_recall_preloaded(side->recall);
                        continue;
                }
                r = job_side_take(side, fds, n_fds, input->held, ret_why);
                if (r)
                        return r;
                fds += n_fds;
        }
        if (input->n_inputs == 0)
                return 0;
        r = sealed_inputs_new(fds, input->n_inputs, input->held, &modules->inputs, ret_why);
        return r > 0 ? (int)JOB_MODULES_E_BAD : error_trace(r);
}

void job_modules_clear(JobModules *modules) {
        for (size_t i = 0; i < modules->n; i++) {
                sealed_module_free(modules->sides[i].module);
                module_recall_free(modules->sides[i].recall);
                free(modules->sides[i].listing);
                chosen_free(modules->sides[i].chosen);
                free(modules->sides[i].inspected);
        }
        sealed_module_free(modules->inputs);
        *modules = (JobModules){};
}

void job_modules_note_listings(JobModules *modules) {
        for (size_t i = 0; i < modules->n; i++) {
                JobSide *side = &modules->sides[i];

                memcpy(side->compiler, side->listing->compiler, sizeof side->compiler);
                side->optimized = side->listing->optimized != 0;
                free(side->listing);
                side->listing = NULL;
                side->chosen = chosen_free(side->chosen);
        }
}

/* ---- choosing */

/* The choice for side @i, with the filters of the first side. False: nothing is to be chosen. */
static bool side_wish(const JobModules *modules, size_t i, const Benchd__RunRequest *run, ChosenWish *ret_wish) {
        const Benchd__Comparison *comparison = run ? run->comparison : NULL;
        const ModuleRequest *wants = &modules->sides[0].wants;

        *ret_wish = (ChosenWish){
                .listing = modules->sides[i].listing,
                .filters = { wants->filters, wants->n_filters },
                .of_hidden = !run || (i == 0 && comparison && comparison->new_benchmark),
                .lists = !run,
        };
        return i == 0 || !comparison || !comparison->benchmark;
}

int job_modules_choose(JobModules *modules, const Benchd__RunRequest *run) {
        JobSide *side = &modules->sides[modules->at];
        ChosenWish wish;
        int r;

        if (!side->chosen && side_wish(modules, modules->at, run, &wish)) {
                r = chosen_new(&wish, &side->chosen);
                return r ? error_trace(r) : (int)JOB_MODULES_E_MORE;
        }
        r = side->chosen ? chosen_step(side->chosen, NULL) : 0;
        if (r == CHOSEN_E_MORE)
                return JOB_MODULES_E_MORE;
        if (r)
                return r > 0 ? (int)JOB_MODULES_E_TOO_MUCH : error_trace(r);
        return ++modules->at < modules->n ? (int)JOB_MODULES_E_MORE : 0;
}

/* ---- preparing */

static int job_side_recall(JobSide *side, ReplyError *ret_why) {
        size_t n;
        int *fds;
        int r;

        r = module_recall_step(side->recall, ret_why);
        if (r == MODULE_RECALL_E_MORE)
                return JOB_MODULES_E_MORE;
        if (r)
                return r > 0 ? (int)JOB_MODULES_E_BAD : error_trace(r);
        fds = module_recall_fds(side->recall, &n);
        r = job_side_take(side, fds, n, NULL, ret_why);
        return r ? r : (int)JOB_MODULES_E_MORE;
}

static int job_side_prepare(JobSide *side, ReplyError *ret_why) {
        int r;

        if (!side->module)
                return job_side_recall(side, ret_why);
        r = sealed_module_hash(side->module);
        if (r)
                return r > 0 ? (int)JOB_MODULES_E_MORE : error_trace(r);
        if (side->recall && module_recall_check(side->recall, side->module, ret_why) != 0)
                return JOB_MODULES_E_BAD;
        return 0;
}

/* Checks that two sides fit into one process. */
static int sides_check(const JobSide *new, const JobSide *old, ReplyError *ret_why) {
        const size_t n = new->wants.n_libraries + old->wants.n_libraries;

        if (n <= RUNNER_LIBRARIES_MAX)
                return 0;
        reply_error_bad(ret_why, "%zu libraries beside two modules, of at most %u.", n, RUNNER_LIBRARIES_MAX);
        return JOB_MODULES_E_BAD;
}

int job_modules_prepare(JobModules *modules, ReplyError *ret_why) {
        int r;

        r = modules->inputs ? sealed_module_hash(modules->inputs) : 0;
        if (r)
                return r > 0 ? (int)JOB_MODULES_E_MORE : error_trace(r);
        r = job_side_prepare(&modules->sides[modules->at], ret_why);
        if (r)
                return r;
        if (++modules->at < modules->n)
                return JOB_MODULES_E_MORE;
        return modules->n > 1 ? sides_check(&modules->sides[0], &modules->sides[1], ret_why) : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-side.h"

#include <stdlib.h>
#include <string.h>

#include "front/history/module-recall.h"
#include "front/history/sealed-module.h"
#include "util/error.h"
#include "util/time.h"

static int job_side_recall(JobSide *side, const Session *session, ReplyError *ret_why) {
        int r;

        r = module_recall_new(session, side->wants.run_id, time_realtime_ns(), &side->recall, ret_why);
        if (r)
                return r > 0 ? (int)JOB_SIDE_E_BAD : error_trace(r);
        side->wants.name = module_recall_module_name(side->recall);
        side->wants.library_names = module_recall_library_names(side->recall, &side->wants.n_libraries);
        return 0;
}

static int job_side_take(JobSide *side, int *fds, size_t n, ReplyError *ret_why) {
        int r;

        r = sealed_module_new(fds, n, &side->module, ret_why);
        return r > 0 ? (int)JOB_SIDE_E_BAD : error_trace(r);
}

int job_side_init(JobSide *side, const ModuleRequest *wants, const Session *session, int *fds, size_t *ret_taken,
                ReplyError *ret_why) {
        const size_t n = module_request_count_fds(wants);

        *side = (JobSide){ .wants = *wants };
        *ret_taken = n;
        if (wants->run_id)
                return job_side_recall(side, session, ret_why);
        return job_side_take(side, fds, n, ret_why);
}

void job_side_clear(JobSide *side) {
        sealed_module_free(side->module);
        module_recall_free(side->recall);
        free(side->listing);
        *side = (JobSide){};
}

/* ---- preparing */

static int job_side_fetch(JobSide *side, ReplyError *ret_why) {
        size_t n;
        int *fds;
        int r;

        r = module_recall_step(side->recall, ret_why);
        if (r == MODULE_RECALL_E_MORE)
                return JOB_SIDE_E_MORE;
        if (r)
                return r > 0 ? (int)JOB_SIDE_E_BAD : error_trace(r);
        fds = module_recall_fds(side->recall, &n);
        r = job_side_take(side, fds, n, ret_why);
        return r ? r : (int)JOB_SIDE_E_MORE;
}

int job_side_prepare(JobSide *side, ReplyError *ret_why) {
        int r;

        if (!side->module)
                return job_side_fetch(side, ret_why);
        r = sealed_module_hash(side->module);
        if (r)
                return r > 0 ? (int)JOB_SIDE_E_MORE : error_trace(r);
        if (side->recall && module_recall_check(side->recall, side->module, ret_why) != 0)
                return JOB_SIDE_E_BAD;
        return 0;
}

/* ---- two of them */

/* The name of a library that both bring, and not the same; NULL where there is none. */
static const char *job_sides_find_clash(const JobSide *new, const JobSide *old) {
        for (size_t i = 0; i < new->wants.n_libraries; i++)
                for (size_t k = 0; k < old->wants.n_libraries; k++)
                        if (strcmp(new->wants.library_names[i], old->wants.library_names[k]) == 0 &&
                                        strcmp(sealed_module_sha256(new->module, i + 1),
                                                        sealed_module_sha256(old->module, k + 1)) != 0)
                                return new->wants.library_names[i];
        return NULL;
}

int job_sides_check(const JobSide *new, const JobSide *old, ReplyError *ret_why) {
        const size_t n = new->wants.n_libraries + old->wants.n_libraries;
        const char *clash = job_sides_find_clash(new, old);

        if (clash) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_MODULE,
                                "Both modules bring a library %s, and not the same: one process cannot hold both.",
                                clash);
                reply_error_hint(ret_why,
                                "Link it into the modules (-l:lib....a), or give it another soname in one of them.");
                return JOB_SIDE_E_BAD;
        }
        if (n <= RUNNER_LIBRARIES_MAX)
                return 0;
        reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST, "%zu libraries beside two modules, of at most %u.",
                        n, RUNNER_LIBRARIES_MAX);
        return JOB_SIDE_E_BAD;
}

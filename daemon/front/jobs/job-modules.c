/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-modules.h"

#include "front/daemon.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/jobs/job.h"
#include "util/error.h"
#include "util/time.h"

static ModuleRequest job_wants(const Benchd__Request *request, size_t side) {
        if (side > 0)
                return module_request_of_comparison(request->run->comparison);
        return request->run ? module_request_of_run(request->run) : module_request_of_list(request->list);
}

int job_modules_take(Job *job, const Session *session, const Benchd__Request *request, int *fds, ReplyError *ret_why) {
        const size_t n = request->run && request->run->comparison ? 2 : 1;

        while (job->n_sides < n) {
                const ModuleRequest wants = job_wants(request, job->n_sides);
                size_t n_taken;
                int r;

                r = job_side_init(&job->sides[job->n_sides++], &wants, session, fds, &n_taken, ret_why);
                if (r)
                        return r;
                fds += n_taken;
        }
        return 0;
}

/* ---- kept */

/* Copies some of the module to where it is kept. Returns whether there is more. */
static bool job_keep_slice(Job *job) {
        int r;

        r = module_store_draft_step(job->draft, time_realtime_ns());
        if (r == MODULE_STORE_E_MORE)
                return true;
        if (r)
                job_record_warn(job->record, module_store_draft_words(job->draft));
        job->draft = module_store_draft_free(job->draft);
        return false;
}

/* All is hashed. */
static int job_begin_keeping(Job *job) {
        job->state = JOB_KEEPING;
        if (!job->record || !job->daemon->store)
                return 0;
        return error_trace(module_store_draft_new(job->daemon->store, job->sides[0].module, &job->draft));
}

/* ---- prepared */

/* Prepares some of the side. Returns 0 when all sides are ready, JOB_SIDE_E_*, or a negative errno. */
static int job_prepare_side(Job *job, ReplyError *ret_why) {
        int r;

        r = job_side_prepare(&job->sides[job->side], ret_why);
        if (r)
                return r;
        return ++job->side < job->n_sides ? JOB_SIDE_E_MORE : 0;
}

int job_modules_prepare(Job *job, ReplyError *ret_why) {
        int r;

        if (job->state == JOB_HASHING) {
                r = job_prepare_side(job, ret_why);
                if (r == 0 && job->n_sides > 1)
                        r = job_sides_check(&job->sides[0], &job->sides[1], ret_why);
                if (r == 0)
                        r = job_begin_keeping(job);
                if (r)
                        return r;
        }
        return job->draft && job_keep_slice(job) ? JOB_SIDE_E_MORE : 0;
}

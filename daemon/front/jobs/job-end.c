/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-end.h"

#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "util/error.h"

/* Waits for no turn any more, and stops the process. */
static void job_stop_measuring(Job *job) {
        job->waits_for_place = false;
        if (queue_is_waiting(&job->place))
                queue_remove(&job->services->queue, &job->place);
        if (queue_is_waiting(&job->examination))
                queue_remove(&job->services->examinations, &job->examination);
        if (job->process != 0)
                (void)launch_link_kill(job->services->link, job->process);
}

void job_end_over(Job *job) {
        if (job->state == JOB_OVER)
                return;
        if (job->state != JOB_ENDING)
                job_stop_measuring(job);
        job->state = JOB_OVER;
        job->submitter = NULL;
        while (!LIST_EMPTY(&job->watches))
                watch_free(LIST_FIRST(&job->watches));
        job->preparing = sd_event_source_disable_unref(job->preparing);
}

void job_end_error(Job *job, const ReplyError *why) {
        job_reply_error(job, why);
        job_end_over(job);
}

void job_end_failed(Job *job, int r) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.", strerrordesc_np(-r));
        reply_error_hint(&why, "Its journal says where.");
        job_end_error(job, &why);
}

void job_end_refused(Job *job, const OpsRefused *refused) {
        ReplyError why;

        launch_refusal_explain(refused, "start a runner", &why);
        job_end_error(job, &why);
}

/* Reports some of the benchmarks; after the last of them the result. Returns 0, JOB_REPLY_E_MORE, or a negative errno. */
static int job_end_slice(Job *job) {
        int r;

        turns_note(job->services->turns, TURN_RESULT, job->uid);
        r = job_reply_benchmarks(job, job->cancelled);
        return r ? r : error_trace(job_reply_result(job, job->cancelled));
}

static int job_on_end(sd_event_source *source, uint64_t usec, void *userdata) {
        Job *job = userdata;
        int r;

        r = job_end_slice(job);
        if (r == JOB_REPLY_E_MORE)
                r = slices_again(source, job_priority(job));
        else if (r == 0)
                job_end_over(job);
        if (r)
                job_end_failed(job, r);
        return 0;
}

void job_end_result(Job *job, bool cancelled) {
        int r;

        job_stop_measuring(job);
        job->state = JOB_ENDING;
        job->cancelled = cancelled;
        r = job_end_slice(job);
        if (r == JOB_REPLY_E_MORE)
                r = slices_start(job->services->event, job_priority(job), job_on_end, job, &job->preparing);
        else if (r == 0)
                job_end_over(job);
        if (r)
                job_end_failed(job, r);
}

bool job_end_has_begun(const Job *job) {
        return job->state == JOB_ENDING || job->state == JOB_OVER;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-end.h"

#include <string.h>
#include <systemd/sd-event.h>

#include "front/daemon.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"

void job_over(Job *job) {
        if (job->state == JOB_OVER)
                return;
        job->state = JOB_OVER;
        job->submitter = NULL;
        while (!LIST_EMPTY(&job->watches))
                watch_free(LIST_FIRST(&job->watches));
        job->preparing = sd_event_source_disable_unref(job->preparing);
        job->waits_for_place = false;
        if (job->place.waiting)
                queue_remove(&job->daemon->queue, &job->place);
        if (job->process != 0)
                (void)launch_link_kill(job->daemon->link, job->process);
}

void job_complain(Job *job, const ReplyError *why) {
        job_reply_error(job, why);
        job_over(job);
}

void job_fail(Job *job, int r) {
        ReplyError why;

        if (r == 0 || job->state == JOB_OVER)
                return;
        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.", strerrordesc_np(-r));
        reply_error_hint(&why, "Its journal says where.");
        job_complain(job, &why);
}

void job_finish(Job *job, int r) {
        if (r)
                job_fail(job, r);
        else
                job_over(job);
}

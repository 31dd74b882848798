/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/job-end.h"

#include <string.h>
#include <systemd/sd-event.h>

#include "front/job-reply.h"
#include "front/job.h"
#include "front/launch-link.h"
#include "front/manager.h"

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
                queue_remove(&job->manager->queue, &job->place);
        if (job->process != 0)
                (void)launch_link_kill(job->manager->link, job->process);
}

void job_complain(Job *job, const Complaint *complaint) {
        job_reply_error(job, complaint);
        job_over(job);
}

void job_fail(Job *job, int r) {
        Complaint complaint;

        if (r == 0 || job->state == JOB_OVER)
                return;
        complaint_set(&complaint, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.",
                        strerrordesc_np(-r));
        complaint_hint(&complaint, "Its journal says where.");
        job_complain(job, &complaint);
}

void job_finish(Job *job, int r) {
        if (r)
                job_fail(job, r);
        else
                job_over(job);
}

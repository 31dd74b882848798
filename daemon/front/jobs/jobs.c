/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/jobs.h"

#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/base/slices.h"
#include "front/history/job-record.h"
#include "front/jobs/job.h"
#include "front/report/clock-report.h"
#include "util/error.h"
#include "util/time.h"

#define JOBS_RETRY_NS     NS_PER_S
#define JOBS_TOLD_AT_ONCE 8u

#define JOBS_EXAMINATIONS_LEAST (2 * JOBS_EXAMINATIONS_OF_USER) /* however many are measured at once */

Job *jobs_find(const JobServices *services, const char *run_id) {
        for (Job *job = TAILQ_FIRST(&services->jobs); job; job = job_next(job)) {
                const JobView view = job_view(job);

                if (view.record && strcmp(view.record->run_id, run_id) == 0)
                        return job;
        }
        return NULL;
}

/* ---- after each turn of the loop */

static void jobs_free_finished(JobServices *services) {
        Job *job = TAILQ_FIRST(&services->jobs);

        while (job) {
                Job *next = job_next(job);

                if (job_is_finished(job)) {
                        job_free(job);
                        services->n_done++;
                }
                job = next;
        }
}

/* Once all CPUs are given up on there is nothing to wait for, and the launcher says so. */
bool jobs_await_clock(const JobServices *services) {
        return !clock_report_facts(services->machine, -1) &&
               !(services->machine && services->machine->threads_max == 0);
}

/* Tells some waiting jobs how long they wait: each computation walks all jobs, so many are told in slices. */
static int jobs_on_telling(sd_event_source *source, uint64_t usec, void *userdata) {
        JobServices *services = userdata;
        size_t n = 0;

        for (Job *job = TAILQ_FIRST(&services->jobs); job; job = job_next(job)) {
                if (n == JOBS_TOLD_AT_ONCE)
                        return slices_again(source, SD_EVENT_PRIORITY_NORMAL);
                n += job_tell_moved(job);
        }
        services->telling = sd_event_source_disable_unref(source);
        return 0;
}

/* Hands out the places for processes that list or inspect. Returns true if a job was over at once. */
static bool jobs_examine(JobServices *services) {
        bool finished = false;
        Job *job;

        while (!services->examinations_refused && (job = queue_advance(&services->examinations, time_monotonic_ns()))) {
                job_take_turn(job);
                finished |= job_is_finished(job);
        }
        return finished;
}

/* Hands out the turns that are to be had. Returns true if a job was over at once. */
static bool jobs_advance(JobServices *services) {
        bool advanced = false, finished = false;
        Job *job;

        if (services->queue.n_waiting == 0 || jobs_await_clock(services))
                return false;
        while ((job = queue_advance(&services->queue, time_monotonic_ns()))) {
                advanced = true;
                job_take_turn(job);
                finished |= job_is_finished(job);
        }
        if (!advanced)
                return false;
        job_retry_all(services); /* one that has its turn anew leaves the cores to turns before it */
        for (job = TAILQ_FIRST(&services->jobs); job; job = job_next(job))
                job_note_moved(job);
        if (!services->telling)
                (void)slices_start(services->event, SD_EVENT_PRIORITY_NORMAL, jobs_on_telling, services,
                                &services->telling);
        return finished;
}

/* A place may get free without any word from the launcher, so jobs that wait for one ask again after a while. */
static void jobs_set_retry(JobServices *services) {
        bool wait = services->examinations_refused;
        int enabled = SD_EVENT_OFF;

        (void)sd_event_source_get_enabled(services->retry, &enabled);
        if (enabled != SD_EVENT_OFF)
                return;
        for (const Job *job = TAILQ_FIRST(&services->jobs); job; job = job_next(job))
                wait |= job_view(job).waits_for_place;
        if (!wait)
                return;
        (void)sd_event_source_set_time_relative(services->retry, JOBS_RETRY_NS / 1000);
        (void)sd_event_source_set_enabled(services->retry, SD_EVENT_ONESHOT);
}

bool jobs_sweep(JobServices *services) {
        bool again;

        jobs_free_finished(services);
        again = jobs_examine(services);
        again |= jobs_advance(services);
        jobs_set_retry(services);
        return again;
}

static int jobs_on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        job_retry_all(userdata);
        return 0;
}

/* ---- life */

/* The processes that list or inspect at once: all that the launcher has room for besides the measuring processes and a calibrating one. */
static size_t jobs_examinations_most(size_t measured) {
        const size_t others = measured + 1;

        return others + JOBS_EXAMINATIONS_LEAST < OPS_PROCESSES_MAX ? OPS_PROCESSES_MAX - others
                                                                    : JOBS_EXAMINATIONS_LEAST;
}

int jobs_init(JobServices *services) {
        int r;

        TAILQ_INIT(&services->jobs);
        inspections_init(&services->inspections);
        queue_init(&services->queue, services->config->at_once, services->config->core_time_per_hour_s * NS_PER_S);
        queue_init(&services->examinations, jobs_examinations_most(services->config->at_once), 0);
        services->examinations.most_of_user = JOBS_EXAMINATIONS_OF_USER;
        r = sd_event_add_time_relative(services->event, &services->retry, CLOCK_MONOTONIC, 0, 0, jobs_on_retry,
                        services);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(services->retry, SD_EVENT_OFF);
        return r < 0 ? error_origin(r) : 0;
}

void jobs_clear(JobServices *services) {
        while (!TAILQ_EMPTY(&services->jobs))
                job_free(TAILQ_FIRST(&services->jobs));
        queue_clear(&services->queue);
        queue_clear(&services->examinations);
        inspections_clear(&services->inspections);
        services->retry = sd_event_source_disable_unref(services->retry);
        services->telling = sd_event_source_disable_unref(services->telling);
}

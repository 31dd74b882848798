/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job.h"

#include <stdlib.h>
#include <systemd/sd-event.h>

#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "front/jobs/job-ask.h"
#include "front/jobs/job-end.h"
#include "front/jobs/job-measurement.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "front/samples/measurement.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_on_process(void *userdata, OpsPacket *packet);

static void job_await_place(Job *job) {
        job->waits_for_place = true;
        daemon_wait_for_place(job->daemon);
}

/* One that came later leaves the cores to those before it, or what needs several would never have them. */
static bool job_is_preceded(const Job *job) {
        const Job *other;

        TAILQ_FOREACH(other, &job->daemon->jobs, of_daemon) {
                if (other == job)
                        break;
                if (other->state == JOB_MEASURING && other->process == 0)
                        return true;
        }
        return false;
}

static void job_spawn(Job *job) {
        if (job->state == JOB_MEASURING && job_is_preceded(job))
                job_await_place(job);
        else
                job_fail(job, job_ask_process(job, job_on_process));
}

/* The launcher does not do what it was asked. */
static void job_refused(Job *job, const OpsRefused *refused) {
        ReplyError why;

        launch_refusal_explain(refused, &why);
        job_complain(job, &why);
}

/* ---- listing */

/* The module as a whole cannot be measured. */
static void job_refuse_module(Job *job, const ProcessEnd *ending) {
        ReplyError why;

        reply_error_set(&why, ending->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                        "%s: %s", job->sides[job->side].wants.name, ending->message);
        job_complain(job, &why);
}

/* There is no plan. */
static void job_refuse_plan(Job *job, int outcome) {
        ReplyError why;

        launch_refusal_explain_plan(outcome, &job->sides[0].wants, &why);
        job_complain(job, &why);
}

static void job_forget_listings(Job *job) {
        for (size_t i = 0; i < job->n_sides; i++)
                job->sides[i].listing = (free(job->sides[i].listing), NULL);
}

static void job_enqueue(Job *job) {
        int r;

        r = job_measurement_plan(job);
        job_forget_listings(job);
        if (r > 0)
                job_refuse_plan(job, r);
        else
                job_fail(job, r);
        if (r)
                return;
        job->state = JOB_QUEUED;
        queue_add(&job->daemon->queue, &job->place, job);
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

static void job_listed(Job *job, const OpsPacket *packet) {
        JobSide *side = &job->sides[job->side];
        ProcessEnd ending;
        int r;

        r = runner_block_read_listing(packet->fds[0], &side->listing);
        if (r) {
                job_fail(job, r);
                return;
        }
        if (!process_end_judge(&packet->record.ended, side->listing ? &side->listing->head : NULL, job->timeout_ns,
                            &ending))
                job_refuse_module(job, &ending);
        else if (job->request->list)
                job_finish(job, job_reply_listing(job, side->listing));
        else if (++job->side < job->n_sides)
                job_spawn(job);
        else
                job_enqueue(job);
}

/* ---- measuring */

/* Sends what there is, all or @cancelled, and ends. */
static void job_send_result(Job *job, bool cancelled) {
        int r;

        r = job_reply_benchmarks(job, cancelled);
        if (r == 0)
                r = job_reply_result(job, cancelled);
        job_finish(job, r);
}

/* Sends what is complete, then goes on with the next process or ends. */
static void job_next(Job *job) {
        int r;

        if (!measurement_next(job->measurement)) {
                job_send_result(job, false);
                return;
        }
        r = job_reply_benchmarks(job, false);
        if (r) {
                job_fail(job, r);
                return;
        }
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__MEASURING);
        job_spawn(job);
}

static void job_measured(Job *job, const OpsPacket *packet) {
        int r;

        r = job_measurement_note(job, packet);
        if (r)
                job_fail(job, r);
        else
                job_next(job);
}

void job_measure(Job *job) {
        job->state = JOB_MEASURING;
        job->started_at_unix_ns = time_realtime_ns();
        job_record_note_running(job->record);
        job_next(job);
}

void job_cancel(Job *job) {
        ReplyError why;

        if (job->state == JOB_MEASURING) {
                job_send_result(job, true);
                return;
        }
        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        job_complain(job, &why);
}

/* ---- a process */

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;

        if (packet->record.kind == OPS_STARTED) {
                job->process = packet->record.started.process;
                job->cpus = packet->record.started.cpus;
                if (job->state == JOB_OVER)
                        (void)launch_link_kill(job->daemon->link, job->process);
                daemon_place_is_free(job->daemon); /* for those that it preceded */
                return;
        }
        job->asked = false;
        job->process = 0;
        if (packet->record.kind == OPS_ENDED)
                daemon_place_is_free(job->daemon);
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind == OPS_ENDED && job->state == JOB_LISTING) {
                job_listed(job, packet);
        } else if (packet->record.kind == OPS_ENDED) {
                job_measured(job, packet);
        } else if (packet->record.refused.reason == OPS_REFUSAL_BUSY) {
                job_await_place(job);
        } else {
                job_refused(job, &packet->record.refused);
        }
}

void job_retry(Job *job) {
        if (!job->waits_for_place)
                return;
        job->waits_for_place = false;
        job_spawn(job);
}

/* ---- a ticket */

/* Every side has its ticket: a run is known to all from here on, and the launcher keeps the modules. */
static void job_opened(Job *job) {
        for (size_t i = 0; i < job->n_sides; i++)
                sealed_module_close(job->sides[i].module);
        if (job->record)
                job_reply_accepted(job);
        job->state = JOB_LISTING;
        job->side = 0;
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_spawn(job);
}

static void job_on_ticket(void *userdata, OpsPacket *packet) {
        Job *job = userdata;

        job->asked = false;
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->sides[job->side].ticket = packet->record.ticket_opened.ticket;
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind != OPS_TICKET_OPENED) {
                job_refused(job, &packet->record.refused);
        } else if (++job->side < job->n_sides) {
                job_fail(job, job_ask_ticket(job, job_on_ticket));
        } else {
                job_opened(job);
        }
}

/* Asks for a ticket for each side in turn. */
static void job_open(Job *job) {
        job->side = 0;
        job->state = JOB_OPENING;
        job_fail(job, job_ask_ticket(job, job_on_ticket));
}

/* ---- preparing */

static int job_on_prepare(sd_event_source *source, void *userdata) {
        Job *job = userdata;
        ReplyError why;
        int r;

        r = job_modules_prepare(job, &why);
        if (r == JOB_SIDE_E_MORE)
                return 0;
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r == JOB_SIDE_E_BAD)
                job_complain(job, &why);
        else if (r)
                job_fail(job, r);
        else
                job_open(job);
        return 0;
}

static int job_start_preparing(Job *job) {
        int r;

        r = sd_event_add_defer(job->daemon->event, &job->preparing, job_on_prepare, job);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_priority(job->preparing, SD_EVENT_PRIORITY_IDLE);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(job->preparing, SD_EVENT_ON);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- life */

static int job_begin(Job *job, Session *session, const Benchd__Request *request) {
        int r;

        r = watch_new(job, &job->watches, session, request->id, &job->submitter);
        if (r || !request->run)
                return error_trace(r);
        return error_trace(job_record_new(job->daemon->history, job->uid, job->sides[0].wants.name, time_realtime_ns(),
                        &job->record));
}

int job_new(Session *session, Benchd__Request *request, int *fds, ReplyError *ret_why) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->daemon = session->daemon;
        job->uid = session->uid;
        LIST_INIT(&job->watches);
        TAILQ_INSERT_TAIL(&session->daemon->jobs, job, of_daemon);
        r = job_modules_take(job, session, request, fds, ret_why);
        if (r)
                return r > 0 ? (int)JOB_E_BAD : error_trace(r);
        r = job_begin(job, session, request);
        if (r)
                return error_trace(r);
        r = job_start_preparing(job);
        if (r)
                return error_trace(r);
        job->request = request;
        take_pointer(job);
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;
        job_over(job);
        TAILQ_REMOVE(&job->daemon->jobs, job, of_daemon);
        queue_remove(&job->daemon->queue, &job->place);
        for (size_t i = 0; i < job->n_sides; i++) {
                if (job->sides[i].ticket != 0)
                        (void)launch_link_close_ticket(job->daemon->link, job->sides[i].ticket);
                job_side_clear(&job->sides[i]);
        }
        measurement_free(job->measurement);
        module_store_draft_free(job->draft);
        job_record_free(job->record);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        free(job);
        return NULL;
}

bool job_is_finished(const Job *job) {
        return job->state == JOB_OVER && !job->asked;
}

bool job_is_known(const Job *job) {
        return job->state != JOB_OVER && job->record && job->record->accepted;
}

void job_abandon(Watch *watch) {
        Job *job = watch->job;

        if (watch == job->submitter)
                job_cancel(job);
        else
                watch_free(watch);
}

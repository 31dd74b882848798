/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/job.h"

#include <stdlib.h>
#include <systemd/sd-event.h>

#include "front/ending.h"
#include "front/job-ask.h"
#include "front/job-end.h"
#include "front/job-measurement.h"
#include "front/job-modules.h"
#include "front/job-reply.h"
#include "front/keeping.h"
#include "front/launch-link.h"
#include "front/manager.h"
#include "front/measurement.h"
#include "front/record.h"
#include "front/refusal.h"
#include "front/remains.h"
#include "front/session.h"
#include "front/store.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_on_process(void *userdata, OpsPacket *packet);

static void job_await_place(Job *job) {
        job->waits_for_place = true;
        manager_wait_for_place(job->manager);
}

/* One that came later leaves the cores to those before it, or what needs several would never have them. */
static bool job_is_preceded(const Job *job) {
        const Job *other;

        TAILQ_FOREACH(other, &job->manager->jobs, of_manager) {
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
        Complaint complaint;

        refusal_complain(refused, &complaint);
        job_complain(job, &complaint);
}

/* ---- listing */

/* The module as a whole cannot be measured. */
static void job_refuse_module(Job *job, const Ending *ending) {
        Complaint complaint;

        complaint_set(&complaint, ending->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                        "%s: %s", job->sides[job->side].wants.name, ending->message);
        job_complain(job, &complaint);
}

/* There is no plan. */
static void job_refuse_plan(Job *job, int outcome) {
        Complaint complaint;

        refusal_complain_plan(outcome, &job->sides[0].wants, &complaint);
        job_complain(job, &complaint);
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
        queue_add(&job->manager->queue, &job->place, job);
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

static void job_listed(Job *job, const OpsPacket *packet) {
        JobSide *side = &job->sides[job->side];
        Ending ending;
        int r;

        r = remains_read_listing(packet->fds[0], &side->listing);
        if (r) {
                job_fail(job, r);
                return;
        }
        if (!ending_judge(&packet->record.ended, side->listing ? &side->listing->head : NULL, job->timeout_ns, &ending))
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
        record_note_running(job->record);
        job_next(job);
}

void job_cancel(Job *job) {
        Complaint complaint;

        if (job->state == JOB_MEASURING) {
                job_send_result(job, true);
                return;
        }
        complaint_set(&complaint, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        job_complain(job, &complaint);
}

/* ---- a process */

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;

        if (packet->record.kind == OPS_STARTED) {
                job->process = packet->record.started.process;
                job->cpus = packet->record.started.cpus;
                if (job->state == JOB_OVER)
                        (void)launch_link_kill(job->manager->link, job->process);
                manager_place_is_free(job->manager); /* for those that it preceded */
                return;
        }
        job->asked = false;
        job->process = 0;
        if (packet->record.kind == OPS_ENDED)
                manager_place_is_free(job->manager);
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
                stored_module_close(job->sides[i].module);
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
        Complaint complaint;
        int r;

        r = job_modules_prepare(job, &complaint);
        if (r == JOB_SIDE_E_MORE)
                return 0;
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r == JOB_SIDE_E_BAD)
                job_complain(job, &complaint);
        else if (r)
                job_fail(job, r);
        else
                job_open(job);
        return 0;
}

static int job_start_preparing(Job *job) {
        int r;

        r = sd_event_add_defer(job->manager->event, &job->preparing, job_on_prepare, job);
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
        return error_trace(record_new(job->manager->history, job->uid, job->sides[0].wants.name, time_realtime_ns(),
                        &job->record));
}

int job_new(Session *session, Benchd__Request *request, int *fds, Complaint *ret_complaint) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->manager = session->manager;
        job->uid = session->uid;
        LIST_INIT(&job->watches);
        TAILQ_INSERT_TAIL(&session->manager->jobs, job, of_manager);
        r = job_modules_take(job, session, request, fds, ret_complaint);
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
        TAILQ_REMOVE(&job->manager->jobs, job, of_manager);
        queue_remove(&job->manager->queue, &job->place);
        for (size_t i = 0; i < job->n_sides; i++) {
                if (job->sides[i].ticket != 0)
                        (void)launch_link_close_ticket(job->manager->link, job->sides[i].ticket);
                job_side_clear(&job->sides[i]);
        }
        measurement_free(job->measurement);
        keeping_free(job->keeping);
        record_free(job->record);
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

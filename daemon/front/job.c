/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <systemd/sd-event.h>

#include "front/arena.h"
#include "front/ending.h"
#include "front/launch-link.h"
#include "front/listing.h"
#include "front/manager.h"
#include "front/measurement.h"
#include "front/message.h"
#include "front/refusal.h"
#include "front/remains.h"
#include "front/result.h"
#include "front/session.h"
#include "front/spawn.h"
#include "front/store.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_next(Job *job);

/* ---- ends */

/* The last reply was sent: lets go of the client and stops what runs. */
static void job_over(Job *job) {
        if (job->state == JOB_OVER)
                return;
        job->state = JOB_OVER;
        LIST_REMOVE(job, of_session);
        job->session = NULL;
        job->hashing = sd_event_source_disable_unref(job->hashing);
        job->waits_for_place = false;
        if (job->place.waiting)
                queue_remove(&job->manager->queue, &job->place);
        if (job->process != 0)
                (void)launch_link_kill(job->manager->link, job->process);
}

static void job_complain(Job *job, const Complaint *complaint) {
        session_complain(job->session, job->request->id, complaint);
        job_over(job);
}

/* Ends a job for a fault of the daemon's own; nothing if @r says that there is none. */
static void job_fail(Job *job, int r) {
        Complaint complaint;

        if (r == 0 || job->state == JOB_OVER)
                return;
        complaint_set(&complaint, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.",
                        strerrordesc_np(-r));
        complaint_hint(&complaint, "Its journal says where.");
        job_complain(job, &complaint);
}

static void job_reply(Job *job, bool last, Benchd__Reply *reply) {
        session_reply(job->session, job->request->id, last, reply);
        if (last)
                job_over(job);
}

bool job_is_finished(const Job *job) {
        return job->state == JOB_OVER && !job->asked;
}

void job_abandon(Job *job) {
        job_over(job);
}

/* ---- progress */

static void job_tell_progress(Job *job, Benchd__Progress__Stage stage) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Progress progress = BENCHD__PROGRESS__INIT;

        if (!job->request->run || arena_new(&arena))
                return;
        message_set(&progress, stage, stage);
        if (stage == BENCHD__PROGRESS__STAGE__QUEUED)
                message_set(&progress, queue_position, queue_position(&job->manager->queue, &job->place));
        if (stage == BENCHD__PROGRESS__STAGE__MEASURING)
                measurement_fill_progress(job->measurement, arena, &progress);
        reply.progress = &progress;
        job_reply(job, false, &reply);
}

void job_tell_position(Job *job) {
        job_tell_progress(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

/* ---- listing */

/* The module as a whole cannot be measured. */
static void job_refuse_module(Job *job, const Ending *ending) {
        Complaint complaint;

        complaint_set(&complaint, ending->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                        "%s: %s", job->wants.name, ending->message);
        job_complain(job, &complaint);
}

static void job_send_listing(Job *job, const ListingBlock *block) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        const FilterList filters = { job->wants.filters, job->wants.n_filters };
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = listing_build(arena, block, &filters, &reply.listing);
        if (r)
                job_fail(job, r);
        else
                job_reply(job, true, &reply);
}

/* There is no plan. */
static void job_refuse_plan(Job *job, int outcome) {
        Complaint complaint;

        refusal_complain_plan(outcome, &job->wants, &complaint);
        job_complain(job, &complaint);
}

static int job_draw_seed(Job *job) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        job->seed = job->request->run->has_seed ? job->request->run->seed : drawn >> 11;
        return 0;
}

static int job_make_plan(Job *job, const ListingBlock *block) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        int r;

        r = job_draw_seed(job);
        if (r)
                return error_trace(r);
        r = run_plan_new(block, job->request->run, job->seed, &plan);
        if (r)
                return r;
        r = measurement_new(plan, &job->measurement);
        if (r)
                return error_trace(r);
        take_pointer(plan);
        memcpy(job->compiler, block->compiler, sizeof job->compiler);
        job->optimized = block->optimized != 0;
        return 0;
}

static void job_enqueue(Job *job, const ListingBlock *block) {
        int r;

        r = job_make_plan(job, block);
        if (r > 0)
                job_refuse_plan(job, r);
        else
                job_fail(job, r);
        if (r)
                return;
        job->state = JOB_QUEUED;
        queue_add(&job->manager->queue, &job->place, job);
        job_tell_position(job);
}

static void job_listed(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) ListingBlock *block = NULL;
        Ending ending;
        int r;

        r = remains_read_listing(packet->fds[0], &block);
        if (r) {
                job_fail(job, r);
                return;
        }
        if (!ending_judge(&packet->record.ended, block ? &block->head : NULL, job->timeout_ns, &ending))
                job_refuse_module(job, &ending);
        else if (job->request->list)
                job_send_listing(job, block);
        else
                job_enqueue(job, block);
}

/* ---- measuring */

static int job_send_result(Job *job, bool cancelled) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        const Manager *manager = job->manager;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        ResultFacts facts = {
                .measurement = job->measurement,
                .wants = &job->wants,
                .stored = job->module,
                .compiler = job->compiler,
                .seed = job->seed,
                .started_at_unix_ns = job->started_at_unix_ns,
                .quick = job->request->run->has_quick && job->request->run->quick,
                .cancelled = cancelled,
                .optimized = job->optimized,
        };
        int r;

        r = arena_new(&arena);
        if (r)
                return error_trace(r);
        facts.environment = environment_build(arena, &manager->host, &manager->machine, &job->controls,
                        host_load(manager->root));
        if (!facts.environment)
                return error_origin(-ENOMEM);
        r = result_build(arena, &facts, &reply.result);
        if (r)
                return error_trace(r);
        job_reply(job, true, &reply);
        return 0;
}

/* Sends the results of the benchmarks that are complete, or if @partial of those that have anything. */
static int job_send_benchmarks(Job *job, bool partial) {
        for (;;) {
                _cleanup_(arena_freep) Arena *arena = NULL;
                Benchd__Reply reply = BENCHD__REPLY__INIT;
                int r;

                r = arena_new(&arena);
                if (r)
                        return error_trace(r);
                r = measurement_take_result(job->measurement, partial, arena, &reply.benchmark);
                if (r)
                        return error_trace(r);
                if (!reply.benchmark)
                        return 0;
                job_reply(job, false, &reply);
        }
}

static int job_note_process(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) SampleBlock *block = NULL;
        const ClockFacts *clock = manager_clock(job->manager, packet->record.ended.cpu);
        ModuleOutput output = {};
        Ending ending;
        int r;

        if (!clock)
                return error_origin(-ENODATA);
        r = remains_read_samples(packet->fds[0], &block);
        if (r)
                return error_trace(r);
        r = remains_read_output(packet->fds[1], &output);
        if (r)
                return error_trace(r);
        measurement_note_elapsed(job->measurement, packet->record.ended.elapsed_ns);

        if (!ending_judge(&packet->record.ended, block ? &block->head : NULL, job->timeout_ns, &ending))
                return error_trace(measurement_note_failed(job->measurement, &ending, &output));
        controls_add(&job->controls, &packet->record.ended);
        return error_trace(measurement_note_complete(job->measurement, block, clock, &output));
}

static void job_measured(Job *job, const OpsPacket *packet) {
        int r;

        r = job_note_process(job, packet);
        if (r)
                job_fail(job, r);
        else
                job_next(job);
}

void job_measure(Job *job) {
        job->state = JOB_MEASURING;
        job->started_at_unix_ns = time_realtime_ns();
        job_next(job);
}

void job_cancel(Job *job) {
        Complaint complaint;
        int r;

        if (job->state == JOB_MEASURING) {
                r = job_send_benchmarks(job, true);
                if (r == 0)
                        r = job_send_result(job, true);
                job_fail(job, r);
                return;
        }
        complaint_set(&complaint, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        job_complain(job, &complaint);
}

/* ---- the launcher */

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        Complaint complaint;

        if (packet->record.kind == OPS_STARTED) {
                job->process = packet->record.started.process;
                job->cpu = packet->record.started.cpu;
                if (job->state == JOB_OVER)
                        (void)launch_link_kill(job->manager->link, job->process);
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
                job->waits_for_place = true;
                manager_wait_for_place(job->manager);
        } else {
                refusal_complain(&packet->record.refused, &complaint);
                job_complain(job, &complaint);
        }
}

/* Asks for the process that the job needs next: the one that lists, or the next one of the plan. */
static int job_spawn(Job *job) {
        const SpawnJob spawn = {
                .ticket = job->ticket,
                .timeout_ns = job->request->run && job->request->run->has_timeout_ns ? job->request->run->timeout_ns
                                                                                     : 0,
                .environment = job->wants.environment,
                .n_environment = job->wants.n_environment,
        };
        OpsRecord record;
        int r;

        if (job->state == JOB_LISTING)
                spawn_list(&spawn, &record);
        else
                spawn_run(&spawn, measurement_plan(job->measurement), measurement_next(job->measurement), &record);
        job->timeout_ns = record.spawn.timeout_ns;
        r = launch_link_ask(job->manager->link, &record, NULL, 0, job_on_process, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

void job_retry(Job *job) {
        if (!job->waits_for_place)
                return;
        job->waits_for_place = false;
        job_fail(job, job_spawn(job));
}

/* Sends what is complete, then goes on with the next process or ends. */
static void job_next(Job *job) {
        int r;

        r = job_send_benchmarks(job, false);
        if (r == 0 && measurement_next(job->measurement)) {
                job_tell_progress(job, BENCHD__PROGRESS__STAGE__MEASURING);
                r = job_spawn(job);
        } else if (r == 0) {
                r = job_send_result(job, false);
        }
        job_fail(job, r);
}

static void job_on_ticket(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        Complaint complaint;

        job->asked = false;
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->ticket = packet->record.ticket_opened.ticket;
        if (job->state == JOB_OVER)
                return;
        if (job->ticket == 0) {
                refusal_complain(&packet->record.refused, &complaint);
                job_complain(job, &complaint);
                return;
        }
        stored_module_close(job->module);
        job->state = JOB_LISTING;
        job_tell_progress(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_fail(job, job_spawn(job));
}

static int job_open_ticket(Job *job) {
        int fds[2 + RUNNER_LIBRARIES_MAX] = { job->session->fd };
        const int *module_fds;
        OpsRecord record;
        size_t n;
        int r;

        module_fds = stored_module_fds(job->module, &n);
        memcpy(fds + 1, module_fds, n * sizeof *fds);
        memset(&record, 0, sizeof record);
        record.kind = OPS_TICKET_OPEN;
        record.ticket_open.n_libraries = n - 1;
        r = launch_link_ask(job->manager->link, &record, fds, 1 + n, job_on_ticket, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        job->state = JOB_OPENING;
        return 0;
}

/* ---- hashing */

static int job_on_hash(sd_event_source *source, void *userdata) {
        Job *job = userdata;
        int r;

        r = stored_module_hash(job->module);
        if (r == STORE_E_MORE)
                return 0;
        job->hashing = sd_event_source_disable_unref(job->hashing);
        if (r == 0)
                r = job_open_ticket(job);
        job_fail(job, r);
        return 0;
}

static int job_start_hashing(Job *job) {
        int r;

        r = sd_event_add_defer(job->manager->event, &job->hashing, job_on_hash, job);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_priority(job->hashing, SD_EVENT_PRIORITY_IDLE);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(job->hashing, SD_EVENT_ON);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- life */

int job_new(Session *session, Benchd__Request *request, int *fds, size_t n_fds, Complaint *ret_complaint) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->manager = session->manager;
        job->session = session;
        job->uid = session->uid;
        job->cpu = -1;
        job->wants = request->run ? module_request_of_run(request->run) : module_request_of_list(request->list);
        LIST_INSERT_HEAD(&session->jobs, job, of_session);
        TAILQ_INSERT_TAIL(&session->manager->jobs, job, of_manager);

        r = stored_module_new(fds, n_fds, &job->module, ret_complaint);
        if (r > 0)
                return JOB_E_BAD;
        if (r)
                return error_trace(r);
        r = job_start_hashing(job);
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
        if (job->ticket != 0)
                (void)launch_link_close_ticket(job->manager->link, job->ticket);
        measurement_free(job->measurement);
        stored_module_free(job->module);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        free(job);
        return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <systemd/sd-event.h>

#include "front/ending.h"
#include "front/job-reply.h"
#include "front/keeper.h"
#include "front/launch-link.h"
#include "front/manager.h"
#include "front/measurement.h"
#include "front/record.h"
#include "front/refusal.h"
#include "front/remains.h"
#include "front/session.h"
#include "front/spawn.h"
#include "front/store.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_next(Job *job);
static int job_spawn(Job *job);

/* ---- ends */

/* The last reply was sent: lets go of the client and stops what runs. */
static void job_over(Job *job) {
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

static void job_complain(Job *job, const Complaint *complaint) {
        job_reply_error(job, complaint);
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

/* ---- listing */

/* The module as a whole cannot be measured. */
static void job_refuse_module(Job *job, const Ending *ending) {
        Complaint complaint;

        complaint_set(&complaint, ending->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                        "%s: %s", job->sides[job->side].wants.name, ending->message);
        job_complain(job, &complaint);
}

static void job_send_listing(Job *job, const ListingBlock *block) {
        int r;

        r = job_reply_listing(job, block);
        if (r)
                job_fail(job, r);
        else
                job_over(job);
}

/* There is no plan. */
static void job_refuse_plan(Job *job, int outcome) {
        Complaint complaint;

        refusal_complain_plan(outcome, &job->sides[0].wants, &complaint);
        job_complain(job, &complaint);
}

static int job_draw_seed(Job *job) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        job->seed = job->request->run->has_seed ? job->request->run->seed : drawn >> 11;
        return 0;
}

static void job_forget_listings(Job *job) {
        for (size_t i = 0; i < job->n_sides; i++)
                job->sides[i].listing = (free(job->sides[i].listing), NULL);
}

static int job_make_plan(Job *job) {
        const ListingBlock *block = job->sides[0].listing;
        const PlanInput input = {
                .listing = block,
                .old = job->sides[1].listing,
                .threads_max = job->manager->machine.threads_max,
        };
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        int r;

        r = job_draw_seed(job);
        if (r)
                return error_trace(r);
        r = run_plan_new(&input, job->request->run, job->seed, &plan);
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

static void job_enqueue(Job *job) {
        int r;

        r = job_make_plan(job);
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
                job_send_listing(job, side->listing);
        else if (++job->side < job->n_sides)
                job_fail(job, job_spawn(job));
        else
                job_enqueue(job);
}

/* ---- measuring */

/* What it could not count is no failure of the benchmark, which was measured. */
static int job_note_count(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) MemoryBlock *block = NULL;
        Ending ending;
        int r;

        r = remains_read_memory(packet->fds[0], &block);
        if (r)
                return error_trace(r);
        if (ending_judge(&packet->record.ended, block ? &block->head : NULL, job->timeout_ns, &ending))
                return error_trace(measurement_note_memory(job->measurement, block, NULL));
        return error_trace(measurement_note_memory(job->measurement, NULL, &ending));
}

static int job_note_process(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) SampleBlock *blocks = NULL;
        const ClockFacts *clock = manager_clock(job->manager, packet->record.ended.cpu);
        ModuleOutput output = {};
        Ending ending;
        int r;

        if (!clock)
                return error_origin(-ENODATA);
        r = remains_read_samples(packet->fds[0], job->n_sides, &blocks);
        if (r)
                return error_trace(r);
        r = remains_read_output(packet->fds[1], &output);
        if (r)
                return error_trace(r);
        measurement_note_elapsed(job->measurement, packet->record.ended.elapsed_ns);

        if (!ending_judge(&packet->record.ended, blocks ? &blocks->head : NULL, job->timeout_ns, &ending))
                return error_trace(measurement_note_failed(job->measurement, &ending, &output));
        controls_add(&job->controls, &packet->record.ended, blocks);
        return error_trace(measurement_note_complete(job->measurement, blocks, clock, &output));
}

static void job_measured(Job *job, const OpsPacket *packet) {
        int r;

        if (measurement_next(job->measurement)->counts)
                r = job_note_count(job, packet);
        else
                r = job_note_process(job, packet);
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

/* Sends what there is, all or @cancelled, and ends. */
static void job_send_result(Job *job, bool cancelled) {
        int r;

        r = job_reply_benchmarks(job, cancelled);
        if (r == 0)
                r = job_reply_result(job, cancelled);
        if (r)
                job_fail(job, r);
        else
                job_over(job);
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

/* ---- the launcher */

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        Complaint complaint;

        if (packet->record.kind == OPS_STARTED) {
                job->process = packet->record.started.process;
                job->cpus = packet->record.started.cpus;
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
                .tickets = { job->sides[0].ticket, job->sides[1].ticket },
                .timeout_ns = job->request->run && job->request->run->has_timeout_ns ? job->request->run->timeout_ns
                                                                                     : 0,
                .timeout_max_ns = job->manager->config.timeout_max_s * NS_PER_S,
                .listing_timeout_ns = job->manager->config.listing_timeout_s * NS_PER_S,
                .cpus = job->request->run ? job->request->run->cpus : NULL,
                .n_cpus = job->request->run ? job->request->run->n_cpus : 0,
                .environment = job->sides[0].wants.environment,
                .n_environment = job->sides[0].wants.n_environment,
        };
        OpsRecord record;
        int r;

        if (job->state == JOB_LISTING)
                spawn_list(&spawn, job->side, &record);
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

        if (!measurement_next(job->measurement)) {
                job_send_result(job, false);
                return;
        }
        r = job_reply_benchmarks(job, false);
        if (r == 0) {
                job_reply_stage(job, BENCHD__PROGRESS__STAGE__MEASURING);
                r = job_spawn(job);
        }
        job_fail(job, r);
}

static int job_open_ticket(Job *job);

/* Every side has its ticket: a run is known to all from here on, and the launcher keeps the modules. */
static void job_opened(Job *job) {
        for (size_t i = 0; i < job->n_sides; i++)
                stored_module_close(job->sides[i].module);
        if (job->record)
                job_reply_accepted(job);
        job->state = JOB_LISTING;
        job->side = 0;
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_fail(job, job_spawn(job));
}

static void job_on_ticket(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        Complaint complaint;

        job->asked = false;
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->sides[job->side].ticket = packet->record.ticket_opened.ticket;
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind != OPS_TICKET_OPENED) {
                refusal_complain(&packet->record.refused, &complaint);
                job_complain(job, &complaint);
        } else if (++job->side < job->n_sides) {
                job_fail(job, job_open_ticket(job));
        } else {
                job_opened(job);
        }
}

static int job_open_ticket(Job *job) {
        int fds[2 + RUNNER_LIBRARIES_MAX] = { job->submitter->session->fd };
        const int *module_fds;
        OpsRecord record;
        size_t n;
        int r;

        module_fds = stored_module_fds(job->sides[job->side].module, &n);
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

/* ---- preparing */

/* Copies some of the module to where it is kept. Returns whether there is more. */
static bool job_keep_slice(Job *job) {
        int r;

        r = keeping_step(job->keeping, time_realtime_ns());
        if (r == KEEPER_E_MORE)
                return true;
        if (r)
                record_warn(job->record, keeping_words(job->keeping));
        job->keeping = keeping_free(job->keeping);
        return false;
}

/* All is hashed. */
static int job_begin_keeping(Job *job) {
        job->state = JOB_KEEPING;
        if (!job->record || !job->manager->keeper)
                return 0;
        return error_trace(keeping_new(job->manager->keeper, job->sides[0].module, &job->keeping));
}

/* Hashes some of the side's module. Returns 0 when all sides are hashed, STORE_E_MORE, or a negative errno. */
static int job_hash_slice(Job *job) {
        int r;

        r = stored_module_hash(job->sides[job->side].module);
        if (r)
                return r;
        return ++job->side < job->n_sides ? STORE_E_MORE : 0;
}

/* Returns 0 when all modules are hashed and the first is kept, STORE_E_MORE, or a negative errno. */
static int job_prepare_slice(Job *job) {
        int r;

        if (job->state == JOB_HASHING) {
                r = job_hash_slice(job);
                if (r == 0)
                        r = job_begin_keeping(job);
                if (r)
                        return r;
        }
        return job->keeping && job_keep_slice(job) ? STORE_E_MORE : 0;
}

/*
 * A library that both sides bring under one name is loaded once a process, so it has to be the same. Returns its name, or
 * NULL where there is no such trouble.
 */
static const char *job_find_clash(const Job *job) {
        const JobSide *new = &job->sides[0], *old = &job->sides[1];

        for (size_t i = 0; i < new->wants.n_libraries; i++)
                for (size_t k = 0; k < old->wants.n_libraries; k++)
                        if (strcmp(new->wants.library_names[i], old->wants.library_names[k]) == 0 &&
                                        strcmp(stored_module_sha256(new->module, i + 1),
                                                        stored_module_sha256(old->module, k + 1)) != 0)
                                return new->wants.library_names[i];
        return NULL;
}

static int job_begin_opening(Job *job) {
        const char *clash = job->n_sides > 1 ? job_find_clash(job) : NULL;
        Complaint complaint;

        job->side = 0;
        if (!clash)
                return error_trace(job_open_ticket(job));
        complaint_set(&complaint, BENCHD__ERROR__CODE__BAD_MODULE,
                        "Both modules bring a library %s, and not the same: one process cannot hold both.", clash);
        complaint_hint(&complaint, "Link it into the modules (-l:lib....a), or give it another soname in one of them.");
        job_complain(job, &complaint);
        return 0;
}

static int job_on_prepare(sd_event_source *source, void *userdata) {
        Job *job = userdata;
        int r;

        r = job_prepare_slice(job);
        if (r == STORE_E_MORE)
                return 0;
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r == 0)
                r = job_begin_opening(job);
        job_fail(job, r);
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

static void job_set_sides(Job *job, const Benchd__Request *request) {
        job->n_sides = 1;
        job->sides[0].wants =
                        request->run ? module_request_of_run(request->run) : module_request_of_list(request->list);
        if (!request->run || !request->run->comparison)
                return;
        job->n_sides = 2;
        job->sides[1].wants = module_request_of_comparison(request->run->comparison);
}

/* Takes each side's descriptors, in order. Returns 0, E_BAD, or a negative errno. */
static int job_take_modules(Job *job, int *fds, Complaint *ret_complaint) {
        int r;

        for (size_t i = 0; i < job->n_sides; i++) {
                size_t n = 1 + job->sides[i].wants.n_libraries;

                r = stored_module_new(fds, n, &job->sides[i].module, ret_complaint);
                if (r)
                        return r > 0 ? (int)JOB_E_BAD : error_trace(r);
                fds += n;
        }
        return 0;
}

int job_new(Session *session, Benchd__Request *request, int *fds, Complaint *ret_complaint) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->manager = session->manager;
        job->uid = session->uid;
        job_set_sides(job, request);
        LIST_INIT(&job->watches);
        TAILQ_INSERT_TAIL(&session->manager->jobs, job, of_manager);
        r = job_begin(job, session, request);
        if (r)
                return error_trace(r);
        r = job_take_modules(job, fds, ret_complaint);
        if (r)
                return r;
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
                stored_module_free(job->sides[i].module);
                free(job->sides[i].listing);
        }
        measurement_free(job->measurement);
        keeping_free(job->keeping);
        record_free(job->record);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        free(job);
        return NULL;
}

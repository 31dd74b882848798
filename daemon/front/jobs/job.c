/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "front/jobs/plan-refusal.h"
#include "front/jobs/spawn.h"
#include "front/report/clock-report.h"
#include "front/report/environment.h"
#include "front/report/inspection.h"
#include "front/samples/measurement.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_on_process(void *userdata, OpsPacket *packet);

/* ---- the end, at whatever step a job stands */

/* The last reply was sent: lets go of the client and stops the process. */
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
                queue_remove(&job->services->queue, &job->place);
        if (job->process != 0)
                (void)launch_link_kill(job->services->link, job->process);
}

static void job_end_error(Job *job, const ReplyError *why) {
        job_reply_error(job, why);
        job_over(job);
}

/* Ends it for a fault of the daemon's own, the negative errno @r. */
static void job_fail(Job *job, int r) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.", strerrordesc_np(-r));
        reply_error_hint(&why, "Its journal says where.");
        job_end_error(job, &why);
}

/* The launcher does not do as it was asked. */
static void job_end_refused(Job *job, const OpsRefused *refused) {
        ReplyError why;

        launch_refusal_explain(refused, &why);
        job_end_error(job, &why);
}

/* Sends the result: of all, or of the part that was measured when the job was @cancelled. */
static void job_end_result(Job *job, bool cancelled) {
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
        ReplyError why;

        if (job->state == JOB_MEASURING) {
                job_end_result(job, true);
                return;
        }
        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        job_end_error(job, &why);
}

void job_abandon(Watch *watch) {
        Job *job = watch->job;

        if (watch == job->submitter)
                job_cancel(job);
        else
                watch_free(watch);
}

bool job_is_finished(const Job *job) {
        return job->state == JOB_OVER && !job->asked;
}

bool job_is_known(const Job *job) {
        return job->state != JOB_OVER && job->record && job->record->accepted;
}

/* ---- questions to the launcher, one at a time */

static int job_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer) {
        int r;

        r = launch_link_ask(job->services->link, record, fds, n_fds, answer, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

/* Asks for the ticket of the side that is opened now. */
static int job_ask_ticket(Job *job, LaunchAnswer answer) {
        int fds[2 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX] = { job->submitter->client->fd };
        const int *module_fds, *input_fds;
        size_t n, n_inputs = 0;
        OpsRecord record;

        module_fds = sealed_module_fds(job->modules.sides[job->modules.at].module, &n);
        memcpy(fds + 1, module_fds, n * sizeof *fds);
        if (job->modules.inputs) {
                input_fds = sealed_module_fds(job->modules.inputs, &n_inputs);
                memcpy(fds + 1 + n, input_fds, n_inputs * sizeof *fds);
        }
        memset(&record, 0, sizeof record);
        record.kind = OPS_TICKET_OPEN;
        record.ticket_open.n_libraries = n - 1;
        record.ticket_open.n_inputs = n_inputs;
        return error_trace(job_ask(job, &record, fds, 1 + n + n_inputs, answer));
}

/* Asks for the process that the job needs next: the one that lists or inspects, or the next one of the plan. */
static int job_ask_process(Job *job) {
        const Benchd__RunRequest *run = job->request->run;
        const JobSide *sides = job->modules.sides;
        const Config *config = job->services->config;
        const SpawnJob spawn = {
                .tickets = { sides[0].ticket, sides[1].ticket },
                .timeout_ns = run && run->has_timeout_ns ? run->timeout_ns : 0,
                .timeout_max_ns = config->timeout_max_s * NS_PER_S,
                .listing_timeout_ns = config->listing_timeout_s * NS_PER_S,
                .cpus = run ? run->cpus : NULL,
                .n_cpus = run ? run->n_cpus : 0,
                .library_names = { sides[0].wants.library_names, sides[1].wants.library_names },
                .n_libraries = { sides[0].wants.n_libraries, sides[1].wants.n_libraries },
                .environment = sides[0].wants.environment,
                .n_environment = sides[0].wants.n_environment,
                .input_names = run ? run->input_names : NULL,
                .n_inputs = run ? run->n_input_names : 0,
        };
        OpsRecord record;

        if (job->state == JOB_LISTING)
                spawn_list(&spawn, job->modules.at, &record);
        else if (job->state == JOB_INSPECTING)
                spawn_inspect(&spawn, job->modules.at, job->request->inspect ? job->request->inspect->benchmark : NULL,
                                &record);
        else
                spawn_run(&spawn, job->plan, job->next, &record);
        job->timeout_ns = record.spawn.timeout_ns;
        job->mode = record.spawn.plan.mode;
        return error_trace(job_ask(job, &record, NULL, 0, job_on_process));
}

/* A later job leaves the cores to those before it, or a job that needs several would never have them. */
static bool job_is_preceded(const Job *job) {
        const Job *other;

        TAILQ_FOREACH(other, &job->services->jobs, jobs) {
                if (other == job)
                        break;
                if (other->state == JOB_MEASURING && other->process == 0)
                        return true;
        }
        return false;
}

static void job_spawn(Job *job) {
        int r;

        job->waits_for_place = job->state == JOB_MEASURING && job_is_preceded(job);
        if (job->waits_for_place)
                return;
        r = job_ask_process(job);
        if (r)
                job_fail(job, r);
}

void job_retry_all(JobServices *services) {
        Job *job;

        TAILQ_FOREACH(job, &services->jobs, jobs) {
                if (job->waits_for_place)
                        job_spawn(job);
        }
}

/* ---- measuring */

/* Sends the complete benchmarks, then goes on with the next process or ends. */
static void job_next(Job *job) {
        int r;

        job->next = measurement_next(job->measurement);
        if (!job->next) {
                job_end_result(job, false);
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

void job_measure(Job *job) {
        job->state = JOB_MEASURING;
        job->started_at_unix_ns = time_realtime_ns();
        job->load = environment_read_load(job->services->root);
        job->memory_stall = environment_read_memory_stall(job->services->root);
        job_record_note_running(job->record);
        job_next(job);
}

const ClockFacts *job_clock(const JobServices *services, int cpu) {
        return services->machine ? clock_report_facts(services->machine, cpu) : NULL;
}

/* Notes a process that was timed: @blocks, one a side, where @end is NULL. */
static int job_note_samples(Job *job, const OpsEnded *ended, const SampleBlock *blocks, const ModuleOutput *output,
                const ProcessEnd *end) {
        const ClockFacts *clock = job_clock(job->services, ended->cpu);

        if (!clock)
                return error_origin(-ENODATA);
        if (!end) {
                machine_controls_add(&job->controls, ended, blocks);
                for (uint32_t i = 0; i < job->modules.n; i++)
                        machine_controls_add_image(&job->controls, i, &blocks[i]);
        }
        measurement_note_elapsed(job->measurement, ended->elapsed_ns);
        if (end)
                return error_trace(measurement_note_failed(job->measurement, end, output));
        return error_trace(measurement_note_complete(job->measurement, blocks, clock, output));
}

/* ---- planning */

static int job_draw_seed(Job *job) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        job->seed = job->request->run->has_seed ? job->request->run->seed : drawn >> 11;
        return 0;
}

/* Plans from the listings. Returns 0, PLAN_E_*, or a negative errno. */
static int job_plan(Job *job) {
        const ListingBlock *listing = job->modules.sides[0].listing, *old = job->modules.sides[1].listing;
        _cleanup_(plan_freep) RunPlan *plan = NULL;
        const OpsMachine *machine = job->services->machine;
        const PlanInput input = {
                .listing = listing,
                .old = old,
                .threads_max = machine ? machine->threads_max : 0,
        };
        int r;

        r = job_draw_seed(job);
        if (r)
                return error_trace(r);
        r = plan_new(&input, job->request->run, job->seed, &plan);
        if (r)
                return r;
        r = measurement_new(plan, &job->measurement);
        if (r)
                return error_trace(r);
        job->plan = take_pointer(plan);
        return 0;
}

static void job_enqueue(Job *job) {
        job->state = JOB_QUEUED;
        queue_add(&job->services->queue, &job->place, job);
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

/* ---- inspecting */

static void job_inspect(Job *job) {
        job->state = JOB_INSPECTING;
        job->modules.at = 0;
        job_spawn(job);
}

/* Keeps of @block what a run reports, which is little; NULL stays NULL. */
static InspectionBlock *job_keep_inspected(InspectionBlock *block) {
        InspectionBlock *kept;

        if (!block)
                return NULL;
        block->n_functions = block->n_instructions = block->n_sources = block->first_line = 0;
        kept = realloc(block, offsetof(InspectionBlock, entries) + block->n_entries * sizeof *block->entries);
        return kept ? kept : block;
}

/* The file of the side was inspected, unless the process came to another @end. A run goes on without what is not known. */
static void job_inspected(Job *job, InspectionBlock *block, const ProcessEnd *end) {
        _cleanup_(freep) InspectionBlock *own = block;
        JobSide *side = &job->modules.sides[job->modules.at];
        ReplyError why;
        int r;

        if (job->request->run) {
                side->inspected = end ? NULL : job_keep_inspected(take_pointer(own));
                if (++job->modules.at < job->modules.n)
                        job_spawn(job);
                else
                        job_enqueue(job);
                return;
        }
        if (end) {
                inspection_explain_end(side->wants.name, own, end, &why);
                job_end_error(job, &why);
                return;
        }
        r = job_reply_inspection(job, own);
        if (r)
                job_fail(job, r);
        else
                job_over(job);
}

/* ---- listing */

/* All sides are listed. A run is planned before its files are inspected: refused sooner, and its listings, which are large, are freed. */
static void job_listed_all(Job *job) {
        ReplyError why;
        int r;

        r = job_plan(job);
        if (r > 0) {
                plan_refusal_explain(r, &job->modules, job->request->run, &why);
                job_end_error(job, &why);
        } else if (r < 0) {
                job_fail(job, r);
        } else {
                job_modules_note_listings(&job->modules);
                job_inspect(job);
        }
}

/* Takes the listing of the side, unless the process came to another @end. */
static void job_listed(Job *job, ListingBlock *listing, const ProcessEnd *end, const ModuleOutput *output) {
        JobSide *side = &job->modules.sides[job->modules.at];
        ReplyError why;
        int r;

        side->listing = listing;
        if (end) {
                reply_error_set(&why, end->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                                "%s: %s", side->wants.name, end->message);
                why.failure = end->code;
                reply_error_output(&why, output->text, output->n);
                job_end_error(job, &why);
        } else if (job->request->run) {
                if (++job->modules.at < job->modules.n)
                        job_spawn(job);
                else
                        job_listed_all(job);
        } else {
                r = job_reply_listing(job, listing);
                if (r == JOB_REPLY_E_NO_MATCH) {
                        plan_refusal_explain_no_match(side, &why);
                        job_end_error(job, &why);
                } else if (r) {
                        job_fail(job, r);
                } else {
                        job_over(job);
                }
        }
}

/* ---- a process */

static void job_started(Job *job, const OpsStarted *started) {
        job->process = started->process;
        job->cpus = started->cpus;
        if (job->state == JOB_OVER)
                (void)launch_link_kill(job->services->link, job->process);
        job_retry_all(job->services); /* the jobs that it preceded */
}

/*
 * A process is dead: copies its block and its output, judges its end, and notes them. One that counts and fails is no failure of the
 * benchmark, which was measured.
 */
static void job_ended(Job *job, const OpsPacket *packet) {
        const OpsEnded *ended = &packet->record.ended;
        _cleanup_(freep) void *block = NULL;
        const ProcessEnd *end;
        ModuleOutput output = {};
        ProcessEnd other;
        int r;

        r = runner_block_read(packet->fds[0], job->mode, job->modules.n, &block);
        if (r == 0 && job->mode != RUNNER_MODE_MEMORY)
                r = runner_block_read_output(packet->fds[1], &output);
        if (r) {
                job_fail(job, r);
                return;
        }
        end = process_end_judge(ended, block, job->timeout_ns, &other) ? NULL : &other;
        if (job->mode == RUNNER_MODE_LIST) {
                job_listed(job, take_pointer(block), end, &output);
                return;
        }
        if (job->mode == RUNNER_MODE_INSPECT) {
                job_inspected(job, take_pointer(block), end);
                return;
        }
        if (job->mode == RUNNER_MODE_MEMORY)
                r = measurement_note_memory(job->measurement, end ? NULL : block, end);
        else
                r = job_note_samples(job, ended, block, &output, end);
        if (r)
                job_fail(job, r);
        else
                job_next(job);
}

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;

        if (packet->record.kind == OPS_STARTED) {
                job_started(job, &packet->record.started);
                return;
        }
        job->asked = false;
        job->process = 0;
        if (packet->record.kind == OPS_ENDED)
                job_retry_all(job->services);
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind == OPS_ENDED)
                job_ended(job, packet);
        else if (packet->record.refused.reason == OPS_REFUSAL_BUSY)
                job->waits_for_place = true;
        else
                job_end_refused(job, &packet->record.refused);
}

/* ---- tickets */

/* Every side has its ticket: a run is known to all from here on, and the launcher keeps the modules. */
static void job_opened(Job *job) {
        for (size_t i = 0; i < job->modules.n; i++)
                sealed_module_close(job->modules.sides[i].module);
        if (job->modules.inputs)
                sealed_module_close(job->modules.inputs);
        if (job->record)
                job_reply_accepted(job);
        if (job->request->inspect) {
                job_inspect(job);
                return;
        }
        job->state = JOB_LISTING;
        job->modules.at = 0;
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_spawn(job);
}

static void job_on_ticket(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        int r;

        job->asked = false;
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->modules.sides[job->modules.at].ticket = packet->record.ticket_opened.ticket;
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind != OPS_TICKET_OPENED) {
                job_end_refused(job, &packet->record.refused);
        } else if (++job->modules.at < job->modules.n) {
                r = job_ask_ticket(job, job_on_ticket);
                if (r)
                        job_fail(job, r);
        } else {
                job_opened(job);
        }
}

/* ---- preparing */

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

/* Hashes or keeps the next slice. Returns 0 when all is done, JOB_MODULES_E_*, or a negative errno. */
static int job_prepare(Job *job, ReplyError *ret_why) {
        ModuleStore *store = job->services->module_store;
        int r;

        if (job->state == JOB_HASHING) {
                r = job_modules_prepare(&job->modules, ret_why);
                if (r)
                        return r;
                job->state = JOB_KEEPING;
                if (job->record && store) {
                        r = module_store_draft_new(store, job->modules.sides[0].module, &job->draft);
                        if (r)
                                return error_trace(r);
                }
        }
        return job->draft && job_keep_slice(job) ? JOB_MODULES_E_MORE : 0;
}

static int job_on_prepare(sd_event_source *source, void *userdata) {
        Job *job = userdata;
        ReplyError why;
        int r;

        r = job_prepare(job, &why);
        if (r == JOB_MODULES_E_MORE)
                return 0;
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r > 0) {
                job_end_error(job, &why);
                return 0;
        }
        job->state = JOB_OPENING;
        job->modules.at = 0;
        if (r == 0)
                r = job_ask_ticket(job, job_on_ticket);
        if (r)
                job_fail(job, r);
        return 0;
}

static int job_start_preparing(Job *job) {
        int r;

        r = sd_event_add_defer(job->services->event, &job->preparing, job_on_prepare, job);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_priority(job->preparing, SD_EVENT_PRIORITY_IDLE);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(job->preparing, SD_EVENT_ON);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- life */

int job_new(JobServices *services, Watcher *client, JobInput *input, ReplyError *ret_why) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->services = services;
        job->uid = client->uid;
        LIST_INIT(&job->watches);
        TAILQ_INSERT_TAIL(&services->jobs, job, jobs);
        r = job_modules_init(&job->modules, input, ret_why);
        if (r)
                return r > 0 ? (int)JOB_E_BAD : error_trace(r);
        r = watch_new(job, &job->watches, client, input->request->id, &job->submitter);
        if (r)
                return error_trace(r);
        if (input->request->run) {
                r = job_record_new(services->history, job->uid, job->modules.sides[0].wants.name, time_realtime_ns(),
                                &job->record);
                if (r)
                        return error_trace(r);
        }
        r = job_start_preparing(job);
        if (r)
                return error_trace(r);
        job->request = take_pointer(input->request);
        take_pointer(job);
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;
        job_over(job);
        TAILQ_REMOVE(&job->services->jobs, job, jobs);
        queue_remove(&job->services->queue, &job->place);
        for (size_t i = 0; i < job->modules.n; i++)
                if (job->modules.sides[i].ticket != 0)
                        (void)launch_link_close_ticket(job->services->link, job->modules.sides[i].ticket);
        job_modules_clear(&job->modules);
        measurement_free(job->measurement);
        module_store_draft_free(job->draft);
        job_record_free(job->record);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        free(job);
        return NULL;
}

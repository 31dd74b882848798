/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-processes.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/history/sealed-module.h"
#include "front/jobs/inspections.h"
#include "front/jobs/job-end.h"
#include "front/jobs/job-measuring.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/job.h"
#include "front/jobs/plan-refusal.h"
#include "front/jobs/spawn.h"
#include "front/report/clock-report.h"
#include "front/report/inspection.h"
#include "front/samples/measurement.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

static void job_on_process(void *userdata, OpsPacket *packet);

/* ---- questions to the launcher, one at a time */

int job_processes_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer) {
        int r;

        r = launch_link_ask(job->services->link, record, fds, n_fds, answer, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

/* Asks for the process that the job needs next: the one that lists or inspects, or the next one of the plan. */
static int job_ask_process(Job *job) {
        const JobSide *sides = job->modules.sides;
        const Config *config = job->services->config;
        const SpawnJob spawn = {
                .tickets = { sides[0].ticket, sides[1].ticket },
                .run = job->request->run,
                .timeout_max_ns = config->timeout_max_s * NS_PER_S,
                .memory_max_bytes = config->memory_max_bytes,
                .tasks_max = config->tasks_max,
                .address_space_max_bytes = config->address_space_max_bytes,
                .listing_timeout_ns = config->listing_timeout_s * NS_PER_S,
                .module_names = { sides[0].wants.name, sides[1].wants.name },
                .library_names = { sides[0].wants.library_names, sides[1].wants.library_names },
                .n_libraries = { sides[0].wants.n_libraries, sides[1].wants.n_libraries },
                .n_preloaded = { sides[0].wants.n_preloaded, sides[1].wants.n_preloaded },
                .environment = sides[0].wants.environment,
                .n_environment = sides[0].wants.n_environment,
                .after_others = job->place.interrupted && job->place.turn_core_ns == 0,
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
        return error_trace(job_processes_ask(job, &record, NULL, 0, job_on_process));
}

/* A later turn leaves the cores to those before it, or a job that needs several would never have them. */
static bool job_is_preceded(const Job *job) {
        const Job *other;

        TAILQ_FOREACH(other, &job->services->jobs, jobs) {
                if (other->state == JOB_MEASURING && other->process == 0 && other->place.turn < job->place.turn)
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
                job_end_failed(job, r);
}

void job_processes_retry(JobServices *services) {
        Job *job;

        services->examinations_refused = false;
        TAILQ_FOREACH(job, &services->jobs, jobs) {
                if (job->waits_for_place)
                        job_spawn(job);
        }
}

/* ---- listing and inspecting, a process each */

/* The next module is to be listed or inspected: the job waits for a place among the processes that do so. */
static void job_examine(Job *job) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };
        int r;

        r = queue_add(&job->services->examinations, &job->examination, &comer, time_monotonic_ns());
        if (r)
                job_end_failed(job, r);
}

void job_processes_examine(Job *job) {
        job_spawn(job);
}

/* The launcher has no place. One that lists or inspects goes back to its line, so that the next place is handed round anew. */
static void job_find_no_place(Job *job) {
        if (!job->examination.has_turn) {
                job->waits_for_place = true;
                return;
        }
        job->services->examinations_refused = true;
        queue_yield(&job->services->examinations, &job->examination);
}

/* ---- measuring, turn by turn */

static void job_measure_next(Job *job) {
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__MEASURING);
        job_spawn(job);
}

/* Sends the complete benchmarks, then goes on with the next process, yields, or ends. */
static void job_next(Job *job) {
        int r;

        job->next = measurement_next(job->measurement);
        if (!job->next) {
                job_end_result(job, false);
                return;
        }
        r = job_reply_benchmarks(job, false);
        if (r < 0) {
                job_end_failed(job, r);
                return;
        }
        job_measuring_expect(job);
        if (!queue_turn_is_over(&job->place)) {
                job_measure_next(job);
                return;
        }
        job->state = JOB_PAUSED;
        job->paused_at_ns = time_monotonic_ns();
        queue_yield(&job->services->queue, &job->place);
}

static void job_resume(Job *job) {
        job->state = JOB_MEASURING;
        if (job->place.interrupted) {
                job->turns++;
                job->waited_ns += time_monotonic_ns() - job->paused_at_ns;
        }
        job_measure_next(job);
}

void job_processes_turn(Job *job) {
        if (job->state == JOB_PAUSED) {
                job_resume(job);
                return;
        }
        job->state = JOB_MEASURING;
        job_measuring_begin(job, time_realtime_ns());
        job_next(job);
}

const ClockFacts *job_processes_clock(const JobServices *services, int cpu) {
        return services->machine ? clock_report_facts(services->machine, cpu) : NULL;
}

static void job_enqueue(Job *job) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };
        int r;

        r = queue_add(&job->services->queue, &job->place, &comer, time_monotonic_ns());
        if (r) {
                job_end_failed(job, r);
                return;
        }
        job->state = JOB_QUEUED;
        job_measuring_expect(job);
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

/* ---- inspecting */

/* A run takes what an earlier one learnt of a file. */
static void job_inspect_next(Job *job) {
        JobModules *modules = &job->modules;

        while (job->request->run && modules->at < modules->n) {
                JobSide *side = &modules->sides[modules->at];

                side->inspected = inspections_find(&job->services->inspections, job->uid,
                                sealed_module_sha256(side->module, 0));
                if (!side->inspected)
                        break;
                modules->at++;
        }
        if (modules->at < modules->n)
                job_examine(job);
        else
                job_enqueue(job);
}

static void job_inspect(Job *job) {
        job->state = JOB_INSPECTING;
        job->modules.at = 0;
        job_inspect_next(job);
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
                if (side->inspected)
                        inspections_keep(&job->services->inspections, job->uid, sealed_module_sha256(side->module, 0),
                                        side->inspected);
                job->modules.at++;
                job_inspect_next(job);
                return;
        }
        if (end) {
                inspection_explain_end(side->wants.name, own, end, &why);
                job_end_error(job, &why);
                return;
        }
        r = job_reply_inspection(job, own);
        if (r)
                job_end_failed(job, r);
        else
                job_end_over(job);
}

/* ---- choosing */

/* The filters are matched. A run is planned before its files are inspected: refused sooner, and its listings, which are large, are freed. */
static void job_chosen_of_run(Job *job) {
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_PLANNING, job->uid);
        r = job_measuring_plan(job);
        if (r > 0) {
                plan_refusal_explain(r, &job->modules, job->request->run, &why);
                job_end_error(job, &why);
        } else if (r < 0) {
                job_end_failed(job, r);
        } else {
                job_modules_note_listings(&job->modules);
                job_inspect(job);
        }
}

static void job_chosen_of_list(Job *job) {
        const JobSide *side = &job->modules.sides[0];
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_LISTING, job->uid);
        r = job_reply_listing(job, side->listing);
        if (r == JOB_REPLY_E_NO_MATCH) {
                plan_refusal_explain_no_match(side, &why);
                job_end_error(job, &why);
        } else if (r) {
                job_end_failed(job, r);
        } else {
                job_end_over(job);
        }
}

static int job_on_choose(sd_event_source *source, uint64_t usec, void *userdata) {
        Job *job = userdata;
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_CHOOSING, job->uid);
        r = job_modules_choose(&job->modules, job->request->run);
        if (r == JOB_MODULES_E_MORE) {
                r = slices_again(source, job_priority(job));
                if (r == 0)
                        return 0;
        }
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r == JOB_MODULES_E_TOO_MUCH) {
                plan_refusal_explain_too_much(&job->modules, &why);
                job_end_error(job, &why);
        } else if (r) {
                job_end_failed(job, r);
        } else if (job->request->run) {
                job_chosen_of_run(job);
        } else {
                job_chosen_of_list(job);
        }
        return 0;
}

/* ---- listing */

/* The ways out of a module that cannot be listed for what it is made of, by words of its end. */
static void listing_hint(const char *message, ReplyError *why) {
        static const struct {
                const char *words;
                const char *hint;
        } rows[] = {
                { "undefined symbol",
                                "Name the source, object or archive that defines it too ('benchctl run bench.c impl.c'), "
                                "or link its library (LDLIBS=-lNAME)." },
                { "is there twice, by", "--separate makes a module of its own of each source." },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (strstr(message, rows[i].words))
                        reply_error_hint(why, "%s", rows[i].hint);
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
                listing_hint(end->message, &why);
                reply_error_output(&why, output->text, output->n);
                job_end_error(job, &why);
        } else if (++job->modules.at < job->modules.n) {
                job_examine(job);
        } else {
                job->modules.at = 0;
                r = slices_start(job->services->event, job_priority(job), job_on_choose, job, &job->preparing);
                if (r)
                        job_end_failed(job, r);
        }
}

/* ---- a process */

static void job_started(Job *job, const OpsStarted *started) {
        job->process = started->process;
        job->cpus = started->cpus;
        queue_note_begun(&job->place, time_monotonic_ns());
        if (job_end_has_begun(job))
                (void)launch_link_kill(job->services->link, job->process);
        job_processes_retry(job->services); /* the jobs that it preceded */
}

static TurnKind job_turn_of(RunnerMode mode) {
        return mode == RUNNER_MODE_LIST ? TURN_LISTING : mode == RUNNER_MODE_INSPECT ? TURN_INSPECTION : TURN_SAMPLES;
}

/* The descriptors of its block and output did not arrive. Other jobs go on. */
static void job_end_without_room(Job *job) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__BUSY,
                        "The daemon has as many files open as it may, so what a process measured could not be taken.");
        reply_error_hint(&why, "Try again when other jobs have ended.");
        job_end_error(job, &why);
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
        uint32_t side;
        ReplyError why;
        int r;

        turns_note(job->services->turns, job_turn_of(job->mode), job->uid);
        if (packet->n_fds == 0) {
                job_end_without_room(job);
                return;
        }
        r = runner_block_read(packet->fds[0], job->mode, job->modules.n, &block);
        if (r == 0)
                r = runner_block_read_output(packet->fds[1], &output);
        if (r) {
                job_end_failed(job, r);
                return;
        }
        side = runner_block_side(block, job->mode, job->modules.n, ended);
        end = process_end_judge(ended, runner_block_head(block, side), &output, job->mode, job->timeout_ns, &other)
                              ? NULL
                              : &other;
        if (end && job->mode == RUNNER_MODE_RUN && job->modules.n > 1)
                process_end_name_side(&other, ended, side);
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
                r = job_measuring_note(job, job_processes_clock(job->services, ended->cpu), ended, block, &output, end,
                                &why);
        if (r > 0)
                job_end_error(job, &why);
        else if (r)
                job_end_failed(job, r);
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
        if (packet->record.kind == OPS_ENDED) {
                queue_remove(&job->services->examinations, &job->examination);
                queue_note_ended(&job->services->queue, &job->place,
                                packet->record.ended.elapsed_ns * CPU_COUNT(&job->cpus), time_monotonic_ns());
                job_processes_retry(job->services);
        }
        if (job_end_has_begun(job))
                return;
        if (packet->record.kind == OPS_ENDED)
                job_ended(job, packet);
        else if (packet->record.refused.reason == OPS_REFUSAL_BUSY)
                job_find_no_place(job);
        else
                job_end_refused(job, &packet->record.refused);
}

/* ---- beginning */

void job_processes_begin(Job *job) {
        if (job->request->inspect) {
                job_inspect(job);
                return;
        }
        job->state = JOB_LISTING;
        job->modules.at = 0;
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_examine(job);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-reply.h"

#include <string.h>

#include "front/base/arena.h"
#include "front/base/log.h"
#include "front/base/message.h"
#include "front/history/job-record.h"
#include "front/history/module-recall.h"
#include "front/history/sealed-module.h"
#include "front/jobs/job.h"
#include "front/jobs/standing.h"
#include "front/report/code-findings.h"
#include "front/report/comparison-report.h"
#include "front/report/file-findings.h"
#include "front/report/inspection.h"
#include "front/report/listing.h"
#include "front/report/result.h"
#include "front/samples/measurement.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

#define JOB_REPLY_BENCHMARKS 16u /* of one turn, but one with its samples */

static void job_log(const Job *job, LogMessage message, const char *detail) {
        if (job->record && job->record->accepted)
                log_say(message, &(LogSubject){ .job = job->record->run_id, .uid = job->uid }, "%s", detail);
}

/* ---- progress */

/* Tells how far it is: @one, or with NULL all. */
static void job_tell_stage(Job *job, Benchd__Progress__Stage stage, const Watch *one) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Progress progress = BENCHD__PROGRESS__INIT;
        const uint64_t now_ns = time_monotonic_ns();

        if (!job->request->run || (!one && LIST_EMPTY(&job->watches)) || arena_new(&arena))
                return;
        message_set(&progress, stage, stage);
        if (stage == BENCHD__PROGRESS__STAGE__QUEUED) {
                progress.standing = standing_of_job(job, now_ns, arena);
                message_set(&progress, queue_position, standing_position(job, now_ns));
        }
        if (stage != BENCHD__PROGRESS__STAGE__LOADING) {
                measurement_fill_progress(job->measurement, arena, &progress);
                message_set(&progress, users, queue_count_users(&job->services->queue));
        }
        reply.progress = &progress;
        if (one)
                watch_tell(one, &reply);
        else
                watches_tell(&job->watches, &reply);
}

void job_reply_stage(Job *job, Benchd__Progress__Stage stage) {
        job_tell_stage(job, stage, NULL);
}

/* ---- acceptance */

static void accepted_fill(Benchd__Accepted *accepted, const JobRecord *record) {
        accepted->run_id = (char *)record->run_id;
        message_set(accepted, stored, job_record_is_stored(record));
}

void job_reply_accepted(Job *job) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;
        const bool detach = job->request->run->has_detach && job->request->run->detach;

        job_record_accept(job->record, job->modules.sides[0].module);
        accepted_fill(&accepted, job->record);
        reply.accepted = &accepted;
        job_log(job, LOG_JOB_ACCEPTED, job->record->module_name);
        if (!detach) {
                watches_tell(&job->watches, &reply);
        } else {
                watches_end(&job->watches, job->record, &reply);
                job->submitter = NULL;
        }
}

/* A request that comes later is told how far the job is. */
static void job_tell_standing(Job *job, const Watch *watch) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;

        accepted_fill(&accepted, job->record);
        reply.accepted = &accepted;
        watch_tell(watch, &reply);
        if (job->state == JOB_LISTING || job->state == JOB_INSPECTING)
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__LOADING, watch);
        else if (queue_is_waiting(&job->place))
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__QUEUED, watch);
        else
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__MEASURING, watch);
}

int job_reply_follow(Job *job, Watcher *client, uint64_t id) {
        Watch *watch;
        int r;

        r = watch_new(job, &job->watches, client, id, &watch);
        if (r)
                return error_trace(r);
        watch->waits = true;
        job_tell_standing(job, watch);
        return 0;
}

/* ---- ends */

void job_reply_error(Job *job, const ReplyError *why) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;

        if (arena_new(&arena))
                return;
        reply_error_fill_error(why, arena, &error);
        reply.error = &error;
        if (job->record)
                (void)job_record_end_error(job->record, &error, time_realtime_ns());
        job_log(job, LOG_JOB_ENDED, why->message);
        watches_end(&job->watches, job->record, &reply);
}

int job_reply_listing(Job *job, const ListingBlock *block) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = listing_build(arena, block, job->modules.sides[0].chosen, &reply.listing);
        if (r)
                return error_trace(r);
        if (reply.listing->n_benchmarks == 0)
                return JOB_REPLY_E_NO_MATCH;
        watches_end(&job->watches, job->record, &reply);
        return 0;
}

int job_reply_inspection(Job *job, const InspectionBlock *block) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        const Benchd__InspectRequest *request = job->request->inspect;
        const JobSide *side = &job->modules.sides[0];
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = inspection_build(arena, block, request, &reply.inspection);
        if (r)
                return error_trace(r);
        reply.inspection->module->name = arena_text(arena, side->wants.name);
        reply.inspection->module->sha256 = arena_text(arena, sealed_module_sha256(side->module, 0));
        r = arena_check(arena);
        if (r)
                return error_trace(r);
        watches_end(&job->watches, job->record, &reply);
        return 0;
}

static ResultModule result_module(const JobSide *side) {
        return (ResultModule){
                .wants = &side->wants,
                .stored = side->module,
                .compiler = side->compiler,
                .optimized = side->optimized,
                .inspected = side->inspected,
                .earlier = side->recall ? module_recall_earlier(side->recall) : NULL,
        };
}

int job_reply_result(Job *job, bool cancelled) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        const JobServices *services = job->services;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        ResultFacts facts = {
                .run = job->request->run,
                .run_id = job->record->run_id,
                .measurement = job->measurement,
                .modules = { result_module(&job->modules.sides[0]), result_module(&job->modules.sides[1]) },
                .n_modules = job->modules.n,
                .input_names = job->request->run->input_names,
                .inputs = job->modules.inputs,
                .seed = job->seed,
                .started_at_unix_ns = job->started_at_unix_ns,
                .cancelled = cancelled,
                .turns = job->turns,
                .waited_ns = job->waited_ns,
                .machine = &job->controls,
                .image_states = job->controls.image_states,
                .shared_cpu = machine_controls_shared_cpu(&job->controls, services->machine),
        };
        int r;

        r = arena_new(&arena);
        if (r)
                return error_trace(r);
        job->controls.directory = job->request->run->directory;
        job->controls.seen = job->request->run->seen;
        job->controls.n_seen = job->request->run->n_seen;
        facts.environment = environment_build(arena, services->host, services->machine, &job->controls, job->load);
        if (!facts.environment)
                return error_origin(-ENOMEM);
        message_set_finite(facts.environment, memory_stall, job->memory_stall);
        r = result_build(arena, &facts, &reply.result);
        if (r)
                return error_trace(r);
        r = job_record_end_result(job->record, arena, reply.result, cancelled, time_realtime_ns());
        if (r)
                return error_trace(r);
        job_log(job, LOG_JOB_ENDED, cancelled ? "cancelled" : "with a result");
        watches_end(&job->watches, job->record, &reply);
        return 0;
}

/* Adds to a measured benchmark the findings in its machine code and of its files. */
static int job_add_findings(const Job *job, Arena *arena, Benchd__BenchmarkResult *result) {
        const bool of_old = result->side && strcmp(result->side, "old") == 0;
        const InspectionBlock *block = job->modules.sides[of_old ? 1 : 0].inspected;

        int r = 0;

        if (result->failed)
                return 0;
        if (block)
                r = code_findings_add(arena, block, result);
        if (r == 0)
                r = file_findings_add(arena, block, result);
        return error_trace(r);
}

/* Sends the result of the next benchmark. Returns 0 where there is none, E_MORE, or a negative errno. */
static int job_reply_benchmark(Job *job, bool partial) {
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
        r = job_add_findings(job, arena, reply.benchmark);
        if (r)
                return error_trace(r);
        r = job_record_add(job->record, reply.benchmark);
        if (r)
                return error_trace(r);
        watches_tell_benchmark(&job->watches, job->record, &reply);
        return JOB_REPLY_E_MORE;
}

int job_reply_benchmarks(Job *job, bool partial) {
        const size_t n = measurement_plan(job->measurement)->keeps ? 1 : JOB_REPLY_BENCHMARKS;
        int r = JOB_REPLY_E_MORE;

        for (size_t i = 0; r == JOB_REPLY_E_MORE && i < n; i++)
                r = job_reply_benchmark(job, partial);
        return r;
}

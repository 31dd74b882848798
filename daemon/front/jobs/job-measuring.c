/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-measuring.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/random.h>

#include "front/base/config.h"
#include "front/base/share.h"
#include "front/history/job-record.h"
#include "front/jobs/job.h"
#include "front/samples/measurement.h"
#include "front/samples/runner-block.h"
#include "util/cleanup.h"
#include "util/error.h"

static int job_measuring_draw_seed(Job *job) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        job->seed = job->request->run->has_seed ? job->request->run->seed : drawn >> 11;
        return 0;
}

int job_measuring_plan(Job *job) {
        const ListingBlock *listing = job->modules.sides[0].listing, *old = job->modules.sides[1].listing;
        _cleanup_(plan_freep) RunPlan *plan = NULL;
        const OpsMachine *machine = job->services->machine;
        const PlanInput input = {
                .listing = listing,
                .old = old,
                .cpus_max = machine ? machine->threads_max : 0,
                .chosen = job->modules.sides[0].chosen,
                .old_chosen = job->modules.sides[1].chosen,
        };
        int r;

        r = job_measuring_draw_seed(job);
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

void job_measuring_begin(Job *job, uint64_t now_unix_ns) {
        job->turns = 1;
        job->started_at_unix_ns = now_unix_ns;
        job->load = environment_read_load(job->services->root);
        job->memory_stall = environment_read_memory_stall(job->services->root);
        job_record_note_running(job->record);
}

void job_measuring_expect(Job *job) {
        const MeasurementCount count = measurement_count(job->measurement);
        const size_t left = count.processes - count.processes_done;
        const PlanProcess *next = measurement_next(job->measurement);

        queue_expect(&job->place, left > 0 ? count.left_ns / left : 0, count.left_ns,
                        next ? job->plan->benchmarks[next->benchmark].threads : 1);
}

/* Takes as much of its user's share as the samples need now. */
static int job_measuring_hold(Job *job, ReplyError *ret_why) {
        const Config *config = job->services->config;
        const char *name;
        uint64_t most;
        int r;

        r = share_change(&job->samples, measurement_sample_bytes(job->measurement));
        if (r == 0)
                return 0;
        name = r == SHARE_E_USER_FULL ? "samples_per_user" : "samples";
        most = r == SHARE_E_USER_FULL ? config->samples_per_user_bytes : config->samples_bytes;
        reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                        "The samples of %s take more memory than they may: memory.%s= of benchd.conf is %" PRIu64
                        " MiB.",
                        r == SHARE_E_USER_FULL ? "this user's runs" : "all runs", name, most >> 20);
        reply_error_hint(ret_why, "Take fewer samples (--samples, --processes), or run fewer at a time.");
        return JOB_MEASURING_E_FULL;
}

int job_measuring_note(Job *job, const ClockFacts *clock, const OpsEnded *ended, const SampleBlock *blocks,
                const ModuleOutput *output, const ProcessEnd *end, ReplyError *ret_why) {
        int r;

        if (!clock)
                return error_origin(-ENODATA);
        if (!end) {
                machine_controls_add(&job->controls, ended, blocks);
                for (uint32_t i = 0; i < job->modules.n; i++)
                        machine_controls_add_image(&job->controls, i, &blocks[i]);
        }
        measurement_note_elapsed(job->measurement, ended->elapsed_ns);
        r = end ? measurement_note_failed(job->measurement, end, output)
                : measurement_note_complete(job->measurement, blocks, clock, output);
        return r ? error_trace(r) : job_measuring_hold(job, ret_why);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "front/daemon.h"
#include "front/jobs/job.h"
#include "front/samples/measurement.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/error.h"

/* ---- planned */

static int job_draw_seed(Job *job) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        job->seed = job->request->run->has_seed ? job->request->run->seed : drawn >> 11;
        return 0;
}

int job_measurement_plan(Job *job) {
        const ListingBlock *block = job->sides[0].listing;
        const PlanInput input = {
                .listing = block,
                .old = job->sides[1].listing,
                .threads_max = job->daemon->machine.threads_max,
        };
        _cleanup_(plan_freep) RunPlan *plan = NULL;
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
        take_pointer(plan);
        memcpy(job->compiler, block->compiler, sizeof job->compiler);
        job->optimized = block->optimized != 0;
        return 0;
}

/* ---- told */

/* What it could not count is no failure of the benchmark, which was measured. */
static int job_note_count(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) MemoryBlock *block = NULL;
        ProcessEnd ending;
        int r;

        r = runner_block_read_memory(packet->fds[0], &block);
        if (r)
                return error_trace(r);
        if (process_end_judge(&packet->record.ended, block ? &block->head : NULL, job->timeout_ns, &ending))
                return error_trace(measurement_note_memory(job->measurement, block, NULL));
        return error_trace(measurement_note_memory(job->measurement, NULL, &ending));
}

static int job_note_process(Job *job, const OpsPacket *packet) {
        _cleanup_(freep) SampleBlock *blocks = NULL;
        const ClockFacts *clock = daemon_clock(job->daemon, packet->record.ended.cpu);
        ModuleOutput output = {};
        ProcessEnd ending;
        int r;

        if (!clock)
                return error_origin(-ENODATA);
        r = runner_block_read_samples(packet->fds[0], job->n_sides, &blocks);
        if (r)
                return error_trace(r);
        r = runner_block_read_output(packet->fds[1], &output);
        if (r)
                return error_trace(r);
        measurement_note_elapsed(job->measurement, packet->record.ended.elapsed_ns);

        if (!process_end_judge(&packet->record.ended, blocks ? &blocks->head : NULL, job->timeout_ns, &ending))
                return error_trace(measurement_note_failed(job->measurement, &ending, &output));
        machine_controls_add(&job->controls, &packet->record.ended, blocks);
        for (uint32_t i = 0; i < job->n_sides; i++)
                machine_controls_add_image(&job->controls, i, &blocks[i]);
        return error_trace(measurement_note_complete(job->measurement, blocks, clock, &output));
}

int job_measurement_note(Job *job, const OpsPacket *packet) {
        return measurement_next(job->measurement)->counts ? job_note_count(job, packet) : job_note_process(job, packet);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-runner: one process of a plan. benchd-launch starts it with everything it needs in descriptors (ops/plan.h);
 * it takes no arguments, links libc only and exports nothing, since a library in it would shadow the module's own.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ops/sample-block.h"
#include "runner/calibrate.h"
#include "runner/conduct.h"
#include "runner/confine.h"
#include "runner/listing.h"
#include "runner/measure.h"
#include "runner/memory.h"
#include "runner/module.h"
#include "runner/report.h"
#include "util/fd.h"

static bool runner_read_plan(RunnerPlan *ret_plan) {
        size_t n;

        return fd_read_start(RUNNER_FD_PLAN, ret_plan, sizeof *ret_plan, &n) == 0 && n == sizeof *ret_plan &&
               runner_plan_check(ret_plan) == 0;
}

static BlockHead *runner_map_block(RunnerMode mode) {
        int populate = mode == RUNNER_MODE_RUN ? MAP_POPULATE : 0; /* no page of it is faulted beside a sample */
        void *block;

        block = mmap(NULL, block_size(mode), PROT_READ | PROT_WRITE, MAP_SHARED | populate, RUNNER_FD_BLOCK, 0);
        return block == MAP_FAILED ? NULL : block;
}

static void runner_set_environment(const RunnerPlan *plan) {
        for (const char *assignment = plan->environment; *assignment; assignment += strlen(assignment) + 1)
                putenv((char *)assignment);
}

static void runner_run(const RunnerPlan *plan, const Module *module, Conduct *conduct, BlockHead *head) {
        const struct bench_descriptor *descriptor;

        descriptor = module_find(module, plan->area, plan->benchmark, head);
        if (!descriptor)
                return;
        if (plan->mode == RUNNER_MODE_MEMORY)
                memory_run(plan, descriptor, RUNNER_FD_MODULE, (MemoryBlock *)head);
        else
                measure_run(plan, descriptor, conduct, (SampleBlock *)head);
}

static void runner_do(const RunnerPlan *plan, BlockHead *head) {
        Conduct conduct;
        Module module;

        if (plan->mode == RUNNER_MODE_CALIBRATE) {
                calibrate_run(plan, (CalibrationBlock *)head);
                return;
        }

        report_phase(head, RUNNER_PHASE_LOADING);
        report_watch_exit(head);
        if (plan->mode == RUNNER_MODE_MEMORY)
                memory_prepare();
        runner_set_environment(plan);
        conduct_begin(&conduct);
        if (!module_load(RUNNER_FD_MODULE, plan->n_libraries, head, &module))
                return;
        if (plan->mode == RUNNER_MODE_LIST)
                listing_run(&module, (ListingBlock *)head);
        else
                runner_run(plan, &module, &conduct, head);
}

int main(void) {
        static RunnerPlan plan;
        BlockHead *head = NULL;
        const char *step;

        if (runner_read_plan(&plan))
                head = runner_map_block(plan.mode);
        if (!head) {
                dprintf(STDERR_FILENO,
                                "benchd-runner is started by benchd-launch, with a plan. Type benchctl instead.\n");
                return 2;
        }
        head->magic = SAMPLE_BLOCK_MAGIC;
        head->version = SAMPLE_BLOCK_VERSION;

        if (confine(&plan, &step))
                runner_do(&plan, head);
        else
                report_end(head, RUNNER_END_CONFINE, "%s", step);

        report_phase(head, RUNNER_PHASE_DONE);
        fflush(NULL);
        _exit(0);
}

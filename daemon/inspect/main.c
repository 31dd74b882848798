/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-inspect: reads the file of one module and reports what it has. benchd-launch starts it like a runner, with a plan, a module
 * and a block in descriptors (ops/runner-plan.h). Libraries that parse untrusted files have bugs, so it gives up all rights first, and
 * its block is not trusted. It loads and executes nothing of the module.
 */

#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "inspect/inspect.h"
#include "ops/build.h"
#include "ops/confine.h"
#include "util/fd.h"

static bool read_plan(RunnerPlan *ret_plan) {
        size_t n;

        return fd_read_start(RUNNER_FD_PLAN, ret_plan, sizeof *ret_plan, &n) == 0 && n == sizeof *ret_plan &&
               runner_plan_check(ret_plan) == 0 && ret_plan->mode == RUNNER_MODE_INSPECT;
}

static InspectionBlock *map_block(void) {
        void *block = mmap(NULL, sizeof(InspectionBlock), PROT_READ | PROT_WRITE, MAP_SHARED, RUNNER_FD_BLOCK, 0);

        return block == MAP_FAILED ? NULL : block;
}

int main(void) {
        static RunnerPlan plan;
        InspectionBlock *block = NULL;
        const char *step;

        (void)prctl(PR_SET_NAME, "benchd-inspect");
        if (read_plan(&plan))
                block = map_block();
        if (!block) {
                dprintf(STDERR_FILENO,
                                "benchd-inspect %s is started by benchd-launch, with a plan of this build. Type benchctl instead.\n",
                                build_text());
                return 2;
        }
        block->head.magic = SAMPLE_BLOCK_MAGIC;
        block->head.version = SAMPLE_BLOCK_VERSION;
        if (confine(&plan, &step)) {
                block->head.phase = RUNNER_PHASE_LOADING;
                inspect_module(RUNNER_FD_MODULE, plan.sides[0].area, plan.sides[0].benchmark, block);
        } else {
                snprintf(block->head.message, sizeof block->head.message, "%s", step);
                block->head.end = RUNNER_END_CONFINE;
        }
        block->head.phase = RUNNER_PHASE_DONE;
        _exit(0);
}

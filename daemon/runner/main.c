/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-runner: one process of a plan. benchd-launch starts it with everything it needs in descriptors (ops/runner-plan.h); it links only
 * libc and exports nothing, since a library in it would shadow the module's own. Without a launcher (benchctl run --here) it has arguments
 * and no descriptors (runner/here.h).
 *
 * It starts twice (runner/load/start.h). The first start gives up its rights and lays the files out; the second one is the process of the
 * module, from before its first constructor.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ops/block.h"
#include "ops/build.h"
#include "ops/confine.h"
#include "runner/here.h"
#include "runner/load/instrument.h"
#include "runner/load/listing.h"
#include "runner/load/module-files.h"
#include "runner/load/module.h"
#include "runner/load/own-calls.h"
#include "runner/load/own-descriptors.h"
#include "runner/load/start.h"
#include "runner/time/calibrate.h"
#include "runner/time/context.h"
#include "runner/time/follow.h"
#include "runner/time/inputs.h"
#include "runner/time/measure.h"
#include "runner/time/memory.h"
#include "runner/watch/conduct.h"
#include "runner/watch/crash.h"
#include "runner/watch/report.h"
#include "util/fd.h"

#define RUNNER_LOGIC_BYTES   (256u << 10) /* for everything but the module's code */
#define RUNNER_VARIABLES_MAX 2048u        /* of a plan's environment, of two bytes each */

/* The state of this process, in either start. */
static struct {
        RunnerPlan plan;
        uint32_t side; /* of the plan, whose module this process loads */
        ModuleFiles files;
        BlockHead *block; /* of the plan */
        BlockHead *head;  /* of this process */
        Conduct conduct;
        const char *module_path; /* opened by the loader */
} runner;

static SampleBlock *runner_samples(void) {
        return (SampleBlock *)runner.head;
}

/* ---- both starts */

static bool runner_read_plan(RunnerPlan *ret_plan) {
        size_t n;

        return fd_read_start(RUNNER_FD_PLAN, ret_plan, sizeof *ret_plan, &n) == 0 && n == sizeof *ret_plan &&
               runner_plan_check(ret_plan) == 0;
}

/* The second start, which takes samples, faults all pages in at once, so that none is faulted beside a sample. */
static BlockHead *runner_map_block(const RunnerPlan *plan, bool started) {
        int populate = plan->mode == RUNNER_MODE_RUN && started ? MAP_POPULATE : 0;
        void *block;

        block = mmap(NULL, block_size(plan), PROT_READ | PROT_WRITE, MAP_SHARED | populate, RUNNER_FD_BLOCK, 0);
        return block == MAP_FAILED ? NULL : block;
}

/* Reads the plan, and finds the files and the block of side @side. */
static bool runner_open(uint32_t side, bool started) {
        (void)prctl(PR_SET_NAME, "benchd-runner"); /* a program that is executed by descriptor is named by the number */
        if (!runner_read_plan(&runner.plan) || side >= runner.plan.n_sides)
                return false;
        runner.side = side;
        runner.block = runner_map_block(&runner.plan, started);
        if (!runner.block)
                return false;
        runner.head = runner.plan.mode == RUNNER_MODE_RUN ? &((SampleBlock *)runner.block)[side].head : runner.block;
        module_files_find(&runner.plan, side, &runner.files);
        return true;
}

/* ---- the first start */

/* Searches the original files: the copy of a moved module has only the loader's symbols. */
static void runner_find_instruments(void) {
        SampleInstruments *told = &runner_samples()->instruments;

        instrument_find_preloaded(told);
        for (uint32_t i = 0; i <= runner.files.n_libraries; i++) /* the module, then its libraries */
                instrument_find_in_file(runner.files.fd + (int)i, told);
}

static size_t runner_assignments(const char *ret_assignments[static RUNNER_VARIABLES_MAX]) {
        size_t n = 0;

        for (const char *at = runner.plan.environment; *at && n < RUNNER_VARIABLES_MAX; at += strlen(at) + 1)
                ret_assignments[n++] = at;
        return n;
}

/* Returns only if that does not work. */
static void runner_start_again(const ModulePaths *paths) {
        static const char *assignments[RUNNER_VARIABLES_MAX];
        char counting[32], side[16], stack[START_LAYOUT_NUMBER_MAX];
        char *arguments[] = { side, stack, (char *)paths->module, NULL };
        Start start = {
                .module_fd = runner.files.fd,
                .module = paths->module,
                .directory = paths->directory,
                .libraries = paths->rows,
                .n_libraries = runner.files.n_libraries,
                .assignments = assignments,
                .n_assignments = runner_assignments(assignments),
                .arguments = arguments,
        };
        int r;

        snprintf(side, sizeof side, "%u", runner.side);
        start_layout_shift_mappings(runner.plan.mapping_offset_pages, stack);
        if (runner.plan.mode == RUNNER_MODE_MEMORY) {
                snprintf(counting, sizeof counting, "/proc/self/fd/%d", RUNNER_FD_COUNT);
                start.counting = counting;
        }
        r = start_again(&start);
        report_end(runner.head, RUNNER_END_INTERNAL, "the second start: %s", strerror(-r));
}

static void runner_load(void) {
        static ModulePaths paths;
        const RunnerPlan *plan = &runner.plan;
        ModulePlace place;

        report_phase(runner.head, RUNNER_PHASE_LOADING);
        if (plan->mode == RUNNER_MODE_RUN)
                runner_find_instruments();
        if (!input_files_link(plan, runner_plan_input_fd(plan), runner.head) ||
                        !module_files_lay_out(plan, runner.side, &runner.files, runner.head, &paths, &place))
                return;
        if (plan->mode == RUNNER_MODE_RUN)
                runner_samples()->n_links = place.n_links;
        if (runner_plan_moves_images(plan)) {
                runner_samples()->image_state = place.state;
                runner_samples()->image_offset_bytes = place.image_offset_bytes;
        }
        runner_start_again(&paths);
}

/* Calibration loads no module, so it needs no second start. */
static void runner_begin(void) {
        const char *step;

        runner.head->magic = SAMPLE_BLOCK_MAGIC;
        runner.head->version = SAMPLE_BLOCK_VERSION;
        if (!confine(&runner.plan, &step))
                report_end(runner.head, RUNNER_END_CONFINE, "%s", step);
        else if (runner.plan.mode == RUNNER_MODE_CALIBRATE)
                calibrate_run(&runner.plan, (CalibrationBlock *)runner.head);
        else
                runner_load();
}

/* ---- the second start */

/*
 * Runs before the first constructor of any library. The exec made the process dumpable; what a constructor does to the process or its
 * thread is detected and reported.
 */
static void runner_prepare(char **arguments) {
        const bool hidden = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; /* first of all */

        if (!runner_open((uint32_t)strtoul(arguments[2], NULL, 10), true))
                _exit(2);
        start_layout_restore(arguments[3]);
        start_layout_shift_heap(runner.plan.heap_offset_pages);
        runner.module_path = arguments[4];
        if (!hidden) {
                report_end(runner.head, RUNNER_END_CONFINE, "PR_SET_DUMPABLE");
                _exit(0);
        }
        report_watch_exit(runner.head);
        own_descriptors_note();
        module_files_tell_crash(&runner.files,
                        &(ModulePlace){ .image_offset_bytes = runner_plan_moves_images(&runner.plan)
                                                                              ? runner_samples()->image_offset_bytes
                                                                              : 0 });
        crash_watch(runner.head);
        if (runner.plan.mode == RUNNER_MODE_MEMORY)
                (void)close(RUNNER_FD_COUNT);
        conduct_begin(RUNNER_FD_STATUS, &runner.conduct);
}

static void runner_preinit(int n, char **arguments, char **environment) {
        own_calls_bind();
        if (n < 5 || strcmp(arguments[1], START_WORD) != 0)
                return;
        start_cut_environment(environment);
        if (strcmp(arguments[2], "--here") == 0)
                here_prepare();
        else
                runner_prepare(arguments);
}

__attribute__((section(".preinit_array"), used)) static void (*const runner_preinit_entry)(int, char **,
                char **) = runner_preinit;

static void runner_run(const Module *module) {
        const RunnerPlan *plan = &runner.plan;
        const RunnerSide *side = &plan->sides[runner.side];
        const struct bench_descriptor *descriptor =
                        plan->options & RUNNER_OPTION_NOTHING
                                        ? measure_empty_descriptor()
                                        : module_find(module, side->area, side->benchmark, runner.head);

        if (!descriptor)
                return;
        if (plan->mode == RUNNER_MODE_MEMORY)
                memory_run(plan, descriptor, runner.files.original_fd, (MemoryBlock *)runner.head);
        else if (runner.side != plan->first_side)
                follow_run(plan, runner.side, descriptor, &runner.conduct, (SampleBlock *)runner.block);
        else
                measure_run(plan, descriptor, &runner.conduct, (SampleBlock *)runner.block);
}

static void runner_do(void *unused) {
        Module module;

        (void)unused;
        if (runner.plan.mode == RUNNER_MODE_RUN)
                instrument_find_variables(&runner_samples()->instruments);
        if (!start_check_preloaded(runner.head) || !module_files_check_preloaded(&runner.files, runner.head))
                return;
        if (!module_adopt(runner.module_path, runner.files.original_fd, runner.head, &module))
                return;
        if (runner.plan.mode == RUNNER_MODE_LIST)
                listing_run(&module, (ListingBlock *)runner.head);
        else
                runner_run(&module);
}

static void runner_go_on(void) {
        if (context_step_aside(RUNNER_LOGIC_BYTES, runner_do, NULL))
                report_end(runner.head, RUNNER_END_INTERNAL, "no memory for a stack");
}

int main(int argc, char **argv) {
        const int here = argc > 2 && strcmp(argv[1], START_WORD) == 0 ? 2 : 1;

        if (argc > here && strcmp(argv[here], "--here") == 0)
                return here_run(argc - here, argv + here);
        if (runner.head) {
                runner_go_on();
        } else if (runner_open(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0, false)) {
                runner_begin();
        } else {
                dprintf(STDERR_FILENO,
                                "benchd-runner %s is started by benchd-launch, with a plan of this build. Type benchctl instead.\n",
                                build_text());
                return 2;
        }
        report_phase(runner.head, RUNNER_PHASE_DONE);
        fflush(NULL);
        _exit(0);
}

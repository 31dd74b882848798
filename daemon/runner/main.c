/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-runner: one process of a plan. benchd-launch starts it with everything it needs in descriptors
 * (ops/runner-plan.h); it takes no arguments, links libc only and exports nothing, since a library in it would shadow
 * the module's own. Without a launcher, by benchctl run --here, it has arguments and no descriptors (runner/here.h).
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/confine.h"
#include "ops/sample-block.h"
#include "runner/calibrate.h"
#include "runner/conduct.h"
#include "runner/crash.h"
#include "runner/here.h"
#include "runner/input-files.h"
#include "runner/instrument.h"
#include "runner/listing.h"
#include "runner/loader.h"
#include "runner/loop-cost.h"
#include "runner/measure.h"
#include "runner/memory.h"
#include "runner/module.h"
#include "runner/own-descriptors.h"
#include "runner/report.h"
#include "runner/unique.h"
#include "util/cleanup.h"
#include "util/fd.h"

static bool runner_read_plan(RunnerPlan *ret_plan) {
        size_t n;

        return fd_read_start(RUNNER_FD_PLAN, ret_plan, sizeof *ret_plan, &n) == 0 && n == sizeof *ret_plan &&
               runner_plan_check(ret_plan) == 0;
}

static BlockHead *runner_map_block(const RunnerPlan *plan) {
        int populate = plan->mode == RUNNER_MODE_RUN ? MAP_POPULATE : 0; /* no page of it is faulted beside a sample */
        void *block;

        block = mmap(NULL, block_size(plan), PROT_READ | PROT_WRITE, MAP_SHARED | populate, RUNNER_FD_BLOCK, 0);
        return block == MAP_FAILED ? NULL : block;
}

static void runner_set_environment(const RunnerPlan *plan) {
        for (const char *assignment = plan->environment; *assignment; assignment += strlen(assignment) + 1)
                putenv((char *)assignment);
}

/* Returns the first descriptor after those of the files. */
static int runner_find_files(const RunnerPlan *plan, ModuleFiles files[static RUNNER_SIDES_MAX]) {
        uint32_t n_libraries = 0;
        int fd = RUNNER_FD_MODULE;

        for (uint32_t i = 0; i < plan->n_sides; i++) {
                files[i] = (ModuleFiles){
                        .fd = fd,
                        .libraries_fd = fd + 1,
                        .n_libraries = plan->sides[i].n_libraries,
                        .library_names = plan->library_names + n_libraries,
                };
                fd += 1 + files[i].n_libraries;
                n_libraries += files[i].n_libraries;
        }
        return fd;
}

/* A crash finds the symbols in the original, @symbols_fd, which lies beside the copy that is loaded in its place. */
static void runner_add_files(const ModuleFiles *files, int symbols_fd, uint32_t image_offset_bytes) {
        crash_add_file(&(CrashFile){
                        .loaded_fd = files->fd,
                        .symbols_fd = symbols_fd,
                        .offset_bytes = image_offset_bytes,
                        .is_module = true,
        });
        for (uint32_t i = 0; i < files->n_libraries; i++)
                crash_add_file(&(CrashFile){ .loaded_fd = files->libraries_fd + i,
                                .symbols_fd = files->libraries_fd + i });
}

/* Puts a copy in the place of the file in @fd, so that a process has no more descriptors for its copies. */
static bool runner_replace(int fd, const ModuleCopyWish *how, BlockHead *head, ModulePlace *ret_place) {
        _cleanup_(fd_closep) int copy = -1;

        copy = module_copy(fd, how, head, ret_place);
        if (copy < 0)
                return false;
        if (dup3(copy, fd, O_CLOEXEC) >= 0)
                return true;
        report_end(head, RUNNER_END_INTERNAL, "dup3");
        return false;
}

/* Maps the libraries of a side as they came. One that cannot be mapped keeps its symbols to itself. */
static void runner_map_libraries(const ModuleFiles *files, UniqueSide *ret_side) {
        *ret_side = (UniqueSide){};
        for (uint32_t i = 0; i < files->n_libraries; i++) {
                struct stat status;
                void *image;

                if (fstat(files->libraries_fd + i, &status) < 0)
                        continue;
                image = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, files->libraries_fd + i, 0);
                if (image != MAP_FAILED)
                        unique_side_add(ret_side, files->library_names[i], image, status.st_size);
        }
}

static void runner_unmap_libraries(const UniqueSide *side) {
        for (uint32_t i = 0; i < side->n; i++)
                munmap(side->libraries[i].image.bytes, side->libraries[i].image.n);
}

/* Puts copies in the place of a side's module and, in a comparison, of its libraries. These stay where they are linked. */
static bool runner_copy_files(const ModuleFiles *files, const ModuleCopyWish *how, BlockHead *head,
                ModulePlace *ret_place) {
        const ModuleCopyWish of_library = { .library = true, .apart = how->apart };
        ModulePlace place;

        if (!runner_replace(files->fd, how, head, ret_place))
                return false;
        for (uint32_t i = 0; how->apart && i < files->n_libraries; i++)
                if (!runner_replace(files->libraries_fd + i, &of_library, head, &place))
                        return false;
        return true;
}

static bool runner_copy_side(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head) {
        UniqueSide libraries = {};
        const ModuleCopyWish how = {
                .apart = plan->n_sides > 1 ? &libraries : NULL,
                .moves = runner_plan_moves_images(plan),
                .image_offset_bytes = plan->sides[side].image_offset_bytes,
        };
        SampleBlock *block = (SampleBlock *)head + side;
        const int original = fcntl(files->fd, F_DUPFD_CLOEXEC, RUNNER_FD_COUNT + 1);
        ModulePlace place;
        bool copied;

        if (how.apart)
                runner_map_libraries(files, &libraries);
        copied = runner_copy_files(files, &how, head, &place);
        runner_unmap_libraries(&libraries);
        if (!copied)
                return false;
        runner_add_files(files, original, place.image_offset_bytes);
        if (how.moves) {
                block->image_state = place.state;
                block->image_offset_bytes = place.image_offset_bytes;
        }
        return true;
}

/* Copies all before any is loaded. */
static bool runner_copy(const RunnerPlan *plan, const ModuleFiles *files, BlockHead *head) {
        for (uint32_t i = 0; i < plan->n_sides; i++)
                if (!runner_copy_side(plan, i, &files[i], head))
                        return false;
        return true;
}

/*
 * Each side's libraries, then each side's module, so that a library that one side brings is not taken for the system's by that name, which
 * the other side needs. The side that takes the first turn is also loaded first: where the heap and the mappings of a second one lie
 * depends on the first, and is to do so for either side as often.
 */
static bool runner_load(const RunnerPlan *plan, BlockHead *head, Module modules[static RUNNER_SIDES_MAX]) {
        Libraries libraries[RUNNER_SIDES_MAX] = {};
        ModuleFiles files[RUNNER_SIDES_MAX];

        if (!input_files_link(plan, runner_find_files(plan, files), head))
                return false;
        if (runner_plan_copies(plan) && !runner_copy(plan, files, head))
                return false;
        for (uint32_t i = 0; i < plan->n_sides && !runner_plan_copies(plan); i++)
                runner_add_files(&files[i], files[i].fd, 0);
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                const uint32_t side = (plan->first_side + i) % plan->n_sides;

                if (!loader_open_libraries(&files[side], head, &libraries[side]))
                        return false;
        }
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                const uint32_t side = (plan->first_side + i) % plan->n_sides;

                if (!module_load(files[side].fd, &libraries[side], head, &modules[side]))
                        return false;
        }
        return plan->n_sides == 1 || loader_check_sides(libraries, head);
}

/* Each side's benchmark; false, with an end in @head, where one is not there. */
static bool runner_find(const RunnerPlan *plan, const Module *modules, BlockHead *head,
                const struct bench_descriptor **ret_descriptors) {
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                const RunnerSide *side = &plan->sides[i];

                if (plan->options & RUNNER_OPTION_NOTHING)
                        ret_descriptors[i] = loop_cost_descriptor();
                else
                        ret_descriptors[i] = module_find(&modules[i], side->area, side->benchmark, head);
                if (!ret_descriptors[i])
                        return false;
        }
        return true;
}

static void runner_run(const RunnerPlan *plan, const Module *modules, Conduct *conduct, BlockHead *head) {
        const struct bench_descriptor *descriptors[RUNNER_SIDES_MAX];

        if (!runner_find(plan, modules, head, descriptors))
                return;
        if (plan->mode == RUNNER_MODE_MEMORY)
                memory_run(plan, descriptors[0], RUNNER_FD_MODULE, (MemoryBlock *)head);
        else
                measure_run(plan, descriptors, conduct, (SampleBlock *)head);
}

/* In the files as they came, before they are loaded. The copy of a moved module has no symbols but the loader's. */
static void runner_find_instruments(const RunnerPlan *plan, BlockHead *head) {
        ModuleFiles files[RUNNER_SIDES_MAX];

        runner_find_files(plan, files);
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                SampleInstruments *told = &((SampleBlock *)head)[i].instruments;

                instrument_find_preloaded(told);
                instrument_find_variables(told);
                for (uint32_t j = 0; j <= files[i].n_libraries; j++) /* the module, then its libraries */
                        instrument_find_in_file(files[i].fd + j, told);
        }
}

static void runner_do(const RunnerPlan *plan, BlockHead *head) {
        Module modules[RUNNER_SIDES_MAX];
        Conduct conduct;

        if (plan->mode == RUNNER_MODE_CALIBRATE) {
                calibrate_run(plan, (CalibrationBlock *)head);
                return;
        }

        report_phase(head, RUNNER_PHASE_LOADING);
        report_watch_exit(head);
        own_descriptors_note();
        crash_watch(head);
        if (plan->mode == RUNNER_MODE_MEMORY)
                memory_prepare();
        runner_set_environment(plan);
        conduct_begin(RUNNER_FD_STATUS, &conduct);
        if (plan->mode == RUNNER_MODE_RUN)
                runner_find_instruments(plan, head);
        if (!runner_load(plan, head, modules))
                return;
        if (plan->mode == RUNNER_MODE_LIST)
                listing_run(&modules[0], (ListingBlock *)head);
        else
                runner_run(plan, modules, &conduct, head);
}

/* The first block's head is the process's: a second one repeats it, at the beginning and at the end. */
static void runner_repeat_head(const RunnerPlan *plan, BlockHead *head) {
        for (uint32_t i = 1; i < plan->n_sides; i++)
                ((SampleBlock *)head)[i].head = *head;
}

int main(int argc, char **argv) {
        static RunnerPlan plan;
        BlockHead *head = NULL;
        const char *step;

        if (argc > 1 && strcmp(argv[1], "--here") == 0)
                return here_run(argc - 1, argv + 1);
        (void)prctl(PR_SET_NAME, "benchd-runner"); /* what is executed by a descriptor is named by its number */
        if (runner_read_plan(&plan))
                head = runner_map_block(&plan);
        if (!head) {
                dprintf(STDERR_FILENO,
                                "benchd-runner is started by benchd-launch, with a plan. Type benchctl instead.\n");
                return 2;
        }
        head->magic = SAMPLE_BLOCK_MAGIC;
        head->version = SAMPLE_BLOCK_VERSION;
        runner_repeat_head(&plan, head);

        if (confine(&plan, &step))
                runner_do(&plan, head);
        else
                report_end(head, RUNNER_END_CONFINE, "%s", step);

        report_phase(head, RUNNER_PHASE_DONE);
        runner_repeat_head(&plan, head);
        fflush(NULL);
        _exit(0);
}

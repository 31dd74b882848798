/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/module-files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/load/image-offset.h"
#include "runner/load/module.h"
#include "runner/watch/crash-place.h"
#include "runner/watch/crash.h"
#include "runner/watch/report.h"
#include "util/file-name.h"
#include "util/module-links.h"

#define FD_PATH "/proc/self/fd/%d"

void module_files_find(const RunnerPlan *plan, uint32_t side, ModuleFiles *ret_files) {
        uint32_t n_before = 0; /* libraries of earlier sides */

        for (uint32_t i = 0; i < side; i++)
                n_before += plan->sides[i].n_libraries;
        *ret_files = (ModuleFiles){
                .fd = RUNNER_FD_MODULE + (int)(side + n_before),
                .libraries_fd = RUNNER_FD_MODULE + (int)(side + n_before) + 1,
                .n_libraries = plan->sides[side].n_libraries,
                .n_preloaded = plan->n_preloaded[side],
                .library_names = plan->library_names + n_before,
                .name = plan->sides[side].module_name,
                .original_fd = RUNNER_FD_ORIGINAL + (int)side,
        };
}

/* ---- copies */

static bool files_report(BlockHead *head, RunnerEnd end, const char *step, int error) {
        report_end(head, end, "%s: %s", step, strerror(-error));
        return false;
}

/* Replaces the file's descriptor by the copy's, so that copies need no further descriptors. */
static bool files_replace(int fd, const ImageCopyWish *wish, BlockHead *head, ImageCopied *ret_copied) {
        const int r = image_copy(fd, wish, ret_copied);

        if (r)
                return files_report(head, RUNNER_END_INTERNAL, "it cannot be copied", r);
        if (ret_copied->fd < 0)
                return true;
        if (dup2(ret_copied->fd, fd) < 0)
                return files_report(head, RUNNER_END_INTERNAL, "dup2", -errno);
        close(ret_copied->fd);
        return true;
}

/* Leaves of the module's file the link that the plan names. */
static bool files_choose_link(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head,
                uint32_t *ret_n_links) {
        ModuleLink link;
        int copy, r;

        r = module_links_find(files->fd, plan->sides[side].link, &link);
        if (r > 0) {
                report_end(head, RUNNER_END_LOAD, "the table of its links does not fit the file");
                return false;
        }
        *ret_n_links = link.n_links;
        if (r == 0 && link.n_links == 1)
                return true;
        if (r == 0)
                r = module_links_extract(files->fd, &link, &copy);
        if (r)
                return files_report(head, RUNNER_END_INTERNAL, "its link cannot be copied", r);
        if (dup2(copy, files->fd) < 0)
                return files_report(head, RUNNER_END_INTERNAL, "dup2", -errno);
        close(copy);
        return true;
}

static bool files_copy(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head,
                ModulePlace *ret_place) {
        ImageCopyWish wish = { .library_names = files->library_names, .n_libraries = files->n_libraries };
        ImageCopied copied;
        uint32_t n_links;

        for (uint32_t i = 0; i < files->n_libraries; i++)
                if (!files_replace(files->libraries_fd + (int)i, &wish, head, &copied))
                        return false;
        if (!files_choose_link(plan, side, files, head, &n_links))
                return false;
        if (dup2(files->fd, files->original_fd) < 0)
                return files_report(head, RUNNER_END_INTERNAL, "dup2", -errno);
        wish.moves = runner_plan_moves_images(plan);
        wish.image_offset_bytes = plan->sides[side].image_offset_bytes;
        if (!files_replace(files->fd, &wish, head, &copied))
                return false;
        *ret_place = (ModulePlace){ .state = copied.state,
                .image_offset_bytes = copied.image_offset_bytes,
                .n_links = n_links };
        return true;
}

/* ---- links */

/* Finds the path of the working directory, if the process's new user may reach it. */
static void directory_find(char ret_path[static RUNNER_PATH_MAX]) {
        struct stat by_path, here;

        if (!getcwd(ret_path, RUNNER_PATH_MAX) || !start_can_list(ret_path) || stat(ret_path, &by_path) < 0 ||
                        stat(".", &here) < 0 || by_path.st_dev != here.st_dev || by_path.st_ino != here.st_ino)
                strcpy(ret_path, "/proc/self/cwd");
}

/*
 * Links @name to @fd and writes the path of the link. Without a usable name, with a file of that name already there, or with no directory to
 * write to, the path is the descriptor's.
 */
static void link_or_descriptor(const char *directory, const char *name, int fd, char ret_path[static RUNNER_PATH_MAX]) {
        if (start_can_list(name) && start_link(name, fd) == 0)
                snprintf(ret_path, RUNNER_PATH_MAX, "%.700s/%.255s", directory, name);
        else
                snprintf(ret_path, RUNNER_PATH_MAX, FD_PATH, fd);
}

/*
 * Checks all libraries, since the loader never opens one that no file needs, and its author should hear of a wrong
 * file.
 */
static bool libraries_are_shared_objects(const ModuleFiles *files, BlockHead *head) {
        for (uint32_t i = 0; i < files->n_libraries; i++) {
                const int fd = files->libraries_fd + (int)i;
                Elf64_Ehdr elf;

                if (pread(fd, &elf, sizeof elf, 0) == sizeof elf && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
                                elf.e_type == ET_DYN)
                        continue;
                report_end(head, RUNNER_END_LIBRARY, "%.255s is not a shared object",
                                file_name_of(files->library_names[i]));
                return false;
        }
        return true;
}

static bool names_are_different(const ModuleFiles *files, BlockHead *head) {
        for (uint32_t i = 0; i < files->n_libraries; i++)
                for (uint32_t k = 0; k < i; k++) {
                        const char *name = file_name_of(files->library_names[i]);

                        if (!*name || strcmp(name, file_name_of(files->library_names[k])) != 0)
                                continue;
                        report_end(head, RUNNER_END_LIBRARY, "two libraries came along as %s", name);
                        return false;
                }
        return true;
}

static void files_link(const ModuleFiles *files, ModulePaths *ret_paths) {
        char directory[RUNNER_PATH_MAX];

        directory_find(directory);
        strcpy(ret_paths->directory, directory);
        for (uint32_t i = 0; i < files->n_libraries; i++) {
                const char *name = file_name_of(files->library_names[i]);

                link_or_descriptor(directory, name, files->libraries_fd + (int)i, ret_paths->libraries[i]);
                ret_paths->rows[i] = (StartLibrary){
                        .needed = name,
                        .path = ret_paths->libraries[i],
                        .preload = i < files->n_preloaded,
                };
        }
        link_or_descriptor(directory, files->name, files->fd, ret_paths->module);
}

bool module_files_lay_out(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head,
                ModulePaths *ret_paths, ModulePlace *ret_place) {
        if (!module_check_elf(files->fd, head) || !libraries_are_shared_objects(files, head) ||
                        !names_are_different(files, head) || !files_copy(plan, side, files, head, ret_place))
                return false;
        files_link(files, ret_paths);
        return true;
}

bool module_files_check_preloaded(const ModuleFiles *files, BlockHead *head) {
        for (uint32_t i = 0; i < files->n_libraries && i < files->n_preloaded; i++) {
                char path[32];

                snprintf(path, sizeof path, FD_PATH, files->libraries_fd + (int)i);
                if (!start_check_library(path, file_name_of(files->library_names[i]), head))
                        return false;
        }
        return true;
}

/* A crash report takes symbols from the original, which is kept beside the loaded copy. */
void module_files_tell_crash(const ModuleFiles *files, const ModulePlace *place) {
        crash_add_file(&(CrashFile){
                        .loaded_fd = files->fd,
                        .symbols_fd = files->original_fd,
                        .offset_bytes = place->image_offset_bytes,
                        .is_module = true,
        });
        for (uint32_t i = 0; i < files->n_libraries; i++)
                crash_add_file(&(CrashFile){ .loaded_fd = files->libraries_fd + (int)i,
                                .symbols_fd = files->libraries_fd + (int)i });
}

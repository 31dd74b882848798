/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-cold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-hook.h"
#include "ctl/ask/exec/exec-trace.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

extern char **environ;

/* ---- found */

static int find_of(const ExecPlan *plan, const ExecCommand *command, ExecPaths *ret_paths) {
        _cleanup_(fd_closep) int in = open(plan->input_path ? plan->input_path : "/dev/null", O_RDONLY | O_CLOEXEC);
        _cleanup_(fd_closep) int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
        const ExecFiles files = { .in = in, .out = out, .err = out };
        char failed[EXEC_WORDS_BYTES], iteration[EXEC_ITERATION_BYTES];
        int r;

        snprintf(iteration, sizeof iteration, "warmup-%u", plan->warmup);
        if (!exec_hook_run(command, EXEC_PREPARE, iteration, false, failed)) {
                complain("%s.", failed);
                return EXIT_BENCHMARK;
        }
        r = in < 0 || out < 0 ? error_origin(-errno) : exec_trace(command, &files, environ, ret_paths);
        if (!exec_hook_run(command, EXEC_CONCLUDE, iteration, false, failed)) {
                complain("%s.", failed);
                return EXIT_BENCHMARK;
        }
        if (r == 0)
                return 0;
        complain("--cold=files: the files of '%s' cannot be found by tracing it: %s.", command->title,
                        strerrordesc_np(-r));
        complain_hint("Drop them yourself, in --prepare.");
        return EXIT_MACHINE;
}

int exec_cold_find(const ExecPlan *plan, ExecPaths **ret_paths) {
        ExecPaths *paths = NULL;
        int r = 0;

        *ret_paths = NULL;
        if (plan->cold != EXEC_COLD_FILES)
                return 0;
        paths = calloc(plan->n, sizeof *paths);
        if (!paths) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; r == 0 && i < plan->n; i++)
                r = find_of(plan, &plan->commands[i], &paths[i]);
        *ret_paths = r ? exec_cold_free(plan, paths) : paths;
        return r;
}

ExecPaths *exec_cold_free(const ExecPlan *plan, ExecPaths *paths) {
        for (size_t i = 0; paths && i < plan->n; i++)
                exec_paths_clear(&paths[i]);
        free(paths);
        return NULL;
}

/* ---- dropped */

/* To others than those who may write the file the kernel says that all of it is in memory. */
static bool tells(int fd, const struct stat *status) {
        char link[64];

        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        return geteuid() == 0 || status->st_uid == geteuid() || access(link, W_OK) == 0;
}

static double resident_bytes(int fd, size_t n_bytes) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE), n_pages = (n_bytes + page - 1) / page;
        _cleanup_(freep) unsigned char *pages = malloc(n_pages);
        void *map = mmap(NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);
        size_t n = 0;

        if (map == MAP_FAILED)
                return 0;
        if (pages && mincore(map, n_bytes, pages) == 0)
                for (size_t i = 0; i < n_pages; i++)
                        n += pages[i] & 1;
        (void)munmap(map, n_bytes);
        return (double)(n * page);
}

static void drop(int fd, ExecDropped *dropped) {
        struct stat status;
        double before = 0, after;
        bool known;

        if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
                return;
        known = tells(fd, &status);
        if (known)
                before = resident_bytes(fd, (size_t)status.st_size);
        (void)fdatasync(fd);
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (!known) {
                dropped->n_hidden++;
                return;
        }
        after = resident_bytes(fd, (size_t)status.st_size);
        dropped->bytes += before - after;
        if (after > 0)
                dropped->n_kept++;
        else
                dropped->n++;
}

void exec_cold_drop(const ExecPaths *paths, ExecDropped *ret_dropped) {
        ExecDropped dropped = {};

        for (size_t i = 0; i < paths->n; i++) {
                _cleanup_(fd_closep) int fd = open(paths->paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

                if (fd >= 0)
                        drop(fd, &dropped);
        }
        *ret_dropped = dropped;
}

bool exec_cold_is_own(void) {
        return access(DROP_CACHES, W_OK) == 0;
}

int exec_cold_drop_all(void) {
        _cleanup_(fd_closep) int fd = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        return write(fd, "3\n", 2) == 2 ? 0 : error_origin(-errno);
}

void exec_cold_words(const ExecDropped *dropped, char *words, size_t n) {
        char kept[48] = "", hidden[48] = "";

        if (dropped->n_kept > 0)
                snprintf(kept, sizeof kept, ", %zu kept in use", dropped->n_kept);
        if (dropped->n_hidden > 0)
                snprintf(hidden, sizeof hidden, ", %zu not known", dropped->n_hidden);
        snprintf(words, n, "cold: %zu files dropped%s%s", dropped->n, kept, hidden);
}

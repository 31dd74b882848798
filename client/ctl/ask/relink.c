/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/relink.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/function-order.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/module-links.h"

#define RELINK_JOBS_MAX 16u

/* An object as it was compiled. */
typedef struct Original {
        char *bytes; /* NULL: it stays as it is */
        size_t n;
} Original;

/* A link under way: its objects, drawn ones in files of their own, and its process. */
typedef struct Linking {
        char **paths;
        char *output;
        size_t first; /* object */
        pid_t pid;
} Linking;

typedef struct Relinking {
        const Relink *relink;
        Original *originals;
        Linking linkings[RELINK_JOBS_MAX];
        uint32_t n_jobs;
        size_t n_functions;
} Relinking;

static void linking_clear(const Relinking *relinking, Linking *linking) {
        for (size_t i = 0; linking->paths && i < relinking->relink->n_objects; i++) {
                if (relinking->originals[i].bytes && linking->paths[i])
                        (void)unlink(linking->paths[i]);
                free(linking->paths[i]);
        }
        if (linking->output)
                (void)unlink(linking->output);
        free(linking->paths);
        free(linking->output);
}

static void relinking_clear(Relinking *relinking) {
        for (uint32_t i = 0; relinking->originals && i < relinking->n_jobs; i++)
                linking_clear(relinking, &relinking->linkings[i]);
        for (size_t i = 0; relinking->originals && i < relinking->relink->n_objects; i++)
                free(relinking->originals[i].bytes);
        free(relinking->originals);
}

static int cannot_relink(const Relink *relink, int r) {
        complain("Cannot link %s in another order: %s.", relink->name, benchd_error_string(r));
        return EXIT_MACHINE;
}

/* ---- objects */

static int original_read(const char *path, Original *ret_original) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        _cleanup_(freep) char *bytes = NULL;
        struct stat status;
        size_t n;
        int r;

        if (fd < 0 || fstat(fd, &status) < 0)
                return -errno;
        bytes = malloc(status.st_size + 1);
        if (!bytes)
                return -ENOMEM;
        r = fd_read_start(fd, bytes, status.st_size, &n);
        if (r)
                return r;
        *ret_original = (Original){ .bytes = take_pointer(bytes), .n = n };
        return 0;
}

static int relinking_read(Relinking *relinking, size_t i) {
        Original *original = &relinking->originals[i];
        size_t n_functions;
        int r;

        r = original_read(relinking->relink->objects[i], original);
        if (r)
                return r;
        n_functions = function_order_count(original->bytes, original->n);
        relinking->n_functions += n_functions;
        if (n_functions == 0)
                free(take_pointer(original->bytes));
        return 0;
}

/* Names the files of link @job of those that are made at once. */
static int linking_init(const Relinking *relinking, uint32_t job, Linking *linking) {
        const Relink *relink = relinking->relink;

        linking->paths = calloc(relink->n_objects, sizeof *linking->paths);
        if (!linking->paths || asprintf(&linking->output, "%s.%u.link", relink->prefix, job) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < relink->n_objects; i++) {
                if (!relinking->originals[i].bytes)
                        linking->paths[i] = strdup(relink->objects[i]);
                else if (asprintf(&linking->paths[i], "%s.%u.%zu.o", relink->prefix, job, i + 1) < 0)
                        linking->paths[i] = NULL;
                if (!linking->paths[i])
                        return -ENOMEM;
        }
        return 0;
}

/* As many linkers at once as there are CPUs for them. */
static uint32_t count_jobs(void) {
        cpu_set_t cpus;
        const int n = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;

        return n < 1 ? 1 : n < (int)RELINK_JOBS_MAX ? (uint32_t)n : RELINK_JOBS_MAX;
}

static int relinking_init(Relinking *relinking) {
        const Relink *relink = relinking->relink;
        int r = 0;

        relinking->originals = calloc(relink->n_objects, sizeof *relinking->originals);
        if (!relinking->originals)
                return -ENOMEM;
        for (size_t i = 0; r == 0 && i < relink->n_objects; i++)
                r = relinking_read(relinking, i);
        for (const uint32_t n_jobs = count_jobs(); r == 0 && relinking->n_jobs < n_jobs; relinking->n_jobs++)
                r = linking_init(relinking, relinking->n_jobs, &relinking->linkings[relinking->n_jobs]);
        return r;
}

/* Writes @original to @path in an order drawn from @seed. */
static int original_draw(const Original *original, const char *path, uint64_t seed) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *drawn = NULL;

        drawn = malloc(original->n);
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (!drawn || fd < 0)
                return drawn ? -errno : -ENOMEM;
        memcpy(drawn, original->bytes, original->n);
        if (function_order_draw(drawn, original->n, seed) == 0)
                return -ENOMEM;
        return fd_write_all(fd, drawn, original->n);
}

/* ---- links */

/* Begins to link once more, in a process that says what is wrong. */
static int linking_begin(const Relinking *relinking, Linking *linking, uint64_t *seed) {
        const Relink *relink = relinking->relink;
        int r = 0;

        for (size_t i = 0; r == 0 && i < relink->n_objects; i++) {
                const uint64_t drawn = function_order_random(seed);

                if (relinking->originals[i].bytes)
                        r = original_draw(&relinking->originals[i], linking->paths[i], drawn);
        }
        linking->first = function_order_random(seed) % relink->n_objects;
        if (r)
                return cannot_relink(relink, r);
        linking->pid = fork();
        if (linking->pid == 0)
                _exit(relink->linker(relink->userdata, linking->paths, linking->first, linking->output));
        return linking->pid < 0 ? cannot_relink(relink, -errno) : 0;
}

/* Waits for its process. Returns its exit code. */
static int linking_wait(const Relinking *relinking, Linking *linking) {
        int status = 0;

        while (waitpid(linking->pid, &status, 0) < 0)
                if (errno != EINTR)
                        return cannot_relink(relinking->relink, -errno);
        return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANCELLED;
}

static int linking_add(const Relinking *relinking, const Linking *linking, ModuleLinksDraft *draft, int fd) {
        _cleanup_(fd_closep) int link_fd = open(linking->output, O_RDONLY | O_CLOEXEC);
        const int r = link_fd < 0 ? -errno : module_links_add(draft, fd, link_fd);

        return r ? cannot_relink(relinking->relink, r) : 0;
}

/* Makes @n links at once, and adds them to the file at @fd in their order. Waits for all that were begun. */
static int relinking_link(Relinking *relinking, uint32_t n, uint64_t *seed, ModuleLinksDraft *draft, int fd) {
        uint32_t n_begun = 0;
        int r = 0;

        while (r == 0 && n_begun < n) {
                r = linking_begin(relinking, &relinking->linkings[n_begun], seed);
                n_begun += r == 0;
        }
        for (uint32_t i = 0; i < n_begun; i++) {
                const int ended = linking_wait(relinking, &relinking->linkings[i]);

                r = r ? r : ended;
        }
        for (uint32_t i = 0; r == 0 && i < n_begun; i++)
                r = linking_add(relinking, &relinking->linkings[i], draft, fd);
        return r;
}

/* So many more links of the size of the last one leave the file within its limit. */
static uint64_t draft_room(const ModuleLinksDraft *draft) {
        const uint64_t last = draft->n > 0 ? draft->rows[draft->n - 1][1] : 0;
        uint64_t n_bytes = 0;

        for (uint32_t i = 0; i < draft->n; i++)
                n_bytes += draft->rows[i][1];
        return last == 0 ? 1 : n_bytes < RELINK_BYTES_MAX ? (RELINK_BYTES_MAX - n_bytes) / last : 0;
}

int relink_add(const Relink *relink, const char *path, uint32_t *ret_n_links) {
        _cleanup_(relinking_clear) Relinking relinking = { .relink = relink };
        _cleanup_(fd_closep) int fd = open(path, O_RDWR | O_CLOEXEC);
        ModuleLinksDraft draft = {};
        uint64_t seed = relink->seed;
        int r;

        r = fd < 0 ? -errno : relinking_init(&relinking);
        if (r)
                return cannot_relink(relink, r);
        *ret_n_links = 1;
        if (relinking.n_functions < 2)
                return 0;
        while (r == 0 && (draft.n == 0 ? 1 : draft.n) < relink->n_links) {
                uint32_t n = relink->n_links - (draft.n == 0 ? 1 : draft.n);

                n = n < relinking.n_jobs ? n : relinking.n_jobs;
                if (n > draft_room(&draft))
                        n = (uint32_t)draft_room(&draft);
                if (n == 0)
                        break;
                r = relinking_link(&relinking, n, &seed, &draft, fd);
        }
        if (r || draft.n == 0)
                return r;
        *ret_n_links = draft.n;
        r = module_links_finish(&draft, fd);
        return r ? cannot_relink(relink, r) : 0;
}

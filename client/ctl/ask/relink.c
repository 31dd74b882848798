/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/relink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/function-order.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/module-links.h"

/* An object as it was compiled. */
typedef struct Original {
        char *bytes; /* NULL: it stays as it is */
        size_t n;
} Original;

typedef struct Relinking {
        const Relink *relink;
        Original *originals;
        char **paths; /* of the objects to link: drawn ones have files of their own */
        char *output;
        size_t n_functions;
        size_t n_drawn; /* objects */
} Relinking;

static void relinking_clear(Relinking *relinking) {
        for (size_t i = 0; relinking->originals && relinking->paths && i < relinking->relink->n_objects; i++) {
                if (relinking->originals[i].bytes && relinking->paths[i])
                        (void)unlink(relinking->paths[i]);
                free(relinking->originals[i].bytes);
                free(relinking->paths[i]);
        }
        if (relinking->output)
                (void)unlink(relinking->output);
        free(relinking->originals);
        free(relinking->paths);
        free(relinking->output);
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
        const Relink *relink = relinking->relink;
        Original *original = &relinking->originals[i];
        size_t n_functions;
        int r;

        r = original_read(relink->objects[i], original);
        if (r)
                return r;
        n_functions = function_order_count(original->bytes, original->n);
        relinking->n_functions += n_functions;
        relinking->n_drawn += n_functions > 0;
        if (n_functions == 0)
                free(take_pointer(original->bytes));
        if (n_functions == 0)
                relinking->paths[i] = strdup(relink->objects[i]);
        else if (asprintf(&relinking->paths[i], "%s.%zu.o", relink->prefix, i + 1) < 0)
                relinking->paths[i] = NULL;
        return relinking->paths[i] ? 0 : -ENOMEM;
}

static int relinking_init(Relinking *relinking) {
        const Relink *relink = relinking->relink;
        int r = 0;

        relinking->originals = calloc(relink->n_objects, sizeof *relinking->originals);
        relinking->paths = calloc(relink->n_objects, sizeof *relinking->paths);
        if (!relinking->originals || !relinking->paths || asprintf(&relinking->output, "%s.link", relink->prefix) < 0)
                return -ENOMEM;
        for (size_t i = 0; r == 0 && i < relink->n_objects; i++)
                r = relinking_read(relinking, i);
        return r;
}

/* Writes object @i in an order drawn from @seed. */
static int relinking_draw(const Relinking *relinking, size_t i, uint64_t seed) {
        const Original *original = &relinking->originals[i];
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *drawn = NULL;

        if (!original->bytes)
                return 0;
        drawn = malloc(original->n);
        fd = open(relinking->paths[i], O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (!drawn || fd < 0)
                return drawn ? -errno : -ENOMEM;
        memcpy(drawn, original->bytes, original->n);
        if (function_order_draw(drawn, original->n, seed) == 0)
                return -ENOMEM;
        return fd_write_all(fd, drawn, original->n);
}

/* ---- links */

/* Links once more, and adds the link to the file at @fd. */
static int relinking_link(const Relinking *relinking, uint64_t *seed, ModuleLinksDraft *draft, int fd) {
        const Relink *relink = relinking->relink;
        _cleanup_(fd_closep) int link_fd = -1;
        int r = 0;

        for (size_t i = 0; r == 0 && i < relink->n_objects; i++)
                r = relinking_draw(relinking, i, function_order_random(seed));
        if (r)
                return cannot_relink(relink, r);
        r = relink->linker(relink->userdata, relinking->paths, function_order_random(seed) % relink->n_objects,
                        relinking->output);
        if (r)
                return r;
        link_fd = open(relinking->output, O_RDONLY | O_CLOEXEC);
        r = link_fd < 0 ? -errno : module_links_add(draft, fd, link_fd);
        return r ? cannot_relink(relink, r) : 0;
}

/* Another link of the size of the last one would leave the file within its limit. */
static bool has_room(const ModuleLinksDraft *draft) {
        uint64_t n_bytes = 0, last = draft->n > 0 ? draft->rows[draft->n - 1][1] : 0;

        for (uint32_t i = 0; i < draft->n; i++)
                n_bytes += draft->rows[i][1];
        return n_bytes + last <= RELINK_BYTES_MAX;
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
        for (uint32_t i = 1; r == 0 && i < relink->n_links && has_room(&draft); i++)
                r = relinking_link(&relinking, &seed, &draft, fd);
        if (r || draft.n == 0)
                return r;
        *ret_n_links = draft.n;
        r = module_links_finish(&draft, fd);
        return r ? cannot_relink(relink, r) : 0;
}

/* SPDX-License-Identifier: MIT */
#include "util/remove-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/fd.h"

#define TREE_DEPTH_MAX   16u
#define TREE_PASSES_MAX  1024u
#define TREE_ENTRIES_MAX 300000u /* per pass: another process may add to a tree as fast as it is emptied */

/* One pass over a tree. */
typedef struct TreePass {
        int top_fd;
        dev_t device;
        unsigned number;
        unsigned n_entries;
        unsigned n_raised; /* directories that were too deep: they are at the top now, for the next pass */
} TreePass;

/* A directory without access for its own owner gets it first. -1: not a directory of this tree. */
static int tree_open(const TreePass *pass, int parent_fd, const char *name) {
        _cleanup_(fd_closep) int place_fd = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char path[32]; /* of the directory that was found, even if the name now refers to another */
        struct stat status;

        if (place_fd < 0 || fstat(place_fd, &status) < 0 || status.st_dev != pass->device)
                return -1;
        snprintf(path, sizeof path, "/proc/self/fd/%d", place_fd);
        if ((status.st_mode & 0700) != 0700)
                (void)chmod(path, 0700);
        return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void tree_raise(TreePass *pass, int parent_fd, const char *name) {
        char raised[64];

        snprintf(raised, sizeof raised, "raised-%u-%u", pass->number, pass->n_raised);
        if (renameat(parent_fd, name, pass->top_fd, raised) == 0)
                pass->n_raised++;
}

/* Empties the directory @fd, which it closes. */
static void tree_empty(TreePass *pass, int fd, unsigned depth) {
        DIR *directory = fdopendir(fd);
        struct dirent *entry;

        if (!directory) {
                fd_close(fd);
                return;
        }
        while ((entry = readdir(directory)) && pass->n_entries++ < TREE_ENTRIES_MAX) {
                int below;

                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                                unlinkat(fd, entry->d_name, 0) == 0 || unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0)
                        continue;
                if (depth == TREE_DEPTH_MAX) {
                        tree_raise(pass, fd, entry->d_name);
                        continue;
                }
                below = tree_open(pass, fd, entry->d_name);
                if (below < 0)
                        continue;
                tree_empty(pass, below, depth + 1);
                (void)unlinkat(fd, entry->d_name, AT_REMOVEDIR);
        }
        closedir(directory);
}

static bool tree_is_gone(int directory_fd, const char *name) {
        return unlinkat(directory_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

int remove_tree(int directory_fd, const char *name) {
        unsigned n_raised = 1;
        struct stat status;

        for (unsigned i = 0; i < TREE_PASSES_MAX && n_raised > 0; i++) {
                _cleanup_(fd_closep) int top_fd = -1;
                TreePass pass = { .number = i };
                int fd;

                if (tree_is_gone(directory_fd, name))
                        return 0;
                if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
                        return REMOVE_TREE_E_LEFT;
                pass.device = status.st_dev;
                top_fd = tree_open(&pass, directory_fd, name);
                fd = top_fd < 0 ? -1 : fcntl(top_fd, F_DUPFD_CLOEXEC, 0);
                if (fd < 0)
                        return REMOVE_TREE_E_LEFT;
                pass.top_fd = top_fd;
                tree_empty(&pass, fd, 0);
                n_raised = pass.n_raised;
        }
        return tree_is_gone(directory_fd, name) ? 0 : REMOVE_TREE_E_LEFT;
}

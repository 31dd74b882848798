/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/worktree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/git/checkout.h"
#include "ctl/ask/git/git.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/user-directory.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"
#include "util/remove-tree.h"
#include "util/time.h"

#define KEPT_N_MAX     24u
#define KEPT_BYTES_MAX (4ull << 30)
#define KEPT_UNUSED_NS (30 * 24 * 3600 * (int64_t)NS_PER_S)
#define NAME_BYTES_MAX 40 /* of the repository's name */
#define LOCK_LOOK_MS   200
#define DISK_BYTES_MIN (1u << 20) /* less is a full disk */

#define BUILT_NAME "built" /* a file with the bytes of the tree: its build succeeded */
#define TREE_NAME  "tree"

/* ---- the older trees */

typedef struct Kept {
        char name[NAME_MAX + 1];
        int64_t used_ns;
        uint64_t bytes;
} Kept;

static int kept_by_use(const void *a, const void *b) {
        const Kept *first = a, *second = b;

        return (first->used_ns < second->used_ns) - (first->used_ns > second->used_ns);
}

/* Its bytes as they were noted; 0 where the build did not succeed, or is under way. */
static uint64_t kept_bytes(int cache_fd, const char *name) {
        char file[NAME_MAX + 16], text[32] = "";
        _cleanup_(fd_closep) int fd = -1;

        snprintf(file, sizeof file, "%s/" BUILT_NAME, name);
        fd = openat(cache_fd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
                return 0;
        return strtoull(text, NULL, 10);
}

/* Removes the tree @name unless somebody uses it. */
static void kept_remove(int cache_fd, const char *name) {
        _cleanup_(fd_closep) int fd = openat(cache_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
                (void)remove_tree(cache_fd, name);
}

/* The directories of the cache, the one used last first. Returns their number; 0 also where memory ran out. */
static size_t kept_list(int cache_fd, Kept **ret_kept) {
        DIR *directory = fdopendir(fcntl(cache_fd, F_DUPFD_CLOEXEC, 0));
        struct dirent *entry;
        struct stat status;
        size_t n = 0;

        while (directory && (entry = readdir(directory))) {
                Kept *more;

                if (entry->d_name[0] == '.' || fstatat(cache_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
                                !S_ISDIR(status.st_mode))
                        continue;
                more = reallocarray(*ret_kept, n + 1, sizeof *more);
                if (!more)
                        break;
                *ret_kept = more;
                more[n] = (Kept){ .used_ns = status.st_mtim.tv_sec * (int64_t)NS_PER_S + status.st_mtim.tv_nsec,
                        .bytes = kept_bytes(cache_fd, entry->d_name) };
                snprintf(more[n++].name, sizeof more->name, "%s", entry->d_name);
        }
        if (directory)
                closedir(directory);
        if (n > 0)
                qsort(*ret_kept, n, sizeof **ret_kept, kept_by_use);
        return n;
}

/* Makes room for one more tree. */
static void cache_sweep(int cache_fd, int64_t now_ns) {
        _cleanup_(freep) Kept *kept = NULL;
        const size_t n = kept_list(cache_fd, &kept);
        uint64_t bytes = 0;

        for (size_t i = 0; i < n; i++) {
                bytes += kept[i].bytes;
                if (i + 1 >= KEPT_N_MAX || bytes > KEPT_BYTES_MAX || kept[i].used_ns + KEPT_UNUSED_NS < now_ns)
                        kept_remove(cache_fd, kept[i].name);
        }
}

/* ---- the name of a tree */

static uint64_t hash_add(uint64_t hash, const char *text) {
        do
                hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
        while (*text++);
        return hash;
}

/* A state of the working tree has no name, so its tree has a random one. */
static int name_tree(const Git *git, const char *id, const char *command, char ret_name[static NAME_MAX]) {
        static const char digits[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        char name[NAME_BYTES_MAX + 1];
        uint64_t hash = hash_add(hash_add(0xcbf29ce484222325ull, git->top), id ? id : digits);

        hash = hash_add(hash, command ? command : "");
        if (!id && getrandom(&hash, sizeof hash, 0) != sizeof hash)
                return error_origin(-EIO);
        snprintf(name, sizeof name, "%s", file_name_of(git->top));
        for (char *c = name; *c; c++)
                *c = isalnum((unsigned char)*c) ? *c : '-'; /* makefiles and scripts of builds trip over some others */
        snprintf(ret_name, NAME_MAX, "%s-%.*s-%016" PRIx64, name, GIT_ID_SHORT, id ? id : "working-tree", hash);
        return 0;
}

/* ---- its lock */

/* A tree that was removed while this benchctl waited for its lock is another one. */
static bool is_there(int cache_fd, const char *name, int fd) {
        struct stat here, opened;

        return fstatat(cache_fd, name, &here, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
               here.st_dev == opened.st_dev && here.st_ino == opened.st_ino;
}

static int cannot_write(const char *path, int r) {
        complain("Cannot write to %s: %s.", path, benchd_error_string(r));
        complain_hint("Free some space, or name another directory: XDG_CACHE_HOME=DIRECTORY benchctl ...");
        return EXIT_MACHINE;
}

static bool is_built(int fd) {
        return faccessat(fd, BUILT_NAME, F_OK, 0) == 0;
}

/* A tree that is built is used by many, any other by one. True: taken. */
static bool lock_try(int fd) {
        return (flock(fd, LOCK_SH | LOCK_NB) == 0 && is_built(fd)) || flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Looks again and again: a signal that came just before a lock is waited for would go unseen. */
static int lock_wait(int fd, const char *name) {
        bool told = false;

        while (!lock_try(fd)) {
                struct pollfd asked = { .fd = interrupt_fd(), .events = POLLIN };

                if (errno != EWOULDBLOCK && errno != EINTR)
                        return error_origin(-errno);
                if (!told)
                        fprintf(stderr, "Waiting for another benchctl that builds in %s…\n", name);
                told = true;
                (void)poll(&asked, 1, LOCK_LOOK_MS);
                if (interrupt_came())
                        return EXIT_CANCELLED;
        }
        return 0;
}

/* Opens the directory @name, made if it is missing, and locks it. */
static int lock_take(int cache_fd, const char *name, int *ret_fd) {
        for (;;) {
                _cleanup_(fd_closep) int fd = -1;
                int r;

                if (mkdirat(cache_fd, name, 0700) < 0 && errno != EEXIST)
                        return error_origin(-errno);
                fd = openat(cache_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (fd < 0 && errno != ENOENT)
                        return error_origin(-errno);
                r = fd < 0 ? 0 : lock_wait(fd, name);
                if (r)
                        return r;
                if (fd >= 0 && is_there(cache_fd, name, fd)) {
                        *ret_fd = fd_take(&fd);
                        return 0;
                }
        }
}

/* ---- a tree */

bool worktree_disk_is_full(const Worktree *tree) {
        struct statvfs disk;

        if (statvfs(tree->directory, &disk) < 0 || disk.f_bavail * disk.f_frsize >= DISK_BYTES_MIN)
                return false;
        complain_hint("The disk of %s is full. Free some space, or name another directory: XDG_CACHE_HOME=DIRECTORY benchctl ...",
                        tree->directory);
        return true;
}

static int checkout_fail(const Git *git, int r, const Worktree *tree) {
        if (r == CHECKOUT_E_SUBMODULE) {
                complain("The commit has a version of the submodule %s that is not here.", git->said ? git->said : "");
                complain_hint("'git -C %s fetch' brings it; benchctl fetches nothing.",
                                git->said ? git->said : "SUBMODULE");
                return EXIT_USAGE;
        }
        if (r < 0)
                return cannot_write(tree->directory, r);
        r = git_complain(git, r, NULL);
        if (r == EXIT_MACHINE && !worktree_disk_is_full(tree))
                complain_hint("The files of the commit were to go to %s.", tree->path);
        return r;
}

/* Removes first the remains of an earlier build that failed or was killed. */
static int tree_make(Git *git, const char *id, Worktree *tree) {
        int r;

        if (remove_tree(tree->lock_fd, TREE_NAME))
                return cannot_write(tree->path, -EBUSY);
        r = checkout_make(git, id, tree->path);
        return r ? checkout_fail(git, r, tree) : 0;
}

static int tree_paths(Worktree *tree, const char *cache, const char *name) {
        if (asprintf(&tree->directory, "%s/%s", cache, name) < 0 ||
                        asprintf(&tree->path, "%s/" TREE_NAME, tree->directory) < 0 ||
                        asprintf(&tree->log, "%s/log", tree->directory) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

int worktree_open(Git *git, const char *id, const char *command, Worktree *ret_tree) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        _cleanup_(fd_closep) int cache_fd = -1;
        char cache[PATH_MAX], name[NAME_MAX];
        int r;

        cache_fd = user_directory_find(USER_DIRECTORY_CACHE, "git", cache);
        if (cache_fd < 0) {
                complain("There is no directory of your own to build a commit in.");
                complain_hint("Name one that you may write to: XDG_CACHE_HOME=DIRECTORY benchctl ...");
                return EXIT_MACHINE;
        }
        cache_sweep(cache_fd, (int64_t)time_realtime_ns());
        tree.is_passing = !id;
        r = name_tree(git, id, command, name);
        if (r == 0)
                r = tree_paths(&tree, cache, name);
        if (r == 0)
                r = lock_take(cache_fd, name, &tree.lock_fd);
        if (r)
                return r < 0 ? cannot_write(cache, r) : r;
        tree.is_built = is_built(tree.lock_fd);
        (void)futimens(tree.lock_fd, NULL);
        r = tree.is_built ? 0 : tree_make(git, id, &tree);
        if (r)
                return r;
        *ret_tree = tree;
        tree = WORKTREE_NONE;
        return 0;
}

static uint64_t walked_bytes;

static int walk_one(const char *path, const struct stat *status, int type, struct FTW *place) {
        (void)path;
        (void)type;
        (void)place;
        walked_bytes += (uint64_t)status->st_blocks * 512;
        return 0;
}

int worktree_built(Worktree *tree) {
        _cleanup_(fd_closep) int fd = -1;
        char text[32];
        int r;

        walked_bytes = 0;
        (void)nftw(tree->directory, walk_one, 16, FTW_PHYS | FTW_MOUNT);
        snprintf(text, sizeof text, "%" PRIu64 "\n", walked_bytes);
        fd = openat(tree->lock_fd, BUILT_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        r = fd < 0 ? error_origin(-errno) : fd_write_all(fd, text, strlen(text));
        if (r)
                return cannot_write(tree->directory, r);
        tree->is_built = true;
        (void)flock(tree->lock_fd, LOCK_SH);
        return 0;
}

void worktree_clear(Worktree *tree) {
        if (tree->lock_fd >= 0 && (!tree->is_built || tree->is_passing) &&
                        flock(tree->lock_fd, LOCK_EX | LOCK_NB) == 0) {
                (void)remove_tree(tree->lock_fd, TREE_NAME);
                (void)unlinkat(tree->lock_fd, BUILT_NAME, 0);
                if (tree->is_passing || interrupt_came()) {
                        (void)unlink(tree->log);
                        (void)rmdir(tree->directory);
                }
        }
        fd_close(tree->lock_fd);
        free(tree->directory);
        free(tree->path);
        free(tree->log);
        *tree = WORKTREE_NONE;
}

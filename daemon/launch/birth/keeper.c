/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ops/block.h"
#include "ops/confine.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/remove-tree.h"
#include "util/socket.h"
#include "util/time.h"

#define KEEPER_PREFIX      ".benchd-" /* of the directory that hides the run's */
#define KEEPER_NAME_DIGITS 16u
#define KEEPER_OWN         "work"
#define KEEPER_SWEPT_MAX   10000u /* entries that are searched for directories that were left */

/* Processes of a run without a cell may outlive its first one for a moment. */
#define KEEPER_TRIES    50u
#define KEEPER_PAUSE_NS (20 * NS_PER_MS)

/* The keeper's word: the descriptor of each place that has one comes with it, in their order. */
typedef struct KeeperWord {
        KeeperRefusal refusal; /* end 0: there is none */
        KeeperPlaces places;
} KeeperWord;

typedef struct Keeper {
        int base_fd;   /* the submitter's directory */
        int hidden_fd; /* ... the directory of this run in it, open and locked while the keeper lives */
        int own_fd;    /* ... and the body's in that */
        char name[sizeof KEEPER_PREFIX + KEEPER_NAME_DIGITS];
} Keeper;

/* ---- directories that were left */

static bool is_hidden_name(const char *name) {
        const size_t n_prefix = strlen(KEEPER_PREFIX);

        return strncmp(name, KEEPER_PREFIX, n_prefix) == 0 && strlen(name) == n_prefix + KEEPER_NAME_DIGITS &&
               strspn(name + n_prefix, "0123456789abcdef") == KEEPER_NAME_DIGITS;
}

/*
 * Opens and locks the directory @name, if it belongs to this user and its mode admits no other. On a file system
 * without locks, no directory is known to be left.
 */
static int open_locked(int base_fd, const char *name) {
        _cleanup_(fd_closep) int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat status;

        if (fd < 0 || fstat(fd, &status) < 0 || status.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB) < 0)
                return -1;
        return fd_take(&fd);
}

/* A body without a cell can put files beside its own directory too. */
static void empty_hidden(int hidden_fd) {
        const int fd = openat(hidden_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *directory = fd < 0 ? NULL : fdopendir(fd);
        struct dirent *entry;

        while (directory && (entry = readdir(directory)))
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                                unlinkat(hidden_fd, entry->d_name, 0) < 0)
                        (void)remove_tree(hidden_fd, entry->d_name);
        if (directory)
                closedir(directory);
}

/*
 * Files are removed through the open directory, whatever its name stands for by now; the name is removed only if it is
 * an empty directory.
 */
static bool remove_hidden(int base_fd, int hidden_fd, const char *name) {
        empty_hidden(hidden_fd);
        return unlinkat(base_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static void keeper_sweep(const Keeper *keeper) {
        const int fd = openat(keeper->base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *directory = fd < 0 ? NULL : fdopendir(fd);
        struct dirent *entry;

        for (unsigned i = 0; directory && i < KEEPER_SWEPT_MAX && (entry = readdir(directory)); i++) {
                _cleanup_(fd_closep) int left_fd = -1;

                if (!is_hidden_name(entry->d_name))
                        continue;
                left_fd = open_locked(keeper->base_fd, entry->d_name);
                if (left_fd >= 0)
                        (void)remove_hidden(keeper->base_fd, left_fd, entry->d_name);
        }
        if (directory)
                closedir(directory);
}

/* ---- making one */

static bool keeper_draw_name(Keeper *keeper) {
        uint64_t number;

        if (getrandom(&number, sizeof number, 0) != sizeof number)
                return false;
        snprintf(keeper->name, sizeof keeper->name, KEEPER_PREFIX "%016lx", (unsigned long)number);
        return true;
}

static bool is_still_there(const Keeper *keeper) {
        struct stat named, open;

        return fstatat(keeper->base_fd, keeper->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
               fstat(keeper->hidden_fd, &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/*
 * Another keeper may find the directory before it is locked, and remove it as one that was left: then it is made anew.
 */
static bool keeper_make_hidden(Keeper *keeper) {
        for (unsigned i = 0; i < KEEPER_TRIES; i++) {
                if (!keeper_draw_name(keeper) || mkdirat(keeper->base_fd, keeper->name, 0700) < 0)
                        return false;
                keeper->hidden_fd =
                                openat(keeper->base_fd, keeper->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (keeper->hidden_fd >= 0)
                        (void)flock(keeper->hidden_fd, LOCK_EX);
                if (keeper->hidden_fd >= 0 && is_still_there(keeper))
                        return true;
                keeper->hidden_fd = fd_close(keeper->hidden_fd);
        }
        errno = EAGAIN;
        return false;
}

static bool keeper_make_own(Keeper *keeper) {
        if (mkdirat(keeper->hidden_fd, KEEPER_OWN, 0700) < 0)
                return false;
        keeper->own_fd = openat(keeper->hidden_fd, KEEPER_OWN, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return keeper->own_fd >= 0;
}

/* Reads the path of @fd without symbolic links: the newborn looks it up in its own mount namespace. */
static bool read_path(int fd, char path[static WORKPLACE_PATH_MAX]) {
        char link[32];
        ssize_t n;

        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        n = readlink(link, path, WORKPLACE_PATH_MAX);
        if (n < 0)
                return false;
        errno = ENAMETOOLONG;
        if ((size_t)n >= WORKPLACE_PATH_MAX)
                return false;
        path[n] = '\0';
        errno = EINVAL; /* a pipe or a socket, as /dev/stdin may be, has no path */
        return *path == '/';
}

/* Says why the kernel refuses @path, and what the submitter can do. */
static void keeper_refuse(const char *path, RunnerEnd end, int error, KeeperRefusal *ret_refusal) {
        static const struct {
                int error;
                const char *hint;
        } hints[] = {
                { EROFS, " for the daemon. Under systemd ReadWritePaths= and ProtectHome= of benchd-launch.service say what it may write; a private run (--private) asks for nothing" },
                { ENOSPC, ". Make room, or choose another one" },
                { EDQUOT, ". Make room, or choose another one" },
        };
        const char *hint = "";
        char *words = ret_refusal->words;
        int n;

        ret_refusal->end = end;
        for (size_t i = 0; i < N_ELEMENTS(hints); i++)
                if (hints[i].error == error)
                        hint = hints[i].hint;
        n = snprintf(words, KEEPER_WORDS_MAX, "%.*s: %s%s", (int)RUNNER_DIRECTORY_MAX, path, strerror(error), hint);
        if ((error == EACCES || error == EPERM) && n < (int)KEEPER_WORDS_MAX)
                snprintf(words + n, KEEPER_WORDS_MAX - n,
                                ". It is opened as user %u, in whose name the run is; what root submits runs as benchd-run, "
                                "which needs %s permission there%s",
                                geteuid(), end == RUNNER_END_SEE ? "read" : "write",
                                end == RUNNER_END_SEE
                                                ? "; under systemd ProtectHome= of benchd-launch.service hides homes"
                                                : "");
}

static bool keeper_make(Keeper *keeper, const char *directory, KeeperWord *word) {
        keeper->base_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (keeper->base_fd >= 0) {
                keeper_sweep(keeper);
                if (keeper_make_hidden(keeper) && keeper_make_own(keeper) &&
                                read_path(keeper->own_fd, word->places.own.path)) {
                        word->places.own.fd = keeper->own_fd;
                        return true;
                }
        }
        keeper_refuse(directory, RUNNER_END_DIRECTORY, errno, &word->refusal);
        return false;
}

/* Opens @path with O_PATH, which needs no right to read it: reading is up to the body. */
static bool keeper_find(const char *path, KeeperPlaces *places, KeeperRefusal *refusal) {
        KeeperPlace *seen = &places->seen[places->n_seen];

        seen->fd = open(path, O_PATH | O_CLOEXEC);
        if (seen->fd < 0 || !read_path(seen->fd, seen->path)) {
                keeper_refuse(path, RUNNER_END_SEE, errno, refusal);
                return false;
        }
        strcpy(places->seen_paths[places->n_seen++], path);
        return true;
}

/* A listing needs no directory. */
static void keeper_open_all(Keeper *keeper, const RunnerPlan *plan, KeeperWord *word) {
        if (runner_plan_keeps(plan) && !keeper_make(keeper, plan->directory, word))
                return;
        for (size_t i = 0; i < RUNNER_SEEN_MAX && *plan->seen[i]; i++)
                if (!keeper_find(plan->seen[i], &word->places, &word->refusal))
                        return;
}

static bool keeper_tell(int fd, const KeeperWord *word) {
        int fds[1 + RUNNER_SEEN_MAX];
        size_t n_fds = 0, n;

        if (word->places.own.fd >= 0)
                fds[n_fds++] = word->places.own.fd;
        for (size_t i = 0; i < word->places.n_seen; i++)
                fds[n_fds++] = word->places.seen[i].fd;
        return socket_send(fd, word, sizeof *word, fds, word->refusal.end ? 0 : n_fds, &n) == 0;
}

/* ---- its life */

static void keeper_wait(int fd) {
        _cleanup_(fd_closep) int process_fd = -1;
        int fds[SOCKET_FDS_MAX];
        size_t n, n_fds;
        char word;

        if (socket_receive(fd, &word, 1, &n, fds, &n_fds) != 0 || n_fds != 1)
                return; /* the newborn is dead */
        process_fd = fds[0];
        while (poll(&(struct pollfd){ .fd = process_fd, .events = POLLIN }, 1, -1) < 0 && errno == EINTR)
                ;
}

static void keeper_remove(const Keeper *keeper) {
        const struct timespec pause = { .tv_nsec = KEEPER_PAUSE_NS };

        for (unsigned i = 0; i < KEEPER_TRIES && !remove_hidden(keeper->base_fd, keeper->hidden_fd, keeper->name); i++)
                nanosleep(&pause, NULL);
}

/*
 * Closes everything of the daemon, and makes sure that no signal of a terminal or a service ends this process before
 * its work is done.
 */
static bool keeper_become(const RunnerPlan *plan, int *fd) {
        static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE };

        for (size_t i = 0; i < N_ELEMENTS(signals); i++)
                (void)sigaction(signals[i], &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        (void)prctl(PR_SET_NAME, "benchd-keeper");
        if (dup2(*fd, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0) < 0)
                return false;
        *fd = STDIN_FILENO;
        (void)setsid();
        umask(077);
        return chdir("/") == 0 && confine_identity(plan);
}

static void __attribute__((noreturn)) keeper_main(int plan_fd, int fd) {
        Keeper keeper = { .base_fd = -1, .hidden_fd = -1, .own_fd = -1 };
        static KeeperWord word = { .places.own.fd = -1 };
        static RunnerPlan plan;
        bool told = true;

        if (pread(plan_fd, &plan, sizeof plan, 0) != sizeof plan || !keeper_become(&plan, &fd))
                _exit(1);
        keeper_open_all(&keeper, &plan, &word);
        for (uint32_t i = 0; i < plan.n_sides; i++) /* each has a newborn, which takes one word */
                told = keeper_tell(fd, &word) && told;
        for (size_t i = 0; i < word.places.n_seen; i++) /* else mounts there could not be unmounted */
                fd_close(word.places.seen[i].fd);
        if (told && word.places.own.fd >= 0 && !word.refusal.end) {
                keeper.own_fd = fd_close(keeper.own_fd);
                keeper_wait(fd);
        }
        if (keeper.hidden_fd >= 0)
                keeper_remove(&keeper);
        _exit(0);
}

/* ---- all of them */

static volatile pid_t keepers[KEEPERS_MAX]; /* 0: a free place */

/* A keeper that ended before its pid was stored is reaped with the next one. */
static void keepers_reap(int signal) {
        const int error = errno;

        for (size_t i = 0; i < KEEPERS_MAX; i++)
                if (keepers[i] > 0 && waitpid(keepers[i], NULL, WNOHANG) != 0)
                        keepers[i] = 0;
        errno = error;
}

static bool keepers_live(void) {
        bool live = false;

        for (size_t i = 0; i < KEEPERS_MAX; i++)
                live |= keepers[i] > 0;
        return live;
}

void keepers_begin(void) {
        (void)sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = keepers_reap, .sa_flags = SA_RESTART }, NULL);
}

int keeper_start(int plan_fd, int *ret_fd) {
        size_t place = 0;
        int pair[2];
        pid_t pid;

        keepers_reap(SIGCHLD);
        while (place < KEEPERS_MAX && keepers[place] > 0)
                place++;
        if (place == KEEPERS_MAX)
                return error_origin(-EBUSY);
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        pid = fork();
        if (pid == 0)
                keeper_main(plan_fd, pair[1]);
        fd_close(pair[1]);
        if (pid < 0) {
                fd_close(pair[0]);
                return error_origin(-errno);
        }
        keepers[place] = pid;
        *ret_fd = pair[0];
        return 0;
}

void keepers_end(void) {
        const struct timespec pause = { .tv_nsec = KEEPER_PAUSE_NS };

        for (unsigned i = 0; i < KEEPER_TRIES && keepers_live(); i++) {
                nanosleep(&pause, NULL);
                keepers_reap(SIGCHLD);
        }
}

/* ---- in the newborn */

/* The keeper is a process of the submitter's user, and is not believed. */
static bool word_is_valid(const KeeperWord *word, size_t n, size_t n_fds) {
        const KeeperPlaces *places = &word->places;

        if (n != sizeof *word || places->n_seen > RUNNER_SEEN_MAX)
                return false;
        for (size_t i = 0; i < places->n_seen; i++)
                if (!memchr(places->seen_paths[i], 0, RUNNER_DIRECTORY_MAX) ||
                                runner_plan_seen_refusal(places->seen_paths[i]) ||
                                !memchr(places->seen[i].path, 0, WORKPLACE_PATH_MAX))
                        return false;
        return memchr(word->refusal.words, 0, KEEPER_WORDS_MAX) && memchr(places->own.path, 0, WORKPLACE_PATH_MAX) &&
               n_fds == (word->refusal.end ? 0 : (places->own.fd >= 0) + places->n_seen);
}

bool keeper_receive(int fd, KeeperPlaces *ret_kept, KeeperRefusal *ret_refusal) {
        int fds[SOCKET_FDS_MAX];
        size_t n, n_fds, taken = 0;
        KeeperWord word;

        *ret_refusal = (KeeperRefusal){ .end = RUNNER_END_DIRECTORY };
        if (socket_receive(fd, &word, sizeof word, &n, fds, &n_fds) != 0 || !word_is_valid(&word, n, n_fds)) {
                snprintf(ret_refusal->words, sizeof ret_refusal->words,
                                "the process that opens it ended before it had done so");
                return false;
        }
        *ret_refusal = word.refusal;
        if (word.refusal.end)
                return false;
        *ret_kept = word.places;
        if (word.places.own.fd >= 0)
                ret_kept->own.fd = fds[taken++];
        for (size_t i = 0; i < word.places.n_seen; i++)
                ret_kept->seen[i].fd = fds[taken++];
        return true;
}

bool keeper_watch(int fd, pid_t pid) {
        _cleanup_(fd_closep) int process_fd = pidfd_open(pid, 0);
        const char word = 'w';
        size_t n;

        return process_fd >= 0 && socket_send(fd, &word, 1, &process_fd, 1, &n) == 0;
}

static int clone_mount(const KeeperPlace *kept, unsigned flags, uint64_t attributes_set) {
        _cleanup_(fd_closep) int fd = open(kept->path, O_PATH | O_NOFOLLOW | O_CLOEXEC), mount_fd = -1;
        struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | attributes_set };
        struct stat there, kept_there;

        if (fd < 0 || fstat(fd, &there) < 0 || fstat(kept->fd, &kept_there) < 0)
                return -1;
        errno = ESTALE;
        if (there.st_dev != kept_there.st_dev || there.st_ino != kept_there.st_ino)
                return -1;
        mount_fd = open_tree(fd, "", flags | AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (mount_fd < 0 || mount_setattr(mount_fd, "", flags | AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
                return -1;
        return fd_take(&mount_fd);
}

int keeper_clone_own(const KeeperPlace *kept) {
        return clone_mount(kept, 0, MOUNT_ATTR_NODEV);
}

/* A device that is named is meant to be used. */
int keeper_clone_seen(const KeeperPlace *kept) {
        return clone_mount(kept, AT_RECURSIVE, MOUNT_ATTR_RDONLY);
}

/* SPDX-License-Identifier: MIT */
#include "util/file-draft.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define WALK_LINKS_MAX 40u /* as the kernel has it */

/* A path on its way to its file. */
typedef struct Walk {
        int fd;              /* the directory that was reached */
        char rest[PATH_MAX]; /* what is still to go from there */
        unsigned n_links;
} Walk;

static void walk_clear(Walk *walk) {
        walk->fd = fd_close(walk->fd);
}

static int walk_enter(Walk *walk, const char *name, int flags) {
        const int fd = openat(walk->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

        if (fd < 0)
                return error_origin(-errno);
        fd_close(walk->fd);
        walk->fd = fd;
        return 0;
}

/* Begins at the root or at the current directory with @path. */
static int walk_begin(Walk *walk, const char *path) {
        if (snprintf(walk->rest, sizeof walk->rest, "%s", path) >= (int)sizeof walk->rest)
                return error_origin(-ENAMETOOLONG);
        if (!*path)
                return error_origin(-ENOENT);
        return *path == '/' || walk->fd < 0 ? error_trace(walk_enter(walk, *path == '/' ? "/" : ".", 0)) : 0;
}

/* Takes the next name off the rest. Returns true if it is the last one. */
static bool walk_take_name(Walk *walk, char name[static NAME_MAX + 2]) {
        const char *begin = walk->rest + strspn(walk->rest, "/"), *end = begin + strcspn(begin, "/");
        const bool last = !*end;

        snprintf(name, NAME_MAX + 2, "%.*s", (int)(end - begin), begin);
        memmove(walk->rest, end, strlen(end) + 1);
        return last;
}

/* ---- links */

static bool is_magic(const Walk *walk, const char *name) {
        _cleanup_(fd_closep) int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        struct statfs system;

        return fd >= 0 && fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* The descriptor of this process behind the magic link @name; -1: none that can be written. */
static int own_descriptor(const Walk *walk, const char *name) {
        struct stat own, named, there, open;
        char *end;
        const long number = strtol(name, &end, 10);

        if (*end || number < 0 || number > INT_MAX || stat("/proc/self/fd", &own) < 0 || fstat(walk->fd, &named) < 0 ||
                        own.st_ino != named.st_ino || own.st_dev != named.st_dev)
                return -1;
        if (fstatat(walk->fd, name, &there, 0) < 0 || fstat((int)number, &open) < 0 || there.st_ino != open.st_ino ||
                        there.st_dev != open.st_dev || (fcntl((int)number, F_GETFL) & O_ACCMODE) == O_RDONLY)
                return -1;
        return (int)number;
}

/* Puts what the link @name says before the rest. */
static int walk_follow(Walk *walk, const char *name) {
        char text[PATH_MAX], whole[PATH_MAX];
        const ssize_t n = readlinkat(walk->fd, name, text, sizeof text - 1);

        if (n < 0)
                return error_origin(-errno);
        text[n] = '\0';
        if (++walk->n_links > WALK_LINKS_MAX)
                return error_origin(-ELOOP);
        if (snprintf(whole, sizeof whole, "%s%s", text, walk->rest) >= (int)sizeof whole)
                return error_origin(-ENAMETOOLONG);
        return error_trace(walk_begin(walk, whole));
}

static bool is_trusted(const struct stat *link) {
        return link->st_uid == 0 || link->st_uid == geteuid();
}

/* ---- the whole way */

typedef enum WalkStep {
        WALK_ON,
        WALK_DONE,
} WalkStep;

static int walk_end(Walk *walk, const char *name, const struct stat *status, FileDraftPath *path) {
        *path = (FileDraftPath){ .descriptor = -1 };
        path->exists = status;
        if (status && S_ISLNK(status->st_mode)) {
                path->is_magic = true;
                path->descriptor = own_descriptor(walk, name);
                if (fstatat(walk->fd, name, &path->status, 0) < 0)
                        return error_origin(-errno);
        } else if (status)
                path->status = *status;
        path->name = strdup(name);
        if (!path->name)
                return error_origin(-ENOMEM);
        path->directory_fd = fd_take(&walk->fd);
        return WALK_DONE;
}

/* Returns WALK_ON, WALK_DONE, or a negative errno; -EPERM for a link that may not be followed. */
static int walk_step(Walk *walk, FileDraftPath *path, bool *ret_foreign) {
        char name[NAME_MAX + 2];
        const bool last = walk_take_name(walk, name);
        struct stat status;

        if (!*name || (last && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)))
                return error_origin(-EISDIR);
        if (fstatat(walk->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
                return last && errno == ENOENT ? walk_end(walk, name, NULL, path) : error_origin(-errno);
        if (!S_ISLNK(status.st_mode))
                return last ? walk_end(walk, name, &status, path) : error_trace(walk_enter(walk, name, O_NOFOLLOW));
        if (!is_trusted(&status)) {
                *ret_foreign = true;
                return -EPERM;
        }
        if (is_magic(walk, name))
                return last ? walk_end(walk, name, &status, path) : error_trace(walk_enter(walk, name, 0));
        return error_trace(walk_follow(walk, name));
}

/* Finds the file of @path, which need not exist. Returns 0, E_FOREIGN, or a negative errno. */
static int written_path_find(const char *path, FileDraftPath *ret_path) {
        _cleanup_(walk_clear) Walk walk = { .fd = AT_FDCWD };
        bool foreign = false;
        int r;

        r = walk_begin(&walk, path);
        while (r == WALK_ON)
                r = walk_step(&walk, ret_path, &foreign);
        if (foreign)
                return FILE_DRAFT_PATH_E_FOREIGN;
        return r == WALK_DONE ? 0 : error_trace(r);
}

static void written_path_clear(FileDraftPath *path) {
        if (!path->name)
                return;
        path->directory_fd = fd_close(path->directory_fd);
        free(path->name);
        path->name = NULL;
}

#define DRAFT_TRIES      16u
#define DRAFT_NAME_BYTES 200 /* of the file's name in that of its draft */
#define DRAFTS_MAX       8u  /* that are removed where a process quits at once */

/* ---- all drafts, for a program that quits in a signal handler */

static struct {
        const char *volatile name; /* NULL: a free place */
        volatile int directory_fd;
} drafts[DRAFTS_MAX];

static void drafts_add(const FileDraft *draft) {
        for (size_t i = 0; i < DRAFTS_MAX; i++)
                if (!drafts[i].name) {
                        drafts[i].directory_fd = draft->path.directory_fd;
                        drafts[i].name = draft->name;
                        return;
                }
}

static void drafts_remove(const FileDraft *draft) {
        for (size_t i = 0; i < DRAFTS_MAX; i++)
                if (drafts[i].name == draft->name)
                        drafts[i].name = NULL;
}

void file_drafts_leave(void) {
        for (size_t i = 0; i < DRAFTS_MAX; i++)
                if (drafts[i].name)
                        (void)unlinkat(drafts[i].directory_fd, drafts[i].name, 0);
}

/* ---- what can be replaced */

/* A file that any user could have put there. */
static bool is_planted(const FileDraftPath *path, const struct stat *directory) {
        return directory->st_mode & S_IWOTH && path->status.st_uid != geteuid() && path->status.st_uid != 0 &&
               path->status.st_uid != directory->st_uid;
}

/* True if the directory allows this user to replace the file of @path. */
static bool can_replace(const FileDraftPath *path, const struct stat *directory) {
        if (faccessat(path->directory_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
                return false;
        return !(directory->st_mode & S_ISVTX) || geteuid() == 0 || directory->st_uid == geteuid() ||
               path->status.st_uid == geteuid();
}

static bool is_mount(const FileDraftPath *path) {
        struct statx extended;

        return statx(path->directory_fd, path->name, AT_SYMLINK_NOFOLLOW, 0, &extended) == 0 &&
               extended.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static int open_in_place(FileDraft *draft) {
        const FileDraftPath *path = &draft->path;
        struct stat opened;

        draft->in_place = true;
        if (path->descriptor >= 0)
                draft->fd = fcntl(path->descriptor, F_DUPFD_CLOEXEC, 0);
        else
                draft->fd = openat(path->directory_fd, path->name,
                                O_WRONLY | O_NOCTTY | O_CLOEXEC | (path->is_magic ? 0 : O_NOFOLLOW));
        if (draft->fd < 0 || fstat(draft->fd, &opened) < 0)
                return error_origin(-errno);
        return opened.st_ino == path->status.st_ino && opened.st_dev == path->status.st_dev ? 0 : error_origin(-ESTALE);
}

/* ---- opening */

static int check_existing(FileDraft *draft) {
        const FileDraftPath *path = &draft->path;
        const bool by_name = path->descriptor < 0 && !path->is_magic, regular = S_ISREG(path->status.st_mode);
        struct stat directory;
        bool planted;

        if (draft->is_new)
                return FILE_DRAFT_E_EXISTS;
        if (S_ISDIR(path->status.st_mode))
                return error_origin(-EISDIR);
        if (fstat(path->directory_fd, &directory) < 0)
                return error_origin(-errno);
        planted = by_name && is_planted(path, &directory);
        if (planted && (S_ISFIFO(path->status.st_mode) || (regular && directory.st_mode & S_ISVTX)))
                return FILE_DRAFT_E_FOREIGN;
        if (!by_name || !regular || is_mount(path) || !can_replace(path, &directory))
                return error_trace(open_in_place(draft));
        if (faccessat(path->directory_fd, path->name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0)
                return error_origin(-errno);
        draft->keeps_owner = !planted;
        return 0;
}

/* A full file system has no room for a draft. */
static int check_room(const FileDraftPath *path) {
        struct statvfs system;

        if (fstatvfs(path->directory_fd, &system) < 0)
                return error_origin(-errno);
        if (system.f_blocks > 0 && (geteuid() == 0 ? system.f_bfree : system.f_bavail) == 0)
                return error_origin(-ENOSPC);
        return 0;
}

static int draft_check(FileDraft *draft) {
        int r = 0;

        if (draft->path.exists)
                r = check_existing(draft);
        else if (faccessat(draft->path.directory_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
                r = error_origin(-errno);
        if (r || draft->in_place)
                return error_trace(r);
        return error_trace(check_room(&draft->path));
}

static int draft_open(FileDraftPath *path, mode_t mode, bool is_new, FileDraft *ret_draft) {
        FileDraft draft = { .path = *path, .fd = -1, .is_new = is_new, .mode = mode };
        int r;

        r = draft_check(&draft);
        if (r) {
                file_draft_clear(&draft);
                return error_trace(r);
        }
        *ret_draft = draft;
        return 0;
}

int file_draft_open(const char *path, FileDraft *ret_draft) {
        FileDraftPath found;
        int r;

        r = written_path_find(path, &found);
        if (r)
                return r == FILE_DRAFT_PATH_E_FOREIGN ? FILE_DRAFT_E_FOREIGN : error_trace(r);
        return draft_open(&found, 0666, false, ret_draft);
}

int file_draft_open_new(const char *path, FileDraft *ret_draft) {
        struct stat status;
        FileDraftPath found;
        int r;

        if (lstat(path, &status) == 0)
                return FILE_DRAFT_E_EXISTS;
        r = written_path_find(path, &found);
        if (r)
                return r == FILE_DRAFT_PATH_E_FOREIGN ? FILE_DRAFT_E_FOREIGN : error_trace(r);
        return draft_open(&found, 0666, true, ret_draft);
}

int file_draft_open_at(int directory_fd, const char *name, mode_t mode, bool is_new, FileDraft *ret_draft) {
        FileDraftPath path = { .descriptor = -1, .name = strdup(name) };

        if (!path.name)
                return error_origin(-ENOMEM);
        path.directory_fd = fcntl(directory_fd, F_DUPFD_CLOEXEC, 0);
        if (path.directory_fd < 0) {
                free(path.name);
                return error_origin(-errno);
        }
        path.exists = fstatat(directory_fd, name, &path.status, AT_SYMLINK_NOFOLLOW) == 0;
        return draft_open(&path, mode, is_new, ret_draft);
}

/* ---- the draft */

/* The draft takes after the file that it replaces, as far as this user may give it to others. */
static int draft_take_owner(const FileDraft *draft) {
        const struct stat *status = &draft->path.status;
        mode_t mode = status->st_mode & 0777;

        if (fchown(draft->fd, status->st_uid, status->st_gid) < 0) {
                mode &= ~(mode_t)S_IWOTH;
                if (fchown(draft->fd, -1, status->st_gid) < 0)
                        mode &= ~(mode_t)S_IRWXG;
        }
        return fchmod(draft->fd, mode) < 0 ? error_origin(-errno) : 0;
}

static int draft_make(FileDraft *draft) {
        const mode_t mode = draft->keeps_owner ? 0600 : draft->mode;
        uint64_t number;

        for (unsigned i = 0; i < DRAFT_TRIES; i++) {
                if (getrandom(&number, sizeof number, 0) != sizeof number)
                        return error_origin(-errno);
                if (asprintf(&draft->name, ".%.*s.%016" PRIx64, DRAFT_NAME_BYTES, draft->path.name, number) < 0) {
                        draft->name = NULL;
                        return error_origin(-ENOMEM);
                }
                drafts_add(draft);
                draft->fd = openat(draft->path.directory_fd, draft->name,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
                if (draft->fd >= 0)
                        return draft->keeps_owner ? error_trace(draft_take_owner(draft)) : 0;
                drafts_remove(draft);
                free(take_pointer(draft->name));
                if (errno != EEXIST)
                        return error_origin(-errno);
        }
        return error_origin(-EEXIST);
}

static void draft_discard(FileDraft *draft) {
        if (!draft->name)
                return;
        (void)unlinkat(draft->path.directory_fd, draft->name, 0);
        drafts_remove(draft);
        free(take_pointer(draft->name));
}

int file_draft_begin(FileDraft *draft) {
        if (!draft->in_place) {
                draft_discard(draft);
                draft->fd = fd_close(draft->fd);
                return error_trace(draft_make(draft));
        }
        if (!S_ISREG(draft->path.status.st_mode) || draft->path.descriptor >= 0)
                return 0;
        return ftruncate(draft->fd, 0) < 0 || lseek(draft->fd, 0, SEEK_SET) < 0 ? error_origin(-errno) : 0;
}

/* ---- its end */

int file_draft_call(FileDraft *draft, const char *name) {
        char *copy = strdup(name);

        if (!copy)
                return error_origin(-ENOMEM);
        free(draft->path.name);
        draft->path.name = copy;
        return 0;
}

static int draft_rename(const FileDraft *draft) {
        const int at = draft->path.directory_fd;

        if (!draft->is_new)
                return renameat(at, draft->name, at, draft->path.name) < 0 ? error_origin(-errno) : 0;
        /* A file system without RENAME_NOREPLACE may have hard links. */
        if (renameat2(at, draft->name, at, draft->path.name, RENAME_NOREPLACE) == 0)
                return 0;
        if (errno == EINVAL && linkat(at, draft->name, at, draft->path.name, 0) == 0)
                return unlinkat(at, draft->name, 0) < 0 ? error_origin(-errno) : 0;
        return errno == EEXIST ? FILE_DRAFT_E_EXISTS : error_origin(-errno);
}

int file_draft_commit(FileDraft *draft) {
        const int fd = fd_take(&draft->fd);
        int r;

        if (fd >= 0 && close(fd) < 0)
                return error_origin(-errno);
        if (!draft->name)
                return 0;
        r = draft_rename(draft);
        if (r)
                return error_trace(r);
        drafts_remove(draft);
        free(take_pointer(draft->name));
        return 0;
}

int file_draft_write(FileDraft *draft, const void *data, size_t n_data) {
        int r;

        r = file_draft_begin(draft);
        if (r == 0)
                r = fd_write_all(draft->fd, data, n_data);
        return r ? error_trace(r) : error_trace(file_draft_commit(draft));
}

void file_draft_clear(FileDraft *draft) {
        draft_discard(draft);
        draft->fd = fd_close(draft->fd);
        written_path_clear(&draft->path);
}

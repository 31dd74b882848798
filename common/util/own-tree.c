/* SPDX-License-Identifier: MIT */
#include "util/own-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define ACCESS_LIST "system.posix_acl_access"

/* ---- write access */

static bool is_trusted(uid_t uid, uid_t owner) {
        return uid == 0 || uid == geteuid() || uid == owner;
}

/* True if no known user but @uid has @gid as the primary group. */
static bool is_own_group(gid_t gid, uid_t uid) {
        const struct passwd *user = getpwuid(uid);
        bool own = user && user->pw_gid == gid;

        setpwent();
        while (own && (user = getpwent()))
                own = user->pw_gid != gid || user->pw_uid == uid;
        endpwent();
        return own;
}

/* True if @gid is the primary group of @uid and has no other members. */
static bool is_private_group(gid_t gid, uid_t uid) {
        const struct group *group = is_own_group(gid, uid) ? getgrgid(gid) : NULL;

        for (char **member = group ? group->gr_mem : NULL; member && *member; member++) {
                const struct passwd *user = getpwnam(*member);

                if (!user || user->pw_uid != uid)
                        return false;
        }
        return group;
}

/* An access list of named users shows as bits of the group. @link: to the file, through /proc. */
static bool can_others_write(const struct stat *status, const char *link) {
        if (status->st_mode & S_IWOTH)
                return true;
        return status->st_mode & S_IWGRP &&
               (getxattr(link, ACCESS_LIST, NULL, 0) > 0 || !is_private_group(status->st_gid, status->st_uid));
}

static int check(int fd, uid_t owner, const char *path, OwnTreeRefusal *ret_refusal) {
        struct stat status;
        OwnTreeFault fault;
        char link[32];

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
                fault = OWN_TREE_LINK;
        else if (!is_trusted(status.st_uid, owner))
                fault = OWN_TREE_OWNER;
        else if (can_others_write(&status, link))
                fault = OWN_TREE_WRITABLE;
        else
                return 0;
        *ret_refusal = (OwnTreeRefusal){ .fault = fault, .uid = status.st_uid };
        snprintf(ret_refusal->path, sizeof ret_refusal->path, "%s", path);
        return OWN_TREE_E_UNSAFE;
}

void own_tree_explain(const OwnTreeRefusal *refusal, char words[static OWN_TREE_WORDS_MAX]) {
        if (refusal->fault == OWN_TREE_OWNER)
                snprintf(words, OWN_TREE_WORDS_MAX, "%s belongs to user %u", refusal->path, refusal->uid);
        else
                snprintf(words, OWN_TREE_WORDS_MAX, "%s %s", refusal->path,
                                refusal->fault == OWN_TREE_LINK ? "is neither a directory nor a file"
                                                                : "can be written by other users");
}

/* ---- the way to the file */

static int open_step(int fd, const char *name, bool last) {
        const int flags = O_NOFOLLOW | O_CLOEXEC;
        struct stat status;

        /* Opens any other kind of file with O_PATH only: a real open() could block or have side effects. */
        if (!last || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
                return openat(fd, name, O_PATH | flags);
        return openat(fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
}

static bool is_missing(int error) {
        return error == ENOENT || error == ENOTDIR || error == EACCES;
}

int own_tree_open_at(const char *root, uid_t owner, const char *path, OwnTreeRefusal *ret_refusal, int *ret_fd) {
        _cleanup_(fd_closep) int fd = open(root, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        char reached[PATH_MAX], name[NAME_MAX + 1];
        struct stat status;
        int r;

        snprintf(reached, sizeof reached, "%s", root);
        for (;;) {
                const size_t n = strcspn(path, "/"), n_reached = strlen(reached);
                int next;

                if (fd < 0)
                        return is_missing(errno) ? OWN_TREE_E_MISSING : error_origin(-errno);
                r = check(fd, owner, reached, ret_refusal);
                if (r)
                        return error_trace(r);
                if (!*path)
                        break;
                snprintf(name, sizeof name, "%.*s", (int)n, path);
                snprintf(reached + n_reached, sizeof reached - n_reached, "/%s", name);
                next = open_step(fd, name, !path[n]);
                fd_close(fd);
                fd = next;
                path += n + (path[n] == '/');
        }
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (!S_ISREG(status.st_mode))
                return OWN_TREE_E_MISSING;
        *ret_fd = fd_take(&fd);
        return 0;
}

/* ---- this program's */

/* Cuts the program's name and @place off its path @own. Returns false if it does not lie there. */
static bool cut_place(char *own, const char *place) {
        char *slash = strrchr(own, '/'), *end;
        const size_t n_place = strlen(place);

        if (!slash)
                return false;
        *slash = '\0';
        if (n_place == 0)
                return true;
        if (strlen(own) <= n_place)
                return false;
        end = own + strlen(own) - n_place;
        if (strcmp(end, place) != 0 || end[-1] != '/')
                return false;
        end[-1] = '\0';
        return true;
}

int own_tree_open(const char *place, const char *path, OwnTreeRefusal *ret_refusal, int *ret_fd,
                char ret_path[static PATH_MAX]) {
        struct stat program;
        char own[PATH_MAX];
        ssize_t n;
        int r;

        n = readlink("/proc/self/exe", own, sizeof own - 1);
        if (n < 0 || stat("/proc/self/exe", &program) < 0)
                return error_origin(-errno);
        own[n] = '\0';
        if (!cut_place(own, place))
                return OWN_TREE_E_MISSING;
        r = own_tree_open_at(own, program.st_uid, path, ret_refusal, ret_fd);
        if (r)
                return error_trace(r);
        if (snprintf(ret_path, PATH_MAX, "%s/%s", own, path) < PATH_MAX)
                return 0;
        *ret_fd = fd_close(*ret_fd);
        return error_origin(-ENAMETOOLONG);
}

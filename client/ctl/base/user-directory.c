/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/user-directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/fd.h"

typedef struct Place {
        const char *variable;
        const char *below_home[2]; /* a directory, and one in it; NULL: none */
} Place;

static const Place places[] = {
        [USER_DIRECTORY_CACHE] = { "XDG_CACHE_HOME", { ".cache" } },
        [USER_DIRECTORY_STATE] = { "XDG_STATE_HOME", { ".local", "state" } },
};

/* Enters the directory @name of @parent_fd, and makes it if @make. Returns a descriptor, or -1. */
static int enter(int parent_fd, const char *name, bool make) {
        if (make)
                (void)mkdirat(parent_fd, name, 0700);
        return openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* True if @fd is open and belongs to this user. */
static bool is_own(int fd) {
        struct stat status;

        return fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid();
}

/* As enter(), for a directory that has to be this user's: no link leads elsewhere. */
static int enter_own(int parent_fd, const char *name, bool make) {
        _cleanup_(fd_closep) int fd = -1;

        if (make)
                (void)mkdirat(parent_fd, name, 0700);
        fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return is_own(fd) ? fd_take(&fd) : -1;
}

static int base_open(const Place *place, bool make) {
        const char *base = secure_getenv(place->variable), *home = secure_getenv("HOME");
        _cleanup_(fd_closep) int home_fd = -1, first_fd = -1;

        if (base && *base == '/')
                return enter(AT_FDCWD, base, make);
        if (!home || *home != '/')
                return -1;
        home_fd = enter(AT_FDCWD, home, false);
        first_fd = is_own(home_fd) ? enter(home_fd, place->below_home[0], make) : -1;
        if (first_fd < 0 || !place->below_home[1])
                return fd_take(&first_fd);
        return enter(first_fd, place->below_home[1], make);
}

int user_directory_open(UserDirectory which, const char *name, bool make) {
        _cleanup_(fd_closep) int base_fd = -1, own_fd = -1;

        base_fd = base_open(&places[which], make);
        own_fd = is_own(base_fd) ? enter_own(base_fd, "benchd", make) : -1;
        if (own_fd < 0 || !name)
                return fd_take(&own_fd);
        return enter_own(own_fd, name, make);
}

int user_directory_find(UserDirectory which, const char *name, char ret_path[static PATH_MAX]) {
        _cleanup_(fd_closep) int fd = user_directory_open(which, name, true);
        char link[64];
        ssize_t n;

        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        n = fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS) == 0 ? readlink(link, ret_path, PATH_MAX - 1) : -1;
        if (n < 0)
                return -1;
        ret_path[n] = '\0';
        return fd_take(&fd);
}

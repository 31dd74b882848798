/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two connected sockets within a test, and the number of its open descriptors, by which leaks are seen.
 */

#include <sys/resource.h>

#include "test.h"

typedef struct Pair {
        int here, there;
} Pair;

static inline Pair pair_new(int type) {
        int fds[2];

        assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
        return (Pair){ .here = fds[0], .there = fds[1] };
}

static inline void pair_close(Pair *pair) {
        pair->here = fd_close(pair->here);
        pair->there = fd_close(pair->there);
}

static inline size_t open_fds(void) {
        DIR *fds = opendir("/proc/self/fd");
        size_t n = 0;

        assert_non_null(fds);
        while (readdir(fds))
                n++;
        closedir(fds);
        return n;
}

/* Lets this process open so many files, or with RLIM_INFINITY as many as it may. What is open stays open. */
static inline void limit_files(rlim_t n) {
        struct rlimit limit;

        assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
        limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Kinds of files that a benchmark used, seen when its last sample was taken: a bit each. */

#include <stddef.h>
#include <stdint.h>

enum {
        FILE_KIND_MEMORY = 1u << 0,         /* a file in memory was open, or lay where a body may write */
        FILE_KIND_MEMORY_CHANGED = 1u << 1, /* ... and was written, made or removed since the set-up */
        FILE_KIND_DISK = 1u << 2,           /* from here on by what was open: any other regular file */
        FILE_KIND_SOCKET = 1u << 3,
        FILE_KIND_PIPE = 1u << 4,
        FILE_KIND_DEVICE = 1u << 5, /* a terminal among them */
        FILE_KIND_EVENT = 1u << 6,  /* a file without a name: eventfd, epoll, timerfd, io_uring, ... */
        _FILE_KINDS = (1u << 7) - 1,
};

#define FILE_KINDS_MAX 7u

/* Writes the words of @kinds, one each, in the order of the bits. Returns their number. */
size_t file_kind_words(uint32_t kinds, const char *ret_words[static FILE_KINDS_MAX]);

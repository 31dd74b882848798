/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/layout.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define LAYOUT_PAGE_BYTES 4096u
#define LAYOUT_ROOM_BYTES (UINT64_C(128) << 20) /* that the kernel leaves for a stack at the least */

void layout_shift_mappings(uint32_t pages, char ret_limit[static LAYOUT_NUMBER_MAX]) {
        struct rlimit limit;
        rlim_t room;

        ret_limit[0] = '\0';
        if (pages == 0 || getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
                return;
        snprintf(ret_limit, LAYOUT_NUMBER_MAX, "%" PRIu64, (uint64_t)limit.rlim_cur);
        room = limit.rlim_cur > LAYOUT_ROOM_BYTES ? limit.rlim_cur : LAYOUT_ROOM_BYTES;
        limit.rlim_cur = room + (rlim_t)pages * LAYOUT_PAGE_BYTES;
        if (limit.rlim_cur > limit.rlim_max || setrlimit(RLIMIT_STACK, &limit) < 0)
                ret_limit[0] = '\0';
}

void layout_restore(const char *text) {
        pthread_attr_t attributes;
        struct rlimit limit;

        if (!*text || getrlimit(RLIMIT_STACK, &limit) < 0)
                return;
        limit.rlim_cur = strtoull(text, NULL, 10);
        (void)setrlimit(RLIMIT_STACK, &limit);
        if (pthread_attr_init(&attributes) != 0)
                return;
        if (pthread_attr_setstacksize(&attributes, limit.rlim_cur / LAYOUT_PAGE_BYTES * LAYOUT_PAGE_BYTES) == 0)
                (void)pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
}

void layout_shift_heap(uint32_t pages) {
        if (pages > 0)
                (void)sbrk((intptr_t)pages * LAYOUT_PAGE_BYTES);
}

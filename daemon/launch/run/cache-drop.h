/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Drops the page cache of the machine for a run that is to start cold. The kernel needs seconds for it where there is much memory, so a
 * process does it that has nothing of the launcher but the open file. One at a time.
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct RootDir RootDir;
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

enum {
        _CACHE_DROP_E_SUCCESS,

        CACHE_DROP_E_BUSY, /* one is under way */
};

/* Called once in a later turn of the loop: @error is 0 or an errno. */
typedef void (*CacheDropped)(void *userdata, uint64_t serial, int error, uint64_t elapsed_ns);

/* {} with the first three set is idle. */
typedef struct CacheDrop {
        sd_event *event;
        CacheDropped told;
        void *userdata;

        sd_event_source *source; /* of the process; NULL: idle */
        int pidfd;
        uint64_t serial; /* 0: nobody waits for it */
        uint64_t begun_ns;
} CacheDrop;

/* Drops it by the file below @root, and tells @serial. Returns 0, E_BUSY, or a negative errno, such as -EACCES without the right. */
int cache_drop_start(CacheDrop *drop, RootDir *root, uint64_t serial);

/* Tells nobody of one that is under way. */
void cache_drop_forget(CacheDrop *drop);
void cache_drop_clear(CacheDrop *drop);

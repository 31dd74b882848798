/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How long the CPUs may take to leave an idle state: a request that the kernel keeps as long as its descriptor is open, so
 * that it ends with whoever made it.
 */

#include <stdint.h>

typedef struct RootDir RootDir;

#define DMA_LATENCY_PATH "dev/cpu_dma_latency"

enum {
        _DMA_LATENCY_E_SUCCESS,

        DMA_LATENCY_E_UNSUPPORTED, /* no such device */
        DMA_LATENCY_E_DENIED,
};

/* Opens the device, without a request yet. Returns 0, E_*, or a negative errno. */
int dma_latency_open(RootDir *root, int *ret_fd);

/* Requests at most @us microseconds. Returns 0 or a negative errno. */
int dma_latency_request(int fd, int32_t us);

/* The smallest of all requests, in microseconds; very large where there is none. Returns 0 or a negative errno. */
int dma_latency_read(int fd, int32_t *ret_us);

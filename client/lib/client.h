/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A connection: bytes in, events out; queued requests in, bytes out. It keeps the state of each request under its id
 * until the last reply.
 */

#include <stddef.h>
#include <stdint.h>

#include "benchd/client.h"

typedef struct Benchd__Request Benchd__Request;

/*
 * Queues @request under a new id, with @n_fds descriptors, which stay the caller's. Collects the benchmarks of a run for its result.
 * Returns 0, BENCHD_E_TOO_LARGE, BENCHD_E_BUSY, or a negative errno.
 */
int client_send(benchd_client *client, Benchd__Request *request, const int *fds, size_t n_fds, uint64_t *ret_id);

/* The daemon's limits, from its Hello. */
typedef struct ClientLimits {
        size_t module_bytes;
        size_t libraries;
} ClientLimits;

const ClientLimits *client_limits(const benchd_client *client);

/* Connects a non-blocking socket to the socket of @config. Returns 0, BENCHD_E_NO_DAEMON, BENCHD_E_ACCESS, or a negative errno. */
int client_open_socket(const benchd_config *config, int *ret_fd);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What each request does: one row of a table a request. One that may not be is answered with an error; a run or list
 * becomes a job, the others are answered at once.
 */

#include <stddef.h>

#include "proto/benchd.pb-c.h"

typedef struct Session Session;

/*
 * Does what @request asks. The request is freed, or kept by a job. Of the @n_fds descriptors at @fds those that were
 * taken are then -1.
 */
void dispatch_request(Session *session, Benchd__Request *request, int *fds, size_t n_fds);

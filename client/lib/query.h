/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which jobs of the history are asked for: a HistoryRequest that is filled in step by step.
 */

#include "benchd.pb-c.h"

typedef struct benchd_query {
        Benchd__HistoryRequest request; /* its string is the query's own */
} benchd_query;

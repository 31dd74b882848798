/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a client is told before it connects. Both are never NULL.
 */

typedef struct benchd_config {
        char *socket;
        char *name;
} benchd_config;

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Open-file limit versus the limits in the configuration. Each connection takes one descriptor; each job takes the descriptors of its
 * request, twice here (once more on the way to the launcher) and once in the launcher's tickets. A limit set in the configuration is met or
 * refused at the start; a default limit is lowered to fit. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Config Config;

#define FILE_LIMIT_OWN 96u /* of benchd itself: sockets, the loop, receivers, the history and its modules */

enum {
        _FILE_LIMIT_E_SUCCESS,

        FILE_LIMIT_E_TOO_FEW, /* the limits set in the configuration do not fit */
};

/* The limits that the configuration sets. */
typedef struct FileLimitNamed {
        bool clients;
        bool jobs;
} FileLimitNamed;

/* The open files that benchd needs, and that benchd-launch needs for tickets. */
uint64_t file_limit_needed(const Config *config);
uint64_t file_limit_needed_of_tickets(const Config *config);

/* Lowers the limits in @config that are not @named until benchd needs at most @n_files. Returns 0 or E_TOO_FEW. */
int file_limit_fit(FileLimitNamed named, uint64_t n_files, Config *config);

/* The same for the tickets, which may have @n_files. */
int file_limit_fit_tickets(FileLimitNamed named, uint64_t n_files, Config *config);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The limit of open files against the limits of the configuration: each connection takes a descriptor, each job those of its request, here
 * twice (once more on the way to the launcher) and once in its tickets. A limit that the configuration names is met or refused at the
 * start; one that it does not name is lowered to what there is room for. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Config Config;

#define FILE_LIMIT_OWN 96u /* of benchd itself: sockets, the loop, receivers, the history and its modules */

enum {
        _FILE_LIMIT_E_SUCCESS,

        FILE_LIMIT_E_TOO_FEW, /* what the configuration names does not fit */
};

/* The limits that the configuration names itself. */
typedef struct FileLimitNamed {
        bool clients;
        bool jobs;
} FileLimitNamed;

/* The open files that benchd needs, and that benchd-launch needs for tickets. */
uint64_t file_limit_needed(const Config *config);
uint64_t file_limit_needed_of_tickets(const Config *config);

/* Lowers what is not @named of @config until benchd needs at most @n_files. Returns 0 or E_TOO_FEW. */
int file_limit_fit(FileLimitNamed named, uint64_t n_files, Config *config);

/* The same for the tickets, which may have @n_files. */
int file_limit_fit_tickets(FileLimitNamed named, uint64_t n_files, Config *config);

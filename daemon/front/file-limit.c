/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/file-limit.h"

#include "front/base/config.h"
#include "front/base/share.h"

#define FILES_OF_JOB     (2 * SHARE_JOB_DESCRIPTORS)
#define FILES_OF_TICKETS (RUNNER_SIDES_MAX * (1 + RUNNER_INPUTS_MAX) + RUNNER_LIBRARIES_MAX) /* of a job */

uint64_t file_limit_needed(const Config *config) {
        return FILE_LIMIT_OWN + config->clients + FILES_OF_JOB * config->jobs;
}

uint64_t file_limit_needed_of_tickets(const Config *config) {
        return FILES_OF_TICKETS * config->jobs;
}

/* Lowers @limit to @most where it is not @named, and never below 1. */
static void lower(bool named, uint64_t most, uint64_t *limit) {
        if (!named && *limit > most)
                *limit = most > 1 ? most : 1;
}

int file_limit_fit(FileLimitNamed named, uint64_t n_files, Config *config) {
        uint64_t left;

        lower(named.clients, n_files / 4, &config->clients);
        left = FILE_LIMIT_OWN + config->clients < n_files ? n_files - FILE_LIMIT_OWN - config->clients : 0;
        lower(named.jobs, left / FILES_OF_JOB, &config->jobs);
        return file_limit_needed(config) <= n_files ? 0 : FILE_LIMIT_E_TOO_FEW;
}

int file_limit_fit_tickets(FileLimitNamed named, uint64_t n_files, Config *config) {
        lower(named.jobs, n_files / FILES_OF_TICKETS, &config->jobs);
        return file_limit_needed_of_tickets(config) <= n_files ? 0 : FILE_LIMIT_E_TOO_FEW;
}

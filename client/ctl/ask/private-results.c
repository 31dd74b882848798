/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/private-results.h"
#include "ctl/base/job-id.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ask/load.h"
#include "ctl/base/json-path.h"
#include "ctl/base/user-directory.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-draft.h"
#include "util/time.h"

#define SUFFIX      ".json"
#define JSON_DIGITS 15 /* decimal digits that every double keeps in text */

static void closedirp(DIR **directory) {
        if (*directory)
                closedir(*directory);
}

/* ---- its files */

typedef struct ResultFile {
        char name[NAME_MAX + 1];
        uint64_t written_ns;
        uint64_t n_bytes;
} ResultFile;

typedef struct ResultFiles {
        ResultFile *files; /* the latest first */
        size_t n;
} ResultFiles;

static void result_files_clear(ResultFiles *files) {
        free(files->files);
}

static int latest_first(const void *left, const void *right) {
        const ResultFile *a = left, *b = right;

        if (a->written_ns != b->written_ns)
                return a->written_ns > b->written_ns ? -1 : 1;
        return strcmp(a->name, b->name);
}

/* A job's id with the suffix of a result; a draft has more around it. */
static bool is_result(const char *name) {
        const char *job = name + (*name == '.');
        const size_t n = strspn(job, "0123456789abcdef");

        return n == JOB_ID_MAX && strncmp(job + n, SUFFIX, strlen(SUFFIX)) == 0;
}

static int result_files_add(ResultFiles *files, int directory_fd, const char *name) {
        ResultFile *grown;
        struct stat status;

        if (!is_result(name) || fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
                        !S_ISREG(status.st_mode))
                return 0;
        grown = reallocarray(files->files, files->n + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        files->files = grown;
        snprintf(grown[files->n].name, sizeof grown->name, "%s", name);
        grown[files->n].written_ns = (uint64_t)status.st_mtim.tv_sec * NS_PER_S + (uint64_t)status.st_mtim.tv_nsec;
        grown[files->n].n_bytes = (uint64_t)status.st_size;
        files->n++;
        return 0;
}

static int result_files_read(ResultFiles *files, int directory_fd) {
        _cleanup_(closedirp) DIR *directory = NULL;
        const struct dirent *entry;
        int fd, r = 0;

        fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        directory = fd < 0 ? NULL : fdopendir(fd);
        if (!directory)
                return error_origin(-errno);
        while (r == 0 && (entry = readdir(directory)))
                r = result_files_add(files, directory_fd, entry->d_name);
        if (files->n > 0)
                qsort(files->files, files->n, sizeof *files->files, latest_first);
        return error_trace(r);
}

/* Removes the oldest files beyond the limits, including partial files of a killed benchctl. */
static void results_prune(int directory_fd) {
        _cleanup_(result_files_clear) ResultFiles files = {};
        uint64_t n_bytes = 0;

        if (result_files_read(&files, directory_fd))
                return;
        for (size_t i = 0; i < files.n; i++) {
                n_bytes += files.files[i].n_bytes;
                if (i > 0 && (i >= PRIVATE_RESULTS_MAX || n_bytes > PRIVATE_RESULTS_BYTES_MAX))
                        (void)unlinkat(directory_fd, files.files[i].name, 0);
        }
}

/* ---- results */

static bool result_write(int directory_fd, const json_t *result, const char *job) {
        char name[NAME_MAX];
        FileDraft draft;
        bool written;

        snprintf(name, sizeof name, "%s" SUFFIX, job);
        if (file_draft_open_at(directory_fd, name, 0600, false, &draft) != 0)
                return false;
        written = file_draft_begin(&draft) == 0 &&
                  json_dumpfd(result, draft.fd, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)) == 0 &&
                  file_draft_commit(&draft) == 0;
        file_draft_clear(&draft);
        return written;
}

void private_results_keep(json_t *result) {
        const char *word = json_text_at(result, "run_id");
        _cleanup_(fd_closep) int fd = -1;
        char job[JOB_ID_BYTES];

        if (!word)
                return;
        fd = load_job(word, job) == 0 ? user_directory_open(USER_DIRECTORY_STATE, "results", true) : -1;
        if (fd < 0 || !result_write(fd, result, job)) {
                json_object_set_new(result, "run_id", json_null());
                return;
        }
        results_prune(fd);
}

/* NULL if the file @name is a draft, or holds no JSON. */
static json_t *result_read(int directory_fd, const char *name) {
        _cleanup_(fd_closep) int fd = -1;

        if (strcmp(name + JOB_ID_MAX, SUFFIX) != 0)
                return NULL;
        fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        return fd < 0 ? NULL : json_loadfd(fd, 0, NULL);
}

int private_results_find(const char *job, json_t **ret_result) {
        _cleanup_(result_files_clear) ResultFiles files = {};
        _cleanup_(fd_closep) int fd = user_directory_open(USER_DIRECTORY_STATE, "results", false);
        json_t *result = NULL;

        if (fd < 0 || result_files_read(&files, fd))
                return PRIVATE_RESULTS_E_NONE;
        for (size_t i = 0; i < files.n && (*job || !result); i++) {
                json_t *found;

                if (strncmp(files.files[i].name, job, strlen(job)) != 0)
                        continue;
                found = result_read(fd, files.files[i].name);
                if (found && result) {
                        json_decref(found);
                        json_decref(result);
                        return PRIVATE_RESULTS_E_AMBIGUOUS;
                }
                result = found ? found : result;
        }
        if (!result)
                return PRIVATE_RESULTS_E_NONE;
        *ret_result = result;
        return 0;
}

int private_results_read(json_t **ret_results) {
        _cleanup_(result_files_clear) ResultFiles files = {};
        _cleanup_(json_decrefp) json_t *results = json_array();
        _cleanup_(fd_closep) int fd = user_directory_open(USER_DIRECTORY_STATE, "results", false);
        int r;

        if (!results)
                return error_origin(-ENOMEM);
        r = fd < 0 ? 0 : result_files_read(&files, fd);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < files.n; i++) {
                json_t *result = result_read(fd, files.files[i].name);

                if (result && json_array_append_new(results, result) < 0)
                        return error_origin(-ENOMEM);
        }
        *ret_results = take_pointer(results);
        return 0;
}

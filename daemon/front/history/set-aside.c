/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/set-aside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

#define SET_ASIDE_WORD "unreadable-"
#define SET_ASIDE_SAME 100u /* names of one second */

/* The database itself is last, so that a daemon that ends in between finds it in its place. */
static const char *const suffixes[] = { "-journal", "-wal", "-shm", "" };

static bool path_is_free(const char *path) {
        return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/* A clock that stands still, as at each start of a machine without one, gives the same name again. */
static int choose_name(const char *path, uint64_t now_unix_ns, char **ret_name) {
        const time_t seconds = now_unix_ns / NS_PER_S;
        char when[32];
        struct tm tm;

        strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&seconds, &tm));
        for (unsigned i = 1; i <= SET_ASIDE_SAME; i++) {
                _cleanup_(freep) char *name = NULL;
                char number[16] = "";

                if (i > 1)
                        snprintf(number, sizeof number, ".%u", i);
                if (asprintf(&name, "%s." SET_ASIDE_WORD "%s%s", path, when, number) < 0)
                        return error_origin(-ENOMEM);
                if (path_is_free(name)) {
                        *ret_name = take_pointer(name);
                        return 0;
                }
        }
        return error_origin(-EEXIST);
}

static int rename_one(const char *from, const char *to, const char *suffix) {
        _cleanup_(freep) char *old = NULL, *new = NULL;

        if (asprintf(&old, "%s%s", from, suffix) < 0 || asprintf(&new, "%s%s", to, suffix) < 0)
                return error_origin(-ENOMEM);
        return rename(old, new) < 0 && (errno != ENOENT || !suffix[0]) ? error_origin(-errno) : 0;
}

int set_aside(const char *path, uint64_t now_unix_ns, char **ret_name) {
        _cleanup_(freep) char *name = NULL;
        int r;

        r = choose_name(path, now_unix_ns, &name);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < N_ELEMENTS(suffixes); i++) {
                r = rename_one(path, name, suffixes[i]);
                if (r == 0)
                        continue;
                while (i-- > 0)
                        (void)rename_one(name, path, suffixes[i]);
                return error_trace(r);
        }
        *ret_name = take_pointer(name);
        return 0;
}

/* True for the name of a database that @file was set aside as; false for what lies beside one. */
static bool name_is_aside(const char *name, const char *file) {
        const size_t n = strlen(file);

        if (strncmp(name, file, n) != 0 || strncmp(name + n, "." SET_ASIDE_WORD, strlen("." SET_ASIDE_WORD)) != 0)
                return false;
        return !strchr(name + n + strlen("." SET_ASIDE_WORD), '-');
}

size_t set_aside_count(const char *path, char **ret_name) {
        const char *slash = strrchr(path, '/');
        _cleanup_(freep) char *directory = slash ? strndup(path, slash - path) : NULL;
        const struct dirent *entry;
        char *last = NULL;
        DIR *names;
        size_t n = 0;

        *ret_name = NULL;
        names = directory ? opendir(directory) : NULL;
        if (!names)
                return 0;
        while ((entry = readdir(names))) {
                if (!name_is_aside(entry->d_name, slash + 1))
                        continue;
                n++;
                if (last && strcmp(entry->d_name, last) <= 0)
                        continue;
                free(last);
                last = strdup(entry->d_name);
        }
        closedir(names);
        if (last && asprintf(ret_name, "%s/%s", directory, last) < 0)
                *ret_name = NULL;
        free(last);
        return n;
}

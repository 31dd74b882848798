/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/source-places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

typedef enum LimitKind {
        PLACE_NAMED,  /* everything below it */
        PLACE_BESIDE, /* everything below it but hidden files */
        PLACE_FLAT,   /* of these, only files directly in it */
        PLACE_PUBLIC, /* as PLACE_BESIDE, but only files that all users may read */
} LimitKind;

typedef struct Place {
        char *path; /* without links */
        LimitKind kind;
} Place;

struct SourcePlaces {
        Place *places;
        size_t n;
};

int source_places_new(SourcePlaces **ret_places) {
        SourcePlaces *places = calloc(1, sizeof *places);

        if (!places)
                return error_origin(-ENOMEM);
        *ret_places = places;
        return 0;
}

SourcePlaces *source_places_free(SourcePlaces *places) {
        for (size_t i = 0; places && i < places->n; i++)
                free(places->places[i].path);
        if (places)
                free(places->places);
        free(places);
        return NULL;
}

/* ---- directories */

static int add(SourcePlaces *places, const char *path, LimitKind kind) {
        _cleanup_(freep) char *real = realpath(path, NULL);
        struct stat status;
        Place *grown;

        if (!real || stat(real, &status) < 0 || !S_ISDIR(status.st_mode))
                return errno == ENOMEM ? error_origin(-ENOMEM) : SOURCE_PLACES_E_MISSING;
        grown = reallocarray(places->places, places->n + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        places->places = grown;
        grown[places->n++] = (Place){ .path = take_pointer(real), .kind = kind };
        return 0;
}

int source_places_add_named(SourcePlaces *places, const char *path) {
        return error_trace(add(places, path, PLACE_NAMED));
}

int source_places_add_public(SourcePlaces *places, const char *path) {
        const int r = add(places, path, PLACE_PUBLIC);

        return r > 0 ? 0 : error_trace(r);
}

static bool is_work_tree(const char *directory) {
        struct stat status;
        char path[PATH_MAX];

        return snprintf(path, sizeof path, "%s/.git", directory) < PATH_MAX && lstat(path, &status) == 0;
}

static bool is_own(const char *directory) {
        struct stat status;

        return stat(directory, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
               !(status.st_mode & S_IWOTH);
}

static bool have_one_owner(const char *directory, const char *other) {
        struct stat status, of_other;

        return stat(directory, &status) == 0 && stat(other, &of_other) == 0 && status.st_uid == of_other.st_uid;
}

/* Cuts the last name off the absolute @path. Returns false at the root. */
static bool cut(char *path) {
        char *slash = strrchr(path, '/');

        if (!slash || !slash[1])
                return false;
        slash[slash == path] = '\0';
        return true;
}

/* True for directories that hold everything, where a module is no reason to search everywhere. */
static bool is_wide(const char *directory, const char *home) {
        _cleanup_(freep) char *real = home ? realpath(home, NULL) : NULL;

        return strcmp(directory, "/") == 0 || (real && strcmp(directory, real) == 0);
}

static int add_work_tree(SourcePlaces *places, const char *directory, const char *home) {
        _cleanup_(freep) char *at = strdup(directory);

        if (!at)
                return error_origin(-ENOMEM);
        while (!is_work_tree(at))
                if (!cut(at))
                        return 0;
        return !is_own(at) || is_wide(at, home) ? 0 : add(places, at, PLACE_BESIDE);
}

/* build/module.so of module.c. */
static int add_above(SourcePlaces *places, const char *directory, const char *home) {
        _cleanup_(freep) char *above = strdup(directory);

        if (!above)
                return error_origin(-ENOMEM);
        if (!cut(above) || is_wide(above, home) || !is_own(above) || !have_one_owner(above, directory))
                return 0;
        return add(places, above, PLACE_FLAT);
}

int source_places_add_beside(SourcePlaces *places, const char *path, const char *home) {
        const char *slash = strrchr(path, '/');
        _cleanup_(freep) char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
        _cleanup_(freep) char *real = directory ? realpath(directory, NULL) : NULL;
        int r;

        if (!real) /* it is gone */
                return directory ? 0 : error_origin(-ENOMEM);
        r = add(places, real, is_wide(real, home) ? PLACE_FLAT : PLACE_BESIDE);
        if (r == 0)
                r = add_work_tree(places, real, home);
        if (r == 0)
                r = add_above(places, real, home);
        return r > 0 ? 0 : error_trace(r);
}

const char *source_places_named_at(const SourcePlaces *places, size_t index) {
        for (size_t i = 0; i < places->n; i++)
                if (places->places[i].kind == PLACE_NAMED && index-- == 0)
                        return places->places[i].path;
        return NULL;
}

/* ---- files */

/* The part of @path that is below @place; NULL: it is not. */
static const char *below(const Place *place, const char *path) {
        const size_t n = strlen(place->path);

        if (strcmp(place->path, "/") == 0)
                return path + 1;
        return strncmp(path, place->path, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static bool lets_open(const Place *place, const char *rest) {
        const bool hidden = *rest == '.' || strstr(rest, "/.");

        return place->kind == PLACE_NAMED || (!hidden && (place->kind != PLACE_FLAT || !strchr(rest, '/')));
}

/* Opens the file @rest below @place, if that allows it. No component may be a link now: the path was resolved before. */
static int open_below(const Place *place, const char *rest) {
        _cleanup_(fd_closep) int fd = open(place->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char name[NAME_MAX + 1], link[32];
        struct stat status;

        while (fd >= 0 && *rest) {
                const size_t n = strcspn(rest, "/");
                int next;

                snprintf(name, sizeof name, "%.*s", (int)n, rest);
                next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
                fd_close(fd);
                fd = next;
                rest += n + (rest[n] == '/');
        }
        if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
                        (place->kind == PLACE_PUBLIC && !(status.st_mode & S_IROTH)))
                return -1;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        return open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int source_places_open(const SourcePlaces *places, const char *path, int *ret_fd) {
        _cleanup_(freep) char *real = realpath(path, NULL);
        bool inside = false;

        if (!real)
                return SOURCE_PLACES_E_MISSING;
        for (size_t i = 0; i < places->n; i++) {
                const Place *place = &places->places[i];
                const char *rest = below(place, real);
                int fd;

                if (!rest || !lets_open(place, rest))
                        continue;
                inside = true;
                fd = open_below(place, rest);
                if (fd >= 0) {
                        *ret_fd = fd;
                        return 0;
                }
        }
        return inside ? SOURCE_PLACES_E_MISSING : SOURCE_PLACES_E_OUTSIDE;
}

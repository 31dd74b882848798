/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/sticky.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/governor.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

#define LIST_MAX (5u * CPU_SETSIZE) /* bytes of the longest list of CPUs */
#define LINE_MAX (STICKY_NAME_MAX + LIST_MAX + 2)
#define TEXT_MAX (STICKY_CHOICES_MAX * LINE_MAX)

/* ---- choosing */

static void choice_remove(Sticky *sticky, size_t place) {
        memmove(&sticky->choices[place], &sticky->choices[place + 1],
                        (sticky->n - place - 1) * sizeof *sticky->choices);
        sticky->n--;
}

void sticky_drop(Sticky *sticky, const cpu_set_t *cpus) {
        for (size_t place = sticky->n; place > 0; place--) {
                cpu_set_t *own = &sticky->choices[place - 1].cpus, both;

                CPU_AND(&both, own, cpus);
                CPU_XOR(own, own, &both);
                if (CPU_COUNT(own) == 0)
                        choice_remove(sticky, place - 1);
        }
}

int sticky_choose(Sticky *sticky, const char *name, const cpu_set_t *cpus) {
        Sticky chosen = *sticky;

        if (!*name || strlen(name) >= STICKY_NAME_MAX || strpbrk(name, " \n"))
                return STICKY_E_NAME;
        sticky_drop(&chosen, cpus);
        if (chosen.n == STICKY_CHOICES_MAX)
                return STICKY_E_FULL;
        memmove(&chosen.choices[1], &chosen.choices[0], chosen.n * sizeof *chosen.choices);
        chosen.choices[0] = (StickyChoice){ .cpus = *cpus };
        strcpy(chosen.choices[0].name, name);
        chosen.n++;
        *sticky = chosen;
        return 0;
}

/* ---- keeping */

/* Only we may have written it: what it says is written to the machine. */
static int open_own(RootDir *root, const char *path, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        fd = openat(root_dir_fd(root), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 && errno == ELOOP)
                return STICKY_E_CORRUPT;
        if (fd < 0 && errno != ENOENT)
                return error_origin(-errno);
        if (fd >= 0 && fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (fd >= 0 && (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
                                       (status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_size > (off_t)TEXT_MAX))
                return STICKY_E_CORRUPT;
        *ret_fd = fd_take(&fd);
        return 0;
}

static int take_line(Sticky *sticky, char *line) {
        char *list = strchr(line, ' ');
        StickyChoice *choice = &sticky->choices[sticky->n];

        if (!list || list == line || list - line >= (ptrdiff_t)STICKY_NAME_MAX || sticky->n == STICKY_CHOICES_MAX)
                return STICKY_E_CORRUPT;
        *list++ = 0;
        strcpy(choice->name, line);
        if (cpu_list_parse(list, &choice->cpus) != 0 || CPU_COUNT(&choice->cpus) == 0)
                return STICKY_E_CORRUPT;
        sticky->n++;
        return 0;
}

/* A text without its last newline was cut. */
static int take_text(Sticky *sticky, char *text) {
        for (char *end; *text; text = end + 1) {
                end = strchr(text, '\n');
                if (!end)
                        return STICKY_E_CORRUPT;
                *end = 0;
                if (take_line(sticky, text))
                        return STICKY_E_CORRUPT;
        }
        return 0;
}

int sticky_read(RootDir *root, const char *path, Sticky *ret_sticky) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *text = NULL;
        Sticky sticky = {};
        size_t n = 0;
        int r;

        r = open_own(root, path, &fd);
        if (r)
                return error_trace(r);
        text = calloc(1, TEXT_MAX + 1);
        if (!text)
                return error_origin(-ENOMEM);
        r = fd < 0 ? 0 : fd_read_start(fd, text, TEXT_MAX, &n);
        if (!r)
                r = take_text(&sticky, text);
        if (r)
                return error_trace(r);
        *ret_sticky = sticky;
        return 0;
}

static size_t print_choices(const Sticky *sticky, char *text) {
        char list[LIST_MAX];
        size_t n = 0;

        for (size_t i = 0; i < sticky->n; i++) {
                cpu_list_format(&sticky->choices[i].cpus, list, sizeof list);
                n += snprintf(text + n, TEXT_MAX - n, "%s %s\n", sticky->choices[i].name, list);
        }
        return n;
}

static int write_beside(int at, const char *path, const char *text, size_t n_text) {
        _cleanup_(fd_closep) int fd = -1;
        ssize_t n;

        if (unlinkat(at, path, 0) < 0 && errno != ENOENT)
                return error_origin(-errno);
        fd = openat(at, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0)
                return error_origin(-errno);
        n = write(fd, text, n_text);
        if (n != (ssize_t)n_text)
                return error_origin(n < 0 ? -errno : -ENOSPC);
        return fdatasync(fd) < 0 ? error_origin(-errno) : 0;
}

int sticky_write(RootDir *root, const char *path, const Sticky *sticky) {
        _cleanup_(freep) char *text = NULL;
        char beside[STICKY_PATH_MAX + 4];
        int at = root_dir_fd(root), r;

        if (sticky->n == 0)
                return unlinkat(at, path, 0) < 0 && errno != ENOENT ? error_origin(-errno) : 0;
        if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
                return error_origin(-ENAMETOOLONG);
        text = malloc(TEXT_MAX);
        if (!text)
                return error_origin(-ENOMEM);
        r = write_beside(at, beside, text, print_choices(sticky, text));
        if (r)
                return error_trace(r);
        return renameat(at, beside, at, path) < 0 ? error_origin(-errno) : 0;
}

/* ---- planning */

int sticky_plan(RootDir *root, const Sticky *sticky, TunePlan *plan) {
        int r;

        for (size_t i = 0; i < sticky->n; i++) {
                r = governor_plan(root, sticky->choices[i].name, &sticky->choices[i].cpus, plan);
                if (r < 0)
                        return error_trace(r);
        }
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/chosen-governors.h"

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
#define LINE_MAX (CHOSEN_GOVERNORS_NAME_MAX + LIST_MAX + 2)
#define TEXT_MAX (CHOSEN_GOVERNORS_MAX * LINE_MAX)

/* ---- choosing */

static void choice_remove(ChosenGovernors *chosen, size_t place) {
        memmove(&chosen->choices[place], &chosen->choices[place + 1],
                        (chosen->n - place - 1) * sizeof *chosen->choices);
        chosen->n--;
}

void chosen_governors_drop(ChosenGovernors *chosen, const cpu_set_t *cpus) {
        for (size_t place = chosen->n; place > 0; place--) {
                cpu_set_t *own = &chosen->choices[place - 1].cpus, both;

                CPU_AND(&both, own, cpus);
                CPU_XOR(own, own, &both);
                if (CPU_COUNT(own) == 0)
                        choice_remove(chosen, place - 1);
        }
}

int chosen_governors_add(ChosenGovernors *chosen, const char *name, const cpu_set_t *cpus) {
        ChosenGovernors changed = *chosen;

        if (!*name || strlen(name) >= CHOSEN_GOVERNORS_NAME_MAX || strpbrk(name, " \n"))
                return CHOSEN_GOVERNORS_E_NAME;
        chosen_governors_drop(&changed, cpus);
        if (changed.n == CHOSEN_GOVERNORS_MAX)
                return CHOSEN_GOVERNORS_E_FULL;
        memmove(&changed.choices[1], &changed.choices[0], changed.n * sizeof *changed.choices);
        changed.choices[0] = (ChosenGovernor){ .cpus = *cpus };
        strcpy(changed.choices[0].name, name);
        changed.n++;
        *chosen = changed;
        return 0;
}

/* ---- keeping */

/* Only we may have written it: what it says is written to the machine. */
static int open_own(RootDir *root, const char *path, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        fd = openat(root_dir_fd(root), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 && errno == ELOOP)
                return CHOSEN_GOVERNORS_E_CORRUPT;
        if (fd < 0 && errno != ENOENT)
                return error_origin(-errno);
        if (fd >= 0 && fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (fd >= 0 && (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
                                       (status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_size > (off_t)TEXT_MAX))
                return CHOSEN_GOVERNORS_E_CORRUPT;
        *ret_fd = fd_take(&fd);
        return 0;
}

static int take_line(ChosenGovernors *chosen, char *line) {
        char *list = strchr(line, ' ');
        ChosenGovernor *choice = &chosen->choices[chosen->n];

        if (!list || list == line || list - line >= (ptrdiff_t)CHOSEN_GOVERNORS_NAME_MAX ||
                        chosen->n == CHOSEN_GOVERNORS_MAX)
                return CHOSEN_GOVERNORS_E_CORRUPT;
        *list++ = 0;
        strcpy(choice->name, line);
        if (cpu_list_parse(list, &choice->cpus) != 0 || CPU_COUNT(&choice->cpus) == 0)
                return CHOSEN_GOVERNORS_E_CORRUPT;
        chosen->n++;
        return 0;
}

/* A text without its last newline was cut. */
static int take_text(ChosenGovernors *chosen, char *text) {
        for (char *end; *text; text = end + 1) {
                end = strchr(text, '\n');
                if (!end)
                        return CHOSEN_GOVERNORS_E_CORRUPT;
                *end = 0;
                if (take_line(chosen, text))
                        return CHOSEN_GOVERNORS_E_CORRUPT;
        }
        return 0;
}

int chosen_governors_read(RootDir *root, const char *path, ChosenGovernors *ret_chosen) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *text = NULL;
        ChosenGovernors chosen = {};
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
                r = take_text(&chosen, text);
        if (r)
                return error_trace(r);
        *ret_chosen = chosen;
        return 0;
}

static size_t print_choices(const ChosenGovernors *chosen, char *text) {
        char list[LIST_MAX];
        size_t n = 0;

        for (size_t i = 0; i < chosen->n; i++) {
                cpu_list_format(&chosen->choices[i].cpus, list, sizeof list);
                n += snprintf(text + n, TEXT_MAX - n, "%s %s\n", chosen->choices[i].name, list);
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

int chosen_governors_write(RootDir *root, const char *path, const ChosenGovernors *chosen) {
        _cleanup_(freep) char *text = NULL;
        char beside[CHOSEN_GOVERNORS_PATH_MAX + 4];
        int at = root_dir_fd(root), r;

        if (chosen->n == 0)
                return unlinkat(at, path, 0) < 0 && errno != ENOENT ? error_origin(-errno) : 0;
        if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
                return error_origin(-ENAMETOOLONG);
        text = malloc(TEXT_MAX);
        if (!text)
                return error_origin(-ENOMEM);
        r = write_beside(at, beside, text, print_choices(chosen, text));
        if (r)
                return error_trace(r);
        return renameat(at, beside, at, path) < 0 ? error_origin(-errno) : 0;
}

/* ---- planning */

int chosen_governors_plan(RootDir *root, const ChosenGovernors *chosen, TunePlan *plan) {
        int r;

        for (size_t i = 0; i < chosen->n; i++) {
                r = governor_plan(root, chosen->choices[i].name, &chosen->choices[i].cpus, plan);
                if (r < 0)
                        return error_trace(r);
        }
        return 0;
}

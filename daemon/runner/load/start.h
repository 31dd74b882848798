/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The second start. A module loaded by dlopen() has other conditions than a program: libc wins for each name that both define, libc has
 * already read the environment, and there may be no room for its thread-local storage. So the runner executes itself once more, with the
 * module and its libraries preloaded: they come before libc in symbol order, as in a program that is linked with them, and the loader sees
 * the user's environment.
 *
 * The attributes of the process (identity, limits, namespaces, CPU, counters, descriptors) survive the exec; it is dumpable again until the
 * second start changes that. Each file has a path: a link in the run's directory, which the loader searches first, so that files needed by
 * name, and plug-ins that the body opens, are found there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

#define START_WORD "--started" /* the first argument of the second start */

/* A library that was sent along. */
typedef struct StartLibrary {
        const char *needed; /* the name under which other files need it, maybe a path; empty: by SONAME alone */
        const char *path;   /* to be opened by the loader */
        bool preload;       /* right after the module, even if no file needs it */
} StartLibrary;

/* The files and the environment that the process is to start with. */
typedef struct Start {
        const char *counting;  /* the library that counts allocations, before all others; NULL: none */
        int module_fd;         /* its needed libraries are read */
        const char *module;    /* its path */
        const char *directory; /* searched first for libraries by name; NULL: none */
        const StartLibrary *libraries;
        size_t n_libraries;
        const char *const *assignments; /* NAME=VALUE, for the process's own environment */
        size_t n_assignments;
        char *const *arguments; /* after START_WORD; ends with NULL */
        const char *program; /* path to execute; NULL: this program by descriptor, since its new user may not reach its path */
} Start;

/* True if @name is usable in the loader's lists, which are separated by spaces and colons and expand dollar signs. */
bool start_can_list(const char *name);

/* Makes @name in the working directory a link to the descriptor @fd. Returns 0 or a negative errno. */
int start_link(const char *name, int fd);

/*
 * The environment of the second start: this process's own with the assignments, then the loader's variables. NULL: no
 * memory.
 */
char **start_environment(const Start *start, char *const *environment);

/* Removes the loader's variables that start_environment() added from the end of @environment. */
void start_cut_environment(char **environment);

/*
 * Call it after the second start: true if everything in LD_PRELOAD is loaded; else an end in @head. The loader goes on without a missing file,
 * and then something else would be measured.
 */
bool start_check_preloaded(BlockHead *head);

/*
 * Checks the library at @path, called @name in messages: false, with the loader's reason in @head, if the loader went on without it.
 */
bool start_check_library(const char *path, const char *name, BlockHead *head);

/* The loader's message on why it refused the file at @path, without the leading path, which is internal. */
const char *start_loader_words(const char *path);

/* Executes this program again. Returns a negative errno on failure. */
int start_again(const Start *start);

/*
 * Addresses of a process without address randomisation, drawn by the plan: two compared processes share them, so that chance effects of
 * addresses do not look like a difference, and each pair has others.
 *
 * The kernel puts mappings below the room for the stack, which is the stack limit at exec, at least 128 MiB (mmap_base() in Linux'
 * mm/util.c): a larger limit moves them by the excess. The heap begins at the program break at the time of the first allocation.
 */

#define START_LAYOUT_NUMBER_MAX 24u /* bytes of a limit in digits, with the final NUL */

/*
 * Call it before the second start: raises the stack limit so that mappings lie @pages lower, and writes the old limit. Changes nothing if
 * @pages is 0 or the hard limit forbids it.
 */
void start_layout_shift_mappings(uint32_t pages, char ret_limit[static START_LAYOUT_NUMBER_MAX]);

/* Call it after the second start: puts the limit back, which also applies to later threads. */
void start_layout_restore(const char *limit);

/* Moves the heap, which must not be in use yet, by @pages. */
void start_layout_shift_heap(uint32_t pages);

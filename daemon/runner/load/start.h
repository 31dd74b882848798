/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The second start. A module loaded by dlopen() lives in another world than a program: libc wins for each name that both have, the
 * environment comes too late for libc, its thread-local storage may find no room. So the runner executes itself once more, with
 * the module and the libraries that it needs preloaded: they stand before libc in the order of symbols, as in a program that is linked with
 * them, and the loader starts with the environment that the user gave.
 *
 * All that a process is (identity, limits, namespaces, CPU, counters, descriptors) survives the exec; it is dumpable again until the second
 * start says otherwise. Files go by a path each: a link in the run's directory, which is first among those that the loader searches, so
 * that what another file needs by name, or a plug-in that the body opens, is found there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

#define START_WORD "--started" /* the first argument of the second start */

/* A library that comes along. */
typedef struct StartLibrary {
        const char *needed; /* the name by which other files need it, maybe a path; empty: by its SONAME alone */
        const char *path;   /* that the loader is to open */
        bool preload;       /* whether any file needs it or not, right behind the module */
} StartLibrary;

/* The files and the environment that the process is to start with. */
typedef struct Start {
        const char *counting;  /* the library that counts allocations, before all others; NULL: none */
        int module_fd;         /* whose needs are read */
        const char *module;    /* its path */
        const char *directory; /* that is searched first for libraries by name; NULL: none */
        const StartLibrary *libraries;
        size_t n_libraries;
        const char *const *assignments; /* NAME=VALUE, for the process's own environment */
        size_t n_assignments;
        char *const *arguments; /* that follow START_WORD; ends with NULL */
        const char *program; /* the path to execute; NULL: this program by a descriptor, since its path may not be open to whom it became */
} Start;

/* True if @name can stand in the loader's lists, which are separated by spaces and colons and expand what follows a dollar sign. */
bool start_can_list(const char *name);

/* Makes @name in the working directory a link to the descriptor @fd. Returns 0 or a negative errno. */
int start_link(const char *name, int fd);

/* The environment of the second start: that of this process with the assignments, then what is the loader's alone. NULL: no memory. */
char **start_environment(const Start *start, char *const *environment);

/* Cuts what start_environment() added for the loader from the end of @environment. */
void start_cut_environment(char **environment);

/*
 * After the second start: true if all that LD_PRELOAD names is there; else an end in @head. The loader goes on without what it does not find, and
 * what would be measured is not what was asked for.
 */
bool start_check_preloaded(BlockHead *head);

/*
 * The same of one library, which is at @path and named @name in words: false, with the loader's reason in @head, where the loader went on
 * without it.
 */
bool start_check_library(const char *path, const char *name, BlockHead *head);

/* The loader's words on why it did not take the file at @path, without that path in front, which tells nobody anything. */
const char *start_loader_words(const char *path);

/* Executes this program again. Returns a negative errno where that does not work. */
int start_again(const Start *start);

/*
 * The addresses of a process whose addresses are not random, by a draw of the plan: two processes that are compared have them in common, so
 * that no chance of either's places is taken for a difference, and each pair has others.
 *
 * The kernel puts mappings below the room that a stack may grow into, which is its limit when the process is executed, 128 MiB at the least
 * (mmap_base() in Linux' mm/util.c): a limit above that moves them by as much. The heap begins where the program's break is when
 * memory is first asked for.
 */

#define START_LAYOUT_NUMBER_MAX 24u /* bytes of a limit in digits, with its end */

/*
 * Before the second start: raises the limit of the stack so that mappings lie @pages lower, and writes what it was. With 0, or where a hard
 * limit forbids it, all stays as it is.
 */
void start_layout_shift_mappings(uint32_t pages, char ret_limit[static START_LAYOUT_NUMBER_MAX]);

/* After it: puts the limit back, which is also that of the threads to come. */
void start_layout_restore(const char *limit);

/* Moves the heap, of which nothing is used yet, by @pages. */
void start_layout_shift_heap(uint32_t pages);

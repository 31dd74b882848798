/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a fork of the zygote to the runner's main(): the steps that need root, in the order in which they must stand.
 * The runner does itself all that it can do (ops/confine.h).
 */

#include <stddef.h>

typedef struct ZygoteBirth ZygoteBirth;

/* The programs that a birth executes, by the launcher's choice alone. */
typedef struct BirthPrograms {
        int runner_fd;
        int count_fd; /* of the counting library */
        int inspect_fd;
} BirthPrograms;

/*
 * Executes the runner of @programs, or the program that inspects, born as @birth says in a directory of its own at @work, or NULL, with
 * @fds in the order of zygote.h. Does not return.
 */
void birth_become_runner(const BirthPrograms *programs, const ZygoteBirth *birth, const char *work, const int *fds,
                size_t n_fds) __attribute__((noreturn));

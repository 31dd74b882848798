/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a fork of the zygote to the runner's main(): the steps that need root, in the order in which they must stand.
 * What the runner can do itself, once it is there, it does itself (runner/confine.h).
 */

#include <stddef.h>

typedef struct ZygoteBirth ZygoteBirth;

/* Executes the runner in @runner_fd, born as @birth says, with @fds in the order of zygote.h. Does not return. */
void birth_become_runner(int runner_fd, const ZygoteBirth *birth, const int *fds, size_t n_fds)
                __attribute__((noreturn));

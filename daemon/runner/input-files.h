/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Input files: names in the working directory under which a body opens what the client sent along. Each is a symbolic link to the
 * descriptor of a sealed memfd: nothing is copied, however many processes there are, and nobody can change it.
 */

#include <stdbool.h>

#include "ops/sample-block.h"

/* Makes the link @name to @fd in the working directory. False: errno says why. */
bool input_file_link(int fd, const char *name);

/* Makes the links for the inputs of @plan, whose descriptors begin with @fd. False, with an end in @head, where one cannot be made. */
bool input_files_link(const RunnerPlan *plan, int fd, BlockHead *head);

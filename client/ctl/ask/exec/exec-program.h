/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The file of a program, found as a shell finds it.
 */

#include <limits.h>
#include <stdbool.h>

/* Finds @word as execvp() does. Returns false if there is no such program. */
bool exec_program_find(const char *word, char ret_path[static PATH_MAX]);

/* True if it runs with the rights of another user or group: it would not be its user's own, and could not be ended. */
bool exec_program_changes_user(const char *path);

/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The directories of a system that hold its programs, libraries and settings, but no files of its users: a run sees them read-only; of
 * other directories it sees only what was sent along or named.
 */

#include <stdbool.h>
#include <stddef.h>

/* Without the leading slash; the ones that are links on this system lead to others in the list. */
extern const char *const system_directories[];
extern const size_t n_system_directories;

/* True if the absolute @path lies below one of them by its name: a link in it may lead elsewhere. */
bool system_directories_have(const char *path);

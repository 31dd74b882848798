/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The directories of a system that hold its programs, their libraries and settings, and nothing of its users: a run sees them, read-only,
 * and of what lies elsewhere only what came along or was named.
 */

#include <stdbool.h>
#include <stddef.h>

/* Without the slash in front; those that are a link on this system lead to others of them. */
extern const char *const system_directories[];
extern const size_t n_system_directories;

/* True if the absolute @path lies below one of them by its name: a link in it may lead elsewhere. */
bool system_directories_have(const char *path);

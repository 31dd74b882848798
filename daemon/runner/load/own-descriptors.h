/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The descriptors that the runner cannot work without: its pipes to the launcher (ops/window.h). A body that closes or replaces one gets
 * an error; else the runner's words would go to the body's file, and an answer would never come.
 */

#include <stdbool.h>

/* Notes which files they are, before the module is loaded. Without a launcher they are not checked. */
void own_descriptors_note(void);

/* False if one is closed or is now another file. */
bool own_descriptors_are_whole(void);

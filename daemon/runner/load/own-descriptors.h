/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The descriptors without which the runner cannot go on: its pipes to the launcher (ops/window.h). A body that closes all descriptors, or
 * puts a file of its own in the place of one, is told so; else its words would go to that file, and the answer would never come.
 */

#include <stdbool.h>

/* Notes which files they are: before the module is loaded. They are not looked at again if there is no launcher. */
void own_descriptors_note(void);

/* False if one is closed, or is another file than was noted. */
bool own_descriptors_are_whole(void);

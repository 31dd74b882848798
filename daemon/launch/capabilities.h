/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The handful of root's rights that the launcher keeps, for itself and all that it starts. Each has its reason in the
 * table; everything else is gone before the first child is born.
 */

/* Gives up all capabilities but those of the table, in every set. Nothing for a process that has none. Returns 0 or a negative errno. */
int capabilities_limit(void);

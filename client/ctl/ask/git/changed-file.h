/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One changed file of a working tree, on its way into another tree.
 */

/*
 * Makes the file @name of the tree at @to as it is in the tree at @from: a file with its mode, a link, or nothing. Directories are made and
 * removed as needed; one that is named, such as a repository that git does not know, is left out. Returns 0 or a negative errno.
 */
int changed_file_copy(const char *from, const char *to, const char *name);

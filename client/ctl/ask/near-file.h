/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Finds the file that was probably meant by @path, which does not exist, in the same directory. The caller frees it; NULL: there is none. */
char *near_file_find(const char *path);

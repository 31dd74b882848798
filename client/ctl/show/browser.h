/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * --open: a page in the user's browser: that of the environment variable BROWSER, or else of xdg-open. Each function returns 0 or an exit
 * code, having said why.
 */

/* Makes an empty file for a page, in TMPDIR or /tmp, that only this user may read. The caller frees its path. */
int browser_make_page(char **ret_path);

/* Shows the page at @path. */
int browser_open(const char *path);

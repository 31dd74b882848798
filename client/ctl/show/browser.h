/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * --open: shows a page in the user's browser: the one in the environment variable BROWSER, else xdg-open. Each function prints its own
 * errors, and returns 0 or an exit code.
 */

/* Makes an empty file for a page in TMPDIR or /tmp, readable only by this user. The caller frees its path. */
int browser_make_page(char **ret_path);

/* Shows the page at @path. */
int browser_open(const char *path);

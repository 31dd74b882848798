/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Removes a directory with everything in it, even untrusted content: follows no symbolic links, enters no mounts, and uses a bounded number
 * of descriptors at any depth.
 */

enum {
        _REMOVE_TREE_E_SUCCESS,

        REMOVE_TREE_E_LEFT, /* part of it is still there: it may not be removed, or another process keeps filling it */
};

/* Removes the directory @name below @directory_fd. A missing directory counts as removed. Returns 0 or E_LEFT. */
int remove_tree(int directory_fd, const char *name);

/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Removes a directory with everything in it, whoever filled it: no symbolic link is followed, no mount is entered, and a tree of any
 * depth takes a bounded number of descriptors.
 */

enum {
        _REMOVE_TREE_E_SUCCESS,

        REMOVE_TREE_E_LEFT, /* some of it is still there: it may not be removed, or somebody fills it meanwhile */
};

/* Removes the directory @name below @directory_fd. One that is not there is removed. Returns 0 or E_LEFT. */
int remove_tree(int directory_fd, const char *name);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A program that works for benchctl beside it: without the terminal's keys, in a process group of its own that ends when benchctl is asked
 * to end. It reads nothing, and writes to files.
 */

typedef struct Child {
        const char *directory;    /* where it runs; NULL: here */
        const char *const *words; /* the first is searched on the PATH; ended by NULL */
        char *const *environment;
        int output_fd; /* its stdout */
        int error_fd;  /* its stderr */

        /* Called each second while it runs, unless NULL, with the seconds that it runs. */
        void (*on_second)(void *userdata, unsigned seconds);
        void *userdata;
} Child;

enum {
        _CHILD_E_SUCCESS,

        CHILD_E_STOPPED, /* benchctl was asked to end, so its process group was ended */
};

/*
 * Runs @child and waits for its end. Returns 0 with its exit status, or 128 + the number of the signal that killed it; E_STOPPED; or a
 * negative errno if it could not be started.
 */
int child_run(const Child *child, int *ret_status);

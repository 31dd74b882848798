/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The programs that the launcher starts, as descriptors: opened before it gives up any right, and executable by whoever holds them.
 *
 * A build tree may lie below a directory that only its owner may enter, and may have been built under a strict umask; benchd and the
 * runners run as other users. A descriptor leaves the path behind. A file that others may not read and execute is copied into
 * memory, and the copy is executed.
 */

typedef enum Program {
        PROGRAM_FRONT,   /* benchd */
        PROGRAM_RUNNER,  /* benchd-runner */
        PROGRAM_COUNT,   /* benchd-count.so, which is preloaded */
        PROGRAM_INSPECT, /* benchd-inspect */
} Program;

enum {
        _PROGRAMS_E_SUCCESS,

        PROGRAMS_E_MISSING, /* neither in the build tree nor installed */
};

const char *program_name(Program program);

/*
 * Opens @program: in the build tree that the launcher lies in or else beside it, if nobody else could have put it there, or in libexecdir. Returns 0, E_MISSING, or a
 * negative errno.
 */
int program_open(Program program, int *ret_fd);

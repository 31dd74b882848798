/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The programs that the launcher starts, as descriptors: opened before it gives up any right, and executable by every process that
 * holds them.
 *
 * A build tree may lie below a directory that only its owner may enter, and may have been built under a strict umask; benchd and the
 * runners run as other users. A descriptor needs no access to the path. A file that other users may not read and execute is copied
 * into memory, and the copy is executed.
 */

#include "ops/build.h"

typedef enum Program {
        PROGRAM_FRONT,   /* benchd */
        PROGRAM_RUNNER,  /* benchd-runner */
        PROGRAM_COUNT,   /* benchd-count.so, which is preloaded */
        PROGRAM_INSPECT, /* benchd-inspect */
} Program;

enum {
        _PROGRAMS_E_SUCCESS,

        PROGRAMS_E_MISSING, /* neither in the build tree nor installed */
        PROGRAMS_E_OTHER_BUILD,
};

const char *program_name(Program program);

/*
 * Opens @program: in the launcher's build tree, else beside the launcher if no other user could have put it there, else in libexecdir. Returns 0,
 * E_MISSING, or a negative errno.
 */
int program_open(Program program, int *ret_fd);

/*
 * Checks that the file @fd of @program, a runner's, is of this build: another could not read its plan. Returns 0, E_OTHER_BUILD with
 * words, or a negative errno.
 */
int program_check(Program program, int fd, char ret_words[static BUILD_WORDS_MAX]);

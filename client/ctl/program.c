/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"

typedef struct ProgramPlace {
        const char *name;
        int access;                /* that it needs */
        const char *in_build_tree; /* from benchctl's directory */
        const char *installed;
} ProgramPlace;

static const ProgramPlace places[] = {
        [PROGRAM_LAUNCH] = { "benchd-launch", X_OK, "../../daemon/launch", BENCHD_BINDIR },
        [PROGRAM_RUNNER] = { "benchd-runner", X_OK, "../../daemon/runner", BENCHD_LIBEXECDIR },
        [PROGRAM_SUITES] = { "suites.so", R_OK, "../../suites", BENCHD_SUITESDIR },
        [PROGRAM_HEADER] = { "benchd/bench.h", R_OK, "../../include", BENCHD_INCLUDEDIR },
};

const char *program_name(Program program) {
        return places[program].name;
}

int program_find(Program program, char ret_path[static PATH_MAX]) {
        const ProgramPlace *place = &places[program];
        char own[PATH_MAX], path[PATH_MAX], *slash;
        ssize_t n;

        n = readlink("/proc/self/exe", own, sizeof own - 1);
        if (n < 0)
                return error_origin(-errno);
        own[n] = '\0';
        slash = strrchr(own, '/');
        if (slash) {
                *slash = '\0';
                n = snprintf(path, sizeof path, "%s/%s/%s", own, place->in_build_tree, place->name);
                if (n < PATH_MAX && access(path, place->access) == 0 && realpath(path, ret_path))
                        return 0;
        }
        n = snprintf(ret_path, PATH_MAX, "%s/%s", place->installed, place->name);
        return n < PATH_MAX && access(ret_path, place->access) == 0 ? 0 : PROGRAM_E_MISSING;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/installed.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "ctl/base/complain.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/own-tree.h"

#define PROGRAM_OWN_PLACE "client/ctl" /* benchctl's, in a build tree */

typedef struct ProgramPlace {
        const char *name;
        int access;                /* that it needs */
        const char *in_build_tree; /* its file */
        const char *installed;     /* its directory */
} ProgramPlace;

static const ProgramPlace places[] = {
        [INSTALLED_LAUNCH] = { "benchd-launch", X_OK, "daemon/launch/benchd-launch", BENCHD_BINDIR },
        [INSTALLED_RUNNER] = { "benchd-runner", X_OK, "daemon/runner/benchd-runner", BENCHD_LIBEXECDIR },
        [INSTALLED_SUITES] = { "suites.so", R_OK, "suites/suites.so", BENCHD_SUITESDIR },
        [INSTALLED_EXEC] = { "exec.so", R_OK, "exec/exec.so", BENCHD_SUITESDIR },
        [INSTALLED_EXEC_REFERENCE] = { "exec-reference.so", R_OK, "exec/exec-reference.so", BENCHD_SUITESDIR },
        [INSTALLED_HEADER] = { "benchd/bench.h", R_OK, "include/benchd/bench.h", BENCHD_INCLUDEDIR },
};

const char *installed_name(InstalledFile program) {
        return places[program].name;
}

/* Once: what is true of one file of the tree is so of others. */
static void complain_unsafe(const OwnTreeRefusal *refusal) {
        static bool complained = false;
        char words[OWN_TREE_WORDS_MAX];

        if (complained)
                return;
        complained = true;
        own_tree_explain(refusal, words);
        complain("Using the installed programs, not the build tree's: %s.", words);
        complain_hint("Everything in the tree must belong to you, to root or to the owner of benchctl, and be writable by no other user.");
}

int installed_find(InstalledFile program, char ret_path[static PATH_MAX]) {
        const ProgramPlace *place = &places[program];
        _cleanup_(fd_closep) int fd = -1;
        OwnTreeRefusal refusal;
        int n, r;

        r = own_tree_open(PROGRAM_OWN_PLACE, place->in_build_tree, &refusal, &fd, ret_path);
        if (r < 0)
                return error_trace(r);
        if (r == 0 && access(ret_path, place->access) == 0)
                return 0;
        if (r == OWN_TREE_E_UNSAFE)
                complain_unsafe(&refusal);
        n = snprintf(ret_path, PATH_MAX, "%s/%s", place->installed, place->name);
        return n < PATH_MAX && access(ret_path, place->access) == 0 ? 0 : INSTALLED_E_MISSING;
}

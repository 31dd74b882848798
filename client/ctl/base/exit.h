/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Exit codes. Scripts are written against these numbers.
 */

enum {
        EXIT_DONE = 0,
        EXIT_REGRESSION = 1, /* something is slower, with --fail-on=slower */
        EXIT_USAGE = 2,
        EXIT_BENCHMARK = 3,  /* a benchmark, or the module, failed */
        EXIT_DAEMON = 4,     /* the daemon refused or could not be reached */
        EXIT_MACHINE = 5,    /* the machine cannot do what was asked */
        EXIT_UNFIT = 6,      /* with --fail-on=unfit */
        EXIT_UNRESOLVED = 7, /* with --fail-on=unresolved */
        EXIT_LIMIT = 8,      /* with --fail-on=time>... */
        EXIT_CANCELLED = 130,

        EXIT_BISECT_SKIP = 125, /* with --bisect: this commit does not tell */
        EXIT_BISECT_STOP = 128, /* with --bisect: no commit would */
};

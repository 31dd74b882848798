/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/front-calls.h"

#include <sys/syscall.h>

#include "util/cleanup.h"
#include "util/error.h"

/* The files of SQLite and of the module store. */
static const CallRule front_rules[] = {
        { SYS_fallocate },
        { SYS_utimensat },
        { SYS_fchmod },
};

int front_calls_limit(CallFilterMode mode) {
        return error_trace(call_filter_install(front_rules, N_ELEMENTS(front_rules), mode));
}

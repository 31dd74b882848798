/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/receiver-calls.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"

static const CallRule receiver_rules[] = {
        { SYS_recvmsg },
        { SYS_sendmsg },
        { SYS_read, 0, UINT32_MAX, RECEIVER_TOKENS_FD },
        { SYS_fcntl, 1, UINT32_MAX, F_GET_SEALS }, /* a memory file has some */
        { SYS_fstat },                             /* and a size: by which of the two depends on libc */
        { SYS_newfstatat, 3, UINT32_MAX, AT_EMPTY_PATH },
        { SYS_getsockopt },
        { SYS_setsockopt }, /* no socket lingers */
        { SYS_close },
        { SYS_exit_group },
};

int receiver_calls_limit(CallFilterMode mode) {
        return error_trace(call_filter_install_only(receiver_rules, N_ELEMENTS(receiver_rules), mode));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/memory-lock.h"

#include <errno.h>
#include <sys/mman.h>

OpsOutcome memory_lock(void) {
        if (mlockall(MCL_CURRENT | MCL_ONFAULT) == 0)
                return OPS_OUTCOME_APPLIED;
        return errno == ENOSYS || errno == EINVAL ? OPS_OUTCOME_UNSUPPORTED : OPS_OUTCOME_DENIED;
}

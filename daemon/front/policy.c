/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/policy.h"

static int policy_take(uid_t uid, PolicyUse use, PolicyUse most) {
        if (uid == (uid_t)-1)
                return POLICY_E_UNKNOWN_USER;
        if (use.user >= most.user)
                return POLICY_E_USER_FULL;
        if (use.all >= most.all)
                return POLICY_E_FULL;
        return 0;
}

int policy_connect(uid_t uid, PolicyUse connections) {
        return policy_take(uid, connections, (PolicyUse){ POLICY_CONNECTIONS_MAX, POLICY_CONNECTIONS_UID_MAX });
}

int policy_submit(uid_t uid, PolicyUse jobs) {
        return policy_take(uid, jobs, (PolicyUse){ POLICY_JOBS_MAX, POLICY_JOBS_UID_MAX });
}

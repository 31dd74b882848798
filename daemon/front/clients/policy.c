/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/policy.h"

int policy_take(uid_t uid, PolicyUse use, PolicyUse most) {
        if (uid == (uid_t)-1)
                return POLICY_E_UNKNOWN_USER;
        if (use.user >= most.user)
                return POLICY_E_USER_FULL;
        if (use.all >= most.all)
                return POLICY_E_FULL;
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/descriptor-account.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "util/error.h"

struct DescriptorCharge {
        LIST_ENTRY(DescriptorCharge) charges;
        DescriptorAccount *account;
        uid_t uid;
        size_t n;
        size_t n_owners;
};

struct DescriptorAccount {
        DescriptorLimits limits;
        size_t n;
        LIST_HEAD(, DescriptorCharge) charges;
};

int descriptor_account_new(DescriptorLimits limits, DescriptorAccount **ret_account) {
        DescriptorAccount *account = calloc(1, sizeof *account);

        if (!account)
                return error_origin(-ENOMEM);
        account->limits = limits;
        LIST_INIT(&account->charges);
        *ret_account = account;
        return 0;
}

DescriptorAccount *descriptor_account_free(DescriptorAccount *account) {
        free(account);
        return NULL;
}

size_t descriptor_account_used(const DescriptorAccount *account) {
        return account->n;
}

static size_t room_of(size_t limit, size_t used) {
        return used < limit ? limit - used : 0;
}

static size_t descriptor_account_room(const DescriptorAccount *account, uid_t uid) {
        const size_t room = room_of(account->limits.all, account->n);
        const DescriptorCharge *charge;
        size_t n = 0;

        LIST_FOREACH(charge, &account->charges, charges) {
                if (charge->uid == uid)
                        n += charge->n;
        }
        n = room_of(account->limits.user, n);
        return n < room ? n : room;
}

int descriptor_account_charge(DescriptorAccount *account, uid_t uid, size_t n, DescriptorCharge **ret_charge) {
        const size_t room = descriptor_account_room(account, uid);
        DescriptorCharge *charge = malloc(sizeof *charge);

        if (!charge)
                return error_origin(-ENOMEM);
        *charge = (DescriptorCharge){ .account = account, .uid = uid, .n = n < room ? n : room, .n_owners = 1 };
        account->n += charge->n;
        LIST_INSERT_HEAD(&account->charges, charge, charges);
        *ret_charge = charge;
        return 0;
}

size_t descriptor_charge_count(const DescriptorCharge *charge) {
        return charge->n;
}

void descriptor_charge_shrink(DescriptorCharge *charge, size_t n) {
        if (n >= charge->n)
                return;
        charge->account->n -= charge->n - n;
        charge->n = n;
}

DescriptorCharge *descriptor_charge_ref(DescriptorCharge *charge) {
        if (charge)
                charge->n_owners++;
        return charge;
}

DescriptorCharge *descriptor_charge_unref(DescriptorCharge *charge) {
        if (!charge || --charge->n_owners > 0)
                return NULL;
        charge->account->n -= charge->n;
        LIST_REMOVE(charge, charges);
        free(charge);
        return NULL;
}

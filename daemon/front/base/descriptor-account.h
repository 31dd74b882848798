/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Descriptors that clients sent and the daemon holds, counted by user: nobody's take another's place in the table of open files.
 *
 * A charge is held by what owns the descriptors, and freed where they are closed, so that none can be forgotten. Several
 * owners of one request's descriptors share its charge; it ends with the last of them.
 */

#include <stddef.h>
#include <sys/types.h>

#include "util/cleanup.h"

typedef struct DescriptorAccount DescriptorAccount;
typedef struct DescriptorCharge DescriptorCharge;

/* The most descriptors that all may hold, and that one user may. */
typedef struct DescriptorLimits {
        size_t all;
        size_t user;
} DescriptorLimits;

/* Returns 0 or a negative errno. */
int descriptor_account_new(DescriptorLimits limits, DescriptorAccount **ret_account);

/* No charge of it may be held any more. */
DescriptorAccount *descriptor_account_free(DescriptorAccount *account);

/* The number of descriptors that are charged now. */
size_t descriptor_account_used(const DescriptorAccount *account);

/* Charges @uid with up to @n descriptors, as many as there is room for, which can be none. Returns 0 or a negative errno. */
int descriptor_account_charge(DescriptorAccount *account, uid_t uid, size_t n, DescriptorCharge **ret_charge);

size_t descriptor_charge_count(const DescriptorCharge *charge);

/* Gives back all but @n of them. */
void descriptor_charge_shrink(DescriptorCharge *charge, size_t n);

/* NULL gives NULL. */
DescriptorCharge *descriptor_charge_ref(DescriptorCharge *charge);
DescriptorCharge *descriptor_charge_unref(DescriptorCharge *charge);

DEFINE_CLEANUP(DescriptorCharge *, descriptor_charge_unref)

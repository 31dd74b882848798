/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The questions of benchd for vouchers (launch/voucher.h): whoever owns the file of a question made it, so the owner is who the
 * voucher names, once the file is hashed. Users take turns (launch/hash-queue.h).
 */

#include <stdint.h>
#include <sys/queue.h>

#include "launch/identity.h"
#include "ops/ops.h"

typedef struct HashQueue HashQueue;
typedef struct Vouching Vouching;
typedef struct VoucherKey VoucherKey;

#define VOUCHINGS_MAX                                                                                                  \
 64u /* questions under way: of one user alone at most half of them, of each further one half of what is left */

/* Told with the answer: VOUCHED or REFUSED. */
typedef void (*VouchingTell)(void *userdata, const OpsRecord *answer);

typedef struct Vouchings {
        const Identities *identities;
        VoucherKey *key;
        HashQueue *hashes;
        VouchingTell tell;
        void *userdata;
        LIST_HEAD(, Vouching) list;
        size_t n;
} Vouchings;

/* Begins to answer the question in @packet, whose descriptor it takes. Returns 0, a positive OpsRefusal, or a negative errno. */
int vouchings_ask(Vouchings *vouchings, OpsPacket *packet);

/* Whoever asked is gone. */
void vouchings_clear(Vouchings *vouchings);

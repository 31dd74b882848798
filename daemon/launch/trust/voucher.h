/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Vouchers: the launcher's word that a user once submitted a file, as a MAC (HMAC-SHA-256) over the user and the file's SHA-256. A file
 * that comes from its user's own hands needs none: who made a memfd is its owner, and cannot give it away. One that benchd stored and
 * copies into a memfd later is benchd's own, as a file that benchd made up would be: the voucher tells the two apart.
 *
 * The key is a file that only the launcher's user can read, outside what benchd may touch. It lasts as long as the stored modules
 * do, across restarts and boots; without it their vouchers are worth nothing, and the modules have to be submitted again. It is read,
 * and made, when it is needed first, so that a daemon that stores nothing leaves none.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "launch/base/identity.h"
#include "launch/trust/hash-queue.h"
#include "ops/ops.h"

typedef struct VoucherQuestion VoucherQuestion;

#define VOUCHER_KEY_BYTES 32u

typedef struct VoucherKey {
        const char *path; /* borrowed */
        bool known;
        uint8_t bytes[VOUCHER_KEY_BYTES];
} VoucherKey;

/*
 * Reads the key, or makes one. A file that another user could have read or written is not used: the reason is logged, and the key is
 * one of this process alone. Returns 0 or a negative errno.
 */
int voucher_key_open(VoucherKey *key);

/* The voucher of @uid for the file with this SHA-256. The @key is open. */
OpsVoucher voucher_make(const VoucherKey *key, uid_t uid, const uint8_t sha256[HASH_BYTES]);

/* True if @voucher is of this key and of that file. */
bool voucher_holds(const VoucherKey *key, const OpsVoucher *voucher, const uint8_t sha256[HASH_BYTES]);

/*
 * The questions of benchd for vouchers: whoever owns the file of a question made it, so the owner is who the
 * voucher names, once the file is hashed. Users take turns (launch/trust/hash-queue.h).
 */

#define VOUCHER_QUESTIONS_MAX                                                                                          \
 64u /* questions under way: of one user alone at most half of them, of each further one half of what is left */

/* Told with the answer: VOUCHED or REFUSED. */
typedef void (*VoucherTell)(void *userdata, const OpsRecord *answer);

typedef struct VoucherQuestions {
        const Identities *identities;
        VoucherKey *key;
        HashQueue *hashes;
        VoucherTell tell;
        void *userdata;
        LIST_HEAD(, VoucherQuestion) list;
        size_t n;
} VoucherQuestions;

/* Begins to answer the question in @packet, whose descriptor it takes. Returns 0, a positive OpsRefusal, or a negative errno. */
int voucher_questions_ask(VoucherQuestions *vouchings, OpsPacket *packet);

/* Whoever asked is gone. */
void voucher_questions_clear(VoucherQuestions *vouchings);

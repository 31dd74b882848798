/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Vouchers: the launcher's word that a user once submitted a file, as a MAC (HMAC-SHA-256) over the user and the file's SHA-256. A
 * memfd that the user's own process made needs none: its maker is its owner and cannot give it away. A stored module that benchd copies
 * into a memfd is owned by benchd, as a file that benchd made up would be: the voucher tells the two apart.
 *
 * The key is a file that only the launcher's user can read, outside benchd's reach. It lasts as long as the stored modules, across
 * restarts and boots; without it their vouchers are void and the modules have to be submitted again. It is read, or made, at its first
 * use, so that a daemon that stores nothing leaves no key.
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
 * Reads the key, or makes one. A file that another user could have read or written is not used: the reason is logged, and the key
 * then lasts only as long as this process. Returns 0 or a negative errno.
 */
int voucher_key_open(VoucherKey *key);

/* The voucher of @uid for the file with this SHA-256. The @key is open. */
OpsVoucher voucher_make(const VoucherKey *key, uid_t uid, const uint8_t sha256[HASH_BYTES]);

/* True if @voucher is of this key and of that file. */
bool voucher_holds(const VoucherKey *key, const OpsVoucher *voucher, const uint8_t sha256[HASH_BYTES]);

/*
 * Requests of benchd for vouchers. The owner of a request's file made it, so the voucher names the owner, once the file
 * is hashed. Users take turns (launch/trust/hash-queue.h).
 */

#define VOUCHER_QUESTIONS_MAX                                                                                          \
 64u /* questions under way: the first user may have half of them, each further user half of the rest */

/* Called with the answer: VOUCHED or REFUSED. */
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

/* Drops all questions: the front-end that asked is gone. */
void voucher_questions_clear(VoucherQuestions *vouchings);

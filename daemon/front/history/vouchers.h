/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Vouchers of stored files (launch/trust/voucher.h), kept beside them. benchd cannot forge a voucher; if one is lost, the file has to be
 * submitted again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ops/ops.h"

typedef struct Database Database;
typedef struct SealedModule SealedModule;

/*
 * Keeps @voucher for the file @sha256 (hexadecimal) as long as the file is stored; does nothing if it is not. Returns 0 or
 * DATABASE_E_FAILED.
 */
int vouchers_note(Database *database, const char *sha256, const OpsVoucher *voucher);

/* Finds a voucher of @uid (root: of any user) for the file @sha256. Returns false if there is none. */
bool vouchers_find(Database *database, const char *sha256, uid_t uid, OpsVoucher *ret_voucher);

/* Finds a voucher for each file of @module, in order; all zero if there is none. */
void vouchers_find_all(Database *database, const SealedModule *module, uid_t uid, OpsVoucher *ret_vouchers);

/*
 * True if the user sent file @part of @module (benchd did not recall it) and no voucher of @uid for it is stored yet.
 */
bool vouchers_lack(Database *database, const SealedModule *module, size_t part, uid_t uid);

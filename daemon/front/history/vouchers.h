/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Vouchers of stored files (launch/trust/voucher.h), kept beside them. benchd cannot make one, and loses nothing by losing one but that the
 * file has to be submitted again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ops/ops.h"

typedef struct Database Database;
typedef struct SealedModule SealedModule;

/* Keeps @voucher of the file @sha256 (in hexadecimal), if that is stored, as long as it is. Returns 0 or DATABASE_E_FAILED. */
int vouchers_note(Database *database, const char *sha256, const OpsVoucher *voucher);

/* Finds a voucher of @uid, or for root of anybody, for the file @sha256. Returns false where there is none. */
bool vouchers_find(Database *database, const char *sha256, uid_t uid, OpsVoucher *ret_voucher);

/* Finds one for each file of @module, one after the other; all zero where there is none. */
void vouchers_find_all(Database *database, const SealedModule *module, uid_t uid, OpsVoucher *ret_vouchers);

/* True if file @part of @module, which its user sent, is to be run again by its job one day, and no voucher for it is there yet. */
bool vouchers_lack(Database *database, const SealedModule *module, size_t part, uid_t uid);

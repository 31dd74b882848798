/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/vouchers.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/history/database.h"
#include "front/history/sealed-module.h"

int vouchers_note(Database *database, const char *sha256, const OpsVoucher *voucher) {
        sqlite3_stmt *add = database_statement(database, DATABASE_ADD_VOUCHER);

        sqlite3_bind_text(add, 1, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, voucher->uid);
        sqlite3_bind_blob(add, 3, voucher->mac, sizeof voucher->mac, SQLITE_STATIC);
        return database_run(database, add);
}

bool vouchers_find(Database *database, const char *sha256, uid_t uid, OpsVoucher *ret_voucher) {
        sqlite3_stmt *find = database_statement(database, DATABASE_FIND_VOUCHER);
        OpsVoucher voucher = {};

        sqlite3_bind_text(find, 1, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(find, 2, uid);
        if (database_step(database, find) > 0 && sqlite3_column_bytes(find, 1) == sizeof voucher.mac) {
                voucher = (OpsVoucher){ .given = 1, .uid = sqlite3_column_int64(find, 0) };
                memcpy(voucher.mac, sqlite3_column_blob(find, 1), sizeof voucher.mac);
                *ret_voucher = voucher;
        }
        sqlite3_reset(find);
        return voucher.given;
}

void vouchers_find_all(Database *database, const SealedModule *module, uid_t uid, OpsVoucher *ret_vouchers) {
        size_t n;

        (void)sealed_module_fds(module, &n);
        for (size_t i = 0; i < n; i++)
                (void)vouchers_find(database, sealed_module_sha256(module, i), uid, &ret_vouchers[i]);
}

bool vouchers_lack(Database *database, const SealedModule *module, size_t part, uid_t uid) {
        struct stat status;
        OpsVoucher voucher;
        size_t n;

        return fstat(sealed_module_fds(module, &n)[part], &status) == 0 && status.st_uid != geteuid() &&
               !vouchers_find(database, sealed_module_sha256(module, part), uid, &voucher);
}

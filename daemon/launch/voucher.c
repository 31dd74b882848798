/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/voucher.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/say.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* Tells a voucher apart from whatever else this key may ever sign. */
#define VOUCHER_PURPOSE "benchd voucher 1"

_Static_assert(sizeof(((OpsVoucher *)0)->mac) == SHA256_DIGEST_SIZE, "a voucher holds a whole MAC");

/* ---- the key */

static int key_draw(VoucherKey *key) {
        if (getrandom(key->bytes, sizeof key->bytes, 0) != sizeof key->bytes)
                return error_origin(-errno);
        key->known = true;
        return 0;
}

/* Returns true with the key, or false with an errno: EPERM where the file may be known to others, EILSEQ where it is damaged. */
static bool key_read(VoucherKey *key) {
        _cleanup_(fd_closep) int fd = open(key->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat status;
        size_t n = 0;
        int r;

        if (fd < 0 || fstat(fd, &status) < 0)
                return false;
        errno = EPERM;
        if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0)
                return false;
        r = fd_try_read_start(fd, key->bytes, sizeof key->bytes, &n);
        if (r == 0 && (n != sizeof key->bytes || status.st_size != sizeof key->bytes))
                r = -EILSEQ;
        errno = -r;
        key->known = r == 0;
        return key->known;
}

static bool key_write_new(const VoucherKey *key, const char *draft) {
        _cleanup_(fd_closep) int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        return fd >= 0 && write(fd, key->bytes, sizeof key->bytes) == sizeof key->bytes && fsync(fd) == 0;
}

/* The file appears whole, or not at all. */
static bool key_write(const VoucherKey *key) {
        _cleanup_(freep) char *draft = NULL;

        if (asprintf(&draft, "%s.new", key->path) < 0) {
                draft = NULL;
                return false;
        }
        (void)unlink(draft);
        return key_write_new(key, draft) && rename(draft, key->path) == 0;
}

int voucher_key_open(VoucherKey *key) {
        int r;

        if (key->known || key_read(key))
                return 0;
        r = errno;
        if (key_draw(key))
                return error_origin(-EIO);
        if (r == ENOENT && key_write(key))
                return 0;
        r = r == ENOENT ? errno : r;
        say(SD_WARNING,
                        "the key %s cannot be used (%s): modules stored from now on cannot be run again by their jobs "
                        "after benchd-launch has ended. %s",
                        key->path,
                        r == EPERM    ? "others could know it"
                        : r == EILSEQ ? "it is damaged"
                                      : strerrordesc_np(r),
                        r == EPERM || r == EILSEQ ? "Remove it: a new one is then made"
                        : r == EIO                ? "The next start tries again"
                                                  : "Make its directory writable");
        return 0;
}

/* ---- vouchers */

static void voucher_mac(const VoucherKey *key, uint32_t uid, const uint8_t sha256[HASH_BYTES],
                uint8_t ret_mac[SHA256_DIGEST_SIZE]) {
        struct hmac_sha256_ctx state;

        hmac_sha256_set_key(&state, sizeof key->bytes, key->bytes);
        hmac_sha256_update(&state, sizeof VOUCHER_PURPOSE, (const uint8_t *)VOUCHER_PURPOSE);
        hmac_sha256_update(&state, sizeof uid, (const uint8_t *)&uid);
        hmac_sha256_update(&state, HASH_BYTES, sha256);
        hmac_sha256_digest(&state, SHA256_DIGEST_SIZE, ret_mac);
}

OpsVoucher voucher_make(const VoucherKey *key, uid_t uid, const uint8_t sha256[HASH_BYTES]) {
        OpsVoucher voucher = { .given = 1, .uid = uid };

        voucher_mac(key, voucher.uid, sha256, voucher.mac);
        return voucher;
}

bool voucher_holds(const VoucherKey *key, const OpsVoucher *voucher, const uint8_t sha256[HASH_BYTES]) {
        uint8_t mac[SHA256_DIGEST_SIZE];

        voucher_mac(key, voucher->uid, sha256, mac);
        return voucher->given && memeql_sec(mac, voucher->mac, sizeof mac);
}

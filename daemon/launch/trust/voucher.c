/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/trust/voucher.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/base/say.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* Tells a voucher apart from anything else that this key may ever sign. */
#define VOUCHER_PURPOSE "benchd voucher 1"

_Static_assert(sizeof(((OpsVoucher *)0)->mac) == SHA256_DIGEST_SIZE, "a voucher holds a whole MAC");

/* ---- the key */

static int key_draw(VoucherKey *key) {
        if (getrandom(key->bytes, sizeof key->bytes, 0) != sizeof key->bytes)
                return error_origin(-errno);
        key->known = true;
        return 0;
}

/* Reads the key. False: errno says why, EPERM if other users may know the file, EILSEQ if it is damaged. */
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

struct VoucherQuestion {
        LIST_ENTRY(VoucherQuestion) list;
        VoucherQuestions *of;
        uint64_t serial;
        uid_t uid;
        int fd;
        HashTask *task;
};

static void vouching_free(VoucherQuestion *vouching) {
        LIST_REMOVE(vouching, list);
        vouching->of->n--;
        hash_task_free(vouching->task);
        fd_close_received(vouching->fd);
        free(vouching);
}

static void vouching_on_hash(void *userdata, int r, const uint8_t sha256[HASH_BYTES]) {
        VoucherQuestion *vouching = userdata;
        VoucherQuestions *vouchings = vouching->of;
        OpsRecord answer = { .kind = OPS_VOUCHED, .serial = vouching->serial };

        vouching->task = NULL;
        if (r == 0)
                r = voucher_key_open(vouchings->key);
        if (r) {
                answer = ops_refusal(vouching->serial, OPS_REFUSAL_SYSTEM, -r);
        } else {
                answer.vouched.voucher = voucher_make(vouchings->key, vouching->uid, sha256);
                memcpy(answer.vouched.sha256, sha256, sizeof answer.vouched.sha256);
        }
        vouching_free(vouching);
        vouchings->tell(vouchings->userdata, &answer);
}

/* A user may have no more places than stay free, so the next user always finds one. */
static bool vouchings_have_place(const VoucherQuestions *vouchings, uid_t uid) {
        const VoucherQuestion *vouching;
        size_t n_own = 0;

        LIST_FOREACH(vouching, &vouchings->list, list) {
                n_own += vouching->uid == uid;
        }
        return n_own < VOUCHER_QUESTIONS_MAX - vouchings->n;
}

/* A file owned by benchd's own user proves nothing about a client. */
static int vouching_check(const VoucherQuestions *vouchings, int fd, uid_t *ret_uid) {
        struct stat status;
        size_t size;
        int r;

        r = fd_check_sealed(fd, OPS_MODULE_MAX, &size);
        if (r)
                return r > 0 ? (int)OPS_REFUSAL_MODULE : error_trace(r);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (status.st_uid == vouchings->identities->front.uid)
                return OPS_REFUSAL_OWNER;
        if (!vouchings_have_place(vouchings, status.st_uid))
                return OPS_REFUSAL_BUSY;
        *ret_uid = status.st_uid;
        return 0;
}

int voucher_questions_ask(VoucherQuestions *vouchings, OpsPacket *packet) {
        VoucherQuestion *vouching;
        uid_t uid;
        int r;

        r = vouching_check(vouchings, packet->fds[0], &uid);
        if (r)
                return r;
        vouching = malloc(sizeof *vouching);
        if (!vouching)
                return error_origin(-ENOMEM);
        *vouching = (VoucherQuestion){ .of = vouchings,
                .serial = packet->record.serial,
                .uid = uid,
                .fd = packet->fds[0] };
        r = hash_queue_add(vouchings->hashes, vouching->uid, vouching->fd, vouching_on_hash, vouching, &vouching->task);
        if (r) {
                free(vouching);
                return error_trace(r);
        }
        packet->fds[0] = -1;
        LIST_INSERT_HEAD(&vouchings->list, vouching, list);
        vouchings->n++;
        return 0;
}

void voucher_questions_clear(VoucherQuestions *vouchings) {
        while (!LIST_EMPTY(&vouchings->list))
                vouching_free(LIST_FIRST(&vouchings->list));
}

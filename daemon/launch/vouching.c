/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/vouching.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "launch/hash-queue.h"
#include "launch/voucher.h"
#include "util/error.h"
#include "util/fd.h"

struct Vouching {
        LIST_ENTRY(Vouching) list;
        Vouchings *of;
        uint64_t serial;
        uid_t uid;
        int fd;
        HashTask *task;
};

static void vouching_free(Vouching *vouching) {
        LIST_REMOVE(vouching, list);
        vouching->of->n--;
        hash_task_free(vouching->task);
        fd_close_received(vouching->fd);
        free(vouching);
}

static void vouching_on_hash(void *userdata, int r, const uint8_t sha256[HASH_BYTES]) {
        Vouching *vouching = userdata;
        Vouchings *vouchings = vouching->of;
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

/* Nobody has more places than are left, so whoever comes next finds some, however many the others would like. */
static bool vouchings_have_place(const Vouchings *vouchings, uid_t uid) {
        const Vouching *vouching;
        size_t n_own = 0;

        LIST_FOREACH(vouching, &vouchings->list, list) {
                n_own += vouching->uid == uid;
        }
        return n_own < VOUCHINGS_MAX - vouchings->n;
}

/* A file of benchd's own user is nobody's word. */
static int vouching_check(const Vouchings *vouchings, int fd, uid_t *ret_uid) {
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

int vouchings_ask(Vouchings *vouchings, OpsPacket *packet) {
        Vouching *vouching;
        uid_t uid;
        int r;

        r = vouching_check(vouchings, packet->fds[0], &uid);
        if (r)
                return r;
        vouching = malloc(sizeof *vouching);
        if (!vouching)
                return error_origin(-ENOMEM);
        *vouching = (Vouching){ .of = vouchings, .serial = packet->record.serial, .uid = uid, .fd = packet->fds[0] };
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

void vouchings_clear(Vouchings *vouchings) {
        while (!LIST_EMPTY(&vouchings->list))
                vouching_free(LIST_FIRST(&vouchings->list));
}

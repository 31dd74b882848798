/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/sealed-module.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/base/digest.h"
#include "front/base/share.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define SEALED_MODULE_SLICE_BYTES (1u << 20) /* hashed at a time: some milliseconds */
#define SEALED_MODULE_READ_BYTES  (16u << 10)
#define SEALED_MODULE_PARTS_MAX   (1 + RUNNER_LIBRARIES_MAX)
#define SEALED_MODULE_NAME_MAX    40u

struct SealedModule {
        int fds[SEALED_MODULE_PARTS_MAX];
        size_t sizes[SEALED_MODULE_PARTS_MAX];
        char hashes[SEALED_MODULE_PARTS_MAX][DIGEST_HEX_BYTES];
        size_t n;
        size_t n_hashed;
        size_t offset; /* in the part that is being hashed */
        struct sha256_ctx state;
        ShareHold held; /* the user's share for the descriptors while they are open */
};

static const char *const sealed_module_reasons[] = {
        [FD_E_NOT_MEMFD] = "is not a memfd",
        [FD_E_UNSEALED] = "is not sealed against writing, shrinking, growing and further seals",
        [FD_E_EMPTY] = "is empty",
        [FD_E_TOO_LARGE] = "is larger than 64 MiB, or has memory behind its end",
};

static const char *part_name(bool of_inputs, unsigned i, char name[static SEALED_MODULE_NAME_MAX]) {
        if (of_inputs)
                snprintf(name, SEALED_MODULE_NAME_MAX, "The descriptor of input %u", i + 1);
        else if (i == 0)
                snprintf(name, SEALED_MODULE_NAME_MAX, "The module's descriptor");
        else
                snprintf(name, SEALED_MODULE_NAME_MAX, "The descriptor of library %u", i);
        return name;
}

static int sealed_new(int *fds, size_t n_fds, ShareHold *held, bool of_inputs, SealedModule **ret_module,
                ReplyError *ret_why) {
        _cleanup_(sealed_module_freep) SealedModule *module = NULL;
        char name[SEALED_MODULE_NAME_MAX];
        int r;

        if (n_fds < 1 || n_fds > SEALED_MODULE_PARTS_MAX)
                return error_origin(-EINVAL);
        module = calloc(1, sizeof *module);
        if (!module)
                return error_origin(-ENOMEM);
        sha256_init(&module->state);
        for (size_t i = 0; i < n_fds; i++) {
                r = fd_check_sealed(fds[i], OPS_MODULE_MAX, &module->sizes[i]);
                if (r < 0)
                        return error_trace(r);
                if (r == 0)
                        continue;
                reply_error_bad(ret_why, "%s %s.", part_name(of_inputs, i, name), sealed_module_reasons[r]);
                return SEALED_MODULE_E_BAD;
        }
        for (size_t i = 0; i < n_fds; i++)
                module->fds[module->n++] = fd_take(&fds[i]);
        if (held)
                share_split(held, n_fds, &module->held);
        *ret_module = take_pointer(module);
        return 0;
}

int sealed_module_new(int *fds, size_t n_fds, ShareHold *held, SealedModule **ret_module, ReplyError *ret_why) {
        return sealed_new(fds, n_fds, held, false, ret_module, ret_why);
}

int sealed_inputs_new(int *fds, size_t n_fds, ShareHold *held, SealedModule **ret_inputs, ReplyError *ret_why) {
        return sealed_new(fds, n_fds, held, true, ret_inputs, ret_why);
}

SealedModule *sealed_module_free(SealedModule *module) {
        if (!module)
                return NULL;
        sealed_module_close(module);
        free(module);
        return NULL;
}

static int sealed_module_hash_slice(SealedModule *module, size_t n) {
        uint8_t buffer[SEALED_MODULE_READ_BYTES];

        while (n > 0) {
                ssize_t k = pread(module->fds[module->n_hashed], buffer, n < sizeof buffer ? n : sizeof buffer,
                                module->offset);

                if (k < 0 && errno == EINTR)
                        continue;
                if (k <= 0)
                        return error_origin(k < 0 ? -errno : -EIO);
                sha256_update(&module->state, k, buffer);
                module->offset += k;
                n -= k;
        }
        return 0;
}

int sealed_module_hash(SealedModule *module) {
        size_t left;
        int r;

        if (module->n_hashed == module->n)
                return 0;
        left = module->sizes[module->n_hashed] - module->offset;
        r = sealed_module_hash_slice(module, left < SEALED_MODULE_SLICE_BYTES ? left : SEALED_MODULE_SLICE_BYTES);
        if (r)
                return error_trace(r);
        if (module->offset < module->sizes[module->n_hashed])
                return SEALED_MODULE_E_MORE;

        digest_hex(&module->state, module->hashes[module->n_hashed]);
        module->offset = 0;
        return ++module->n_hashed < module->n ? SEALED_MODULE_E_MORE : 0;
}

const int *sealed_module_fds(const SealedModule *module, size_t *ret_n) {
        *ret_n = module->n;
        return module->fds;
}

void sealed_module_close(SealedModule *module) {
        share_close(&module->held, module->fds, module->n);
        memset(module->fds, -1, sizeof module->fds);
}

const char *sealed_module_sha256(const SealedModule *module, size_t i) {
        return module->hashes[i];
}

size_t sealed_module_size(const SealedModule *module, size_t i) {
        return module->sizes[i];
}

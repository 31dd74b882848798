/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/module-copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/history/database.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "util/error.h"
#include "util/fd.h"

#define KEEPING_SLICE_BYTES (1u << 20) /* copied at a time */

struct ModuleCopy {
        ModuleStore *store;
        const SealedModule *module;
        size_t n_done;
        ModuleStoreDraft draft; /* of the file that is being copied */
        size_t offset;
        char words[DATABASE_WORDS_MAX];
};

static int module_copy_fail(ModuleCopy *keeping, const char *words) {
        snprintf(keeping->words, sizeof keeping->words, "the module: %s", words);
        return MODULE_STORE_E_FAILED;
}

static int module_copy_begin(ModuleCopy *keeping) {
        int r;

        r = module_store_draft_open(keeping->store, sealed_module_size(keeping->module, keeping->n_done),
                        &keeping->draft);
        if (r == MODULE_STORE_E_FAILED)
                return module_copy_fail(keeping, "there is no room for it within the quota");
        if (r < 0)
                return module_copy_fail(keeping, strerrordesc_np(-r));
        keeping->offset = 0;
        return r;
}

/* Copies some of the file that is begun. */
static int module_copy_copy(ModuleCopy *keeping) {
        const size_t left = sealed_module_size(keeping->module, keeping->n_done) - keeping->offset;
        const size_t slice = left < KEEPING_SLICE_BYTES ? left : KEEPING_SLICE_BYTES;
        size_t n;
        int r;

        r = fd_copy(sealed_module_fds(keeping->module, &n)[keeping->n_done], keeping->draft.fd, keeping->offset, slice);
        if (r == 0 && fdatasync(keeping->draft.fd) < 0)
                r = error_origin(-errno);
        if (r)
                return module_copy_fail(keeping, strerrordesc_np(-r));
        keeping->offset += slice;
        return slice < left ? MODULE_STORE_E_MORE : 0;
}

static int module_copy_finish(ModuleCopy *keeping, uint64_t now_unix_ns) {
        const char *sha256 = sealed_module_sha256(keeping->module, keeping->n_done);
        int r;

        r = module_store_draft_keep(keeping->store, &keeping->draft, sha256, now_unix_ns);
        if (r)
                return module_copy_fail(keeping, r < 0 ? strerrordesc_np(-r) : module_store_words(keeping->store));
        return 0;
}

/* Copies the next slice of the part that it is at. Returns 0 when that part is kept. */
static int module_copy_step_part(ModuleCopy *keeping, uint64_t now_unix_ns) {
        int r;

        if (keeping->draft.fd < 0) {
                if (module_store_use(keeping->store, sealed_module_sha256(keeping->module, keeping->n_done),
                                    now_unix_ns))
                        return 0;
                r = module_copy_begin(keeping);
                if (r)
                        return r;
        }
        r = module_copy_copy(keeping);
        return r ? r : module_copy_finish(keeping, now_unix_ns);
}

int module_copy_step(ModuleCopy *keeping, uint64_t now_unix_ns) {
        size_t n;
        int r;

        sealed_module_fds(keeping->module, &n);
        if (keeping->n_done == n)
                return 0;
        r = module_copy_step_part(keeping, now_unix_ns);
        if (r)
                return r;
        return ++keeping->n_done < n ? MODULE_STORE_E_MORE : 0;
}

const char *module_copy_words(const ModuleCopy *keeping) {
        return keeping->words;
}

int module_copy_new(ModuleStore *store, const SealedModule *module, ModuleCopy **ret_keeping) {
        ModuleCopy *keeping;

        keeping = calloc(1, sizeof *keeping);
        if (!keeping)
                return error_origin(-ENOMEM);
        *keeping = (ModuleCopy){ .store = store, .module = module, .draft = KEEPER_DRAFT_NULL };
        *ret_keeping = keeping;
        return 0;
}

ModuleCopy *module_copy_free(ModuleCopy *keeping) {
        if (!keeping)
                return NULL;
        module_store_draft_drop(keeping->store, &keeping->draft);
        free(keeping);
        return NULL;
}

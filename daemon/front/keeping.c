/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/keeping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/database.h"
#include "front/keeper.h"
#include "front/store.h"
#include "util/error.h"
#include "util/fd.h"

#define KEEPING_SLICE_BYTES (1u << 20) /* copied at a time */

struct Keeping {
        Keeper *keeper;
        const StoredModule *module;
        size_t n_done;
        KeeperDraft draft; /* of the file that is being copied */
        size_t offset;
        char words[DATABASE_WORDS_MAX];
};

static int keeping_fail(Keeping *keeping, const char *words) {
        snprintf(keeping->words, sizeof keeping->words, "the module: %s", words);
        return KEEPER_E_FAILED;
}

static int keeping_begin(Keeping *keeping) {
        int r;

        r = keeper_draft_open(keeping->keeper, stored_module_size(keeping->module, keeping->n_done), &keeping->draft);
        if (r == KEEPER_E_FAILED)
                return keeping_fail(keeping, "there is no room for it within the quota");
        if (r < 0)
                return keeping_fail(keeping, strerrordesc_np(-r));
        keeping->offset = 0;
        return r;
}

/* Copies some of the file that is begun. */
static int keeping_copy(Keeping *keeping) {
        const size_t left = stored_module_size(keeping->module, keeping->n_done) - keeping->offset;
        const size_t slice = left < KEEPING_SLICE_BYTES ? left : KEEPING_SLICE_BYTES;
        size_t n;
        int r;

        r = fd_copy(stored_module_fds(keeping->module, &n)[keeping->n_done], keeping->draft.fd, keeping->offset, slice);
        if (r == 0 && fdatasync(keeping->draft.fd) < 0)
                r = error_origin(-errno);
        if (r)
                return keeping_fail(keeping, strerrordesc_np(-r));
        keeping->offset += slice;
        return slice < left ? KEEPER_E_MORE : 0;
}

static int keeping_finish(Keeping *keeping, uint64_t now_unix_ns) {
        const char *sha256 = stored_module_sha256(keeping->module, keeping->n_done);
        int r;

        r = keeper_draft_keep(keeping->keeper, &keeping->draft, sha256, now_unix_ns);
        if (r)
                return keeping_fail(keeping, r < 0 ? strerrordesc_np(-r) : keeper_words(keeping->keeper));
        return 0;
}

/* Copies the next slice of the part that it is at. Returns 0 when that part is kept. */
static int keeping_step_part(Keeping *keeping, uint64_t now_unix_ns) {
        int r;

        if (keeping->draft.fd < 0) {
                if (keeper_use(keeping->keeper, stored_module_sha256(keeping->module, keeping->n_done), now_unix_ns))
                        return 0;
                r = keeping_begin(keeping);
                if (r)
                        return r;
        }
        r = keeping_copy(keeping);
        return r ? r : keeping_finish(keeping, now_unix_ns);
}

int keeping_step(Keeping *keeping, uint64_t now_unix_ns) {
        size_t n;
        int r;

        stored_module_fds(keeping->module, &n);
        if (keeping->n_done == n)
                return 0;
        r = keeping_step_part(keeping, now_unix_ns);
        if (r)
                return r;
        return ++keeping->n_done < n ? KEEPER_E_MORE : 0;
}

const char *keeping_words(const Keeping *keeping) {
        return keeping->words;
}

int keeping_new(Keeper *keeper, const StoredModule *module, Keeping **ret_keeping) {
        Keeping *keeping;

        keeping = calloc(1, sizeof *keeping);
        if (!keeping)
                return error_origin(-ENOMEM);
        *keeping = (Keeping){ .keeper = keeper, .module = module, .draft = KEEPER_DRAFT_NULL };
        *ret_keeping = keeping;
        return 0;
}

Keeping *keeping_free(Keeping *keeping) {
        if (!keeping)
                return NULL;
        keeper_draft_drop(keeping->keeper, &keeping->draft);
        free(keeping);
        return NULL;
}

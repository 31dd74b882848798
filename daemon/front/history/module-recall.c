/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/module-recall.h"

#include <stdlib.h>
#include <string.h>

#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define RECALL_SLICE_BYTES (1u << 20) /* copied at a time */
#define RECALL_PARTS_MAX   (1 + RUNNER_LIBRARIES_MAX)

/* A file on its way out of the store. */
typedef struct RecallPart {
        const char *name;   /* a library's; NULL: the module */
        const char *sha256; /* expected */
        ModuleStoreFile file;
        size_t copied;
} RecallPart;

struct ModuleRecall {
        ModuleStore *store;
        uid_t uid; /* the requesting user */
        Benchd__RunResult *earlier;
        RecallPart parts[RECALL_PARTS_MAX];
        int fds[RECALL_PARTS_MAX];
        char *library_names[RUNNER_LIBRARIES_MAX];
        size_t n_parts;
        size_t n_copied;
};

static void run_result_freep(Benchd__RunResult **result) {
        if (*result)
                benchd__run_result__free_unpacked(*result, NULL);
}

/* ---- complaints */

static const char *job_of(const ModuleRecall *recall) {
        return recall->earlier->run_id ? recall->earlier->run_id : "?";
}

/* "its module", or "its library NAME". */
static const char *part_words(const RecallPart *part) {
        return part->name ? "its library " : "its module";
}

static const char *part_name(const RecallPart *part) {
        return part->name ? part->name : "";
}

static int recall_complain(const ModuleRecall *recall, const RecallPart *part, int outcome, ReplyError *ret_why) {
        static const struct {
                Benchd__Error__Code code;
                const char *sentence;
                const char *hint;
        } rows[] = {
                [MODULE_STORE_E_MISSING] = { BENCHD__ERROR__CODE__NOT_FOUND,
                                "is no longer stored: other modules took its room within the quota",
                                "Name the module's file. 'benchctl pin JOB' keeps a module regardless of the quota." },
                [MODULE_STORE_E_DAMAGED] = { BENCHD__ERROR__CODE__LOST, "is damaged, and was removed from the store",
                                "Name the module's file: it is then stored anew." },
                [MODULE_STORE_E_BUSY] = { BENCHD__ERROR__CODE__BUSY,
                                "does not fit into this user's part of the memory for modules of earlier jobs",
                                "Try again when other comparisons of this user with earlier jobs have ended, or name the "
                                "module's file. The limit is recalled_per_user= of benchd.conf." },
                [MODULE_STORE_E_ALL_BUSY] = { BENCHD__ERROR__CODE__BUSY,
                                "does not fit into what all users together may have of the memory for modules of earlier jobs",
                                "Try again when other comparisons with earlier jobs have ended, or name the module's "
                                "file. The limit is recalled= of benchd.conf." },
        };

        reply_error_set(ret_why, rows[outcome].code, "Job %s: %s%s %s.", job_of(recall), part_words(part),
                        part_name(part), rows[outcome].sentence);
        reply_error_hint(ret_why, "%s", rows[outcome].hint);
        return MODULE_RECALL_E_BAD;
}

static int recall_fail(const ModuleRecall *recall, const RecallPart *part, int r, ReplyError *ret_why) {
        reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "Job %s: %s%s is stored and cannot be read: %s.",
                        job_of(recall), part_words(part), part_name(part), strerrordesc_np(-r));
        return MODULE_RECALL_E_BAD;
}

/* ---- its files */

static void recall_add_part(ModuleRecall *recall, const char *name, const char *sha256) {
        if (name)
                recall->library_names[recall->n_parts - 1] = (char *)name;
        recall->parts[recall->n_parts++] =
                        (RecallPart){ .name = name, .sha256 = sha256 ? sha256 : "", .file = { .fd = -1 } };
}

/* Adds the parts that the earlier result names. False if it names no module. */
static bool recall_add_parts(ModuleRecall *recall) {
        const Benchd__Module *module = recall->earlier->module;

        if (!module || module->n_libraries > RUNNER_LIBRARIES_MAX)
                return false;
        recall_add_part(recall, NULL, module->sha256);
        for (size_t i = 0; i < module->n_libraries; i++)
                recall_add_part(recall, module->libraries[i]->name ? module->libraries[i]->name : "",
                                module->libraries[i]->sha256);
        return true;
}

static int recall_borrow(ModuleRecall *recall, uint64_t now_unix_ns, ReplyError *ret_why) {
        for (size_t i = 0; i < recall->n_parts; i++) {
                RecallPart *part = &recall->parts[i];
                int r;

                r = module_store_lend(recall->store, recall->uid, part->sha256, now_unix_ns, &part->file);
                if (r == MODULE_STORE_E_DAMAGED)
                        module_store_discard(recall->store, part->sha256);
                if (r > 0)
                        return recall_complain(recall, part, r, ret_why);
                if (r)
                        return recall_fail(recall, part, r, ret_why);
        }
        return 0;
}

int module_recall_new_of(ModuleStore *store, uid_t uid, Benchd__RunResult *earlier, uint64_t now_unix_ns,
                ModuleRecall **ret_recall, ReplyError *ret_why) {
        _cleanup_(run_result_freep) Benchd__RunResult *owned = earlier;
        _cleanup_(module_recall_freep) ModuleRecall *recall = NULL;
        int r;

        recall = calloc(1, sizeof *recall);
        if (!recall)
                return error_origin(-ENOMEM);
        recall->store = store;
        recall->uid = uid;
        recall->earlier = take_pointer(owned);
        memset(recall->fds, -1, sizeof recall->fds);
        if (!recall_add_parts(recall)) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NOT_FOUND,
                                "The history of job %s does not name its module.", job_of(recall));
                reply_error_hint(ret_why, "Name the file of its module.");
                return MODULE_RECALL_E_BAD;
        }
        r = recall_borrow(recall, now_unix_ns, ret_why);
        if (r)
                return r;
        *ret_recall = take_pointer(recall);
        return 0;
}

ModuleRecall *module_recall_free(ModuleRecall *recall) {
        if (!recall)
                return NULL;
        for (size_t i = 0; i < recall->n_parts; i++) {
                module_store_return(&recall->parts[i].file);
                fd_close_received(recall->fds[i]);
        }
        benchd__run_result__free_unpacked(recall->earlier, NULL);
        free(recall);
        return NULL;
}

/* ---- copying */

/* Copies the next slice of @part. Returns 0 when it is complete, E_MORE, or a negative errno. */
static int part_copy(RecallPart *part, int *fd) {
        const size_t left = part->file.size - part->copied;
        const size_t slice = left < RECALL_SLICE_BYTES ? left : RECALL_SLICE_BYTES;
        int r;

        r = *fd < 0 ? fd_memfd_new("module", fd) : 0;
        if (r == 0)
                r = fd_copy(part->file.fd, *fd, part->copied, slice);
        if (r)
                return error_trace(r);
        part->copied += slice;
        if (slice < left)
                return MODULE_RECALL_E_MORE;
        part->file.fd = fd_close(part->file.fd);
        return error_trace(fd_seal(*fd));
}

int module_recall_step(ModuleRecall *recall, ReplyError *ret_why) {
        RecallPart *part = &recall->parts[recall->n_copied];
        int r;

        if (recall->n_copied == recall->n_parts)
                return 0;
        r = part_copy(part, &recall->fds[recall->n_copied]);
        if (r < 0)
                return recall_fail(recall, part, r, ret_why);
        if (r)
                return r;
        return ++recall->n_copied < recall->n_parts ? MODULE_RECALL_E_MORE : 0;
}

int *module_recall_fds(ModuleRecall *recall, size_t *ret_n) {
        *ret_n = recall->n_parts;
        return recall->fds;
}

int module_recall_check(ModuleRecall *recall, const SealedModule *module, ReplyError *ret_why) {
        for (size_t i = 0; i < recall->n_parts; i++) {
                const RecallPart *part = &recall->parts[i];

                if (strcmp(sealed_module_sha256(module, i), part->sha256) == 0)
                        continue;
                module_store_discard(recall->store, part->sha256);
                return recall_complain(recall, part, MODULE_STORE_E_DAMAGED, ret_why);
        }
        return 0;
}

/* ---- the earlier job */

const Benchd__RunResult *module_recall_earlier(const ModuleRecall *recall) {
        return recall->earlier;
}

const char *module_recall_module_name(const ModuleRecall *recall) {
        return recall->earlier->module->name ? recall->earlier->module->name : "module";
}

char **module_recall_library_names(ModuleRecall *recall, size_t *ret_n) {
        *ret_n = recall->n_parts - 1;
        return recall->library_names;
}

size_t module_recall_preloaded(const ModuleRecall *recall) {
        const Benchd__Module *module = recall->earlier->module;
        size_t n = 0;

        while (n < module->n_libraries && module->libraries[n]->preloaded)
                n++;
        return n;
}

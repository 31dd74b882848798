/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/recall.h"

#include <stdlib.h>
#include <string.h>

#include "front/database.h"
#include "front/history.h"
#include "front/keeper.h"
#include "front/manager.h"
#include "front/match.h"
#include "front/past.h"
#include "front/session.h"
#include "front/store.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define RECALL_SLICE_BYTES (1u << 20) /* copied at a time */
#define RECALL_PARTS_MAX   (1 + RUNNER_LIBRARIES_MAX)

/* A file on its way out of the keeper. */
typedef struct RecallPart {
        const char *name;   /* of a library; NULL: the module */
        const char *sha256; /* that it has to have */
        KeptFile kept;
        size_t copied;
} RecallPart;

struct Recall {
        Keeper *keeper;
        Benchd__RunResult *earlier;
        RecallPart parts[RECALL_PARTS_MAX];
        int fds[RECALL_PARTS_MAX];
        char *library_names[RUNNER_LIBRARIES_MAX];
        size_t n_parts;
        size_t n_copied;
};

DEFINE_CLEANUP(Recall *, recall_free)

static void run_result_freep(Benchd__RunResult **result) {
        if (*result)
                benchd__run_result__free_unpacked(*result, NULL);
}

/* ---- complaints */

static const char *job_of(const Recall *recall) {
        return recall->earlier->run_id ? recall->earlier->run_id : "?";
}

/* "its module", or "its library NAME". */
static const char *part_words(const RecallPart *part) {
        return part->name ? "its library " : "its module";
}

static const char *part_name(const RecallPart *part) {
        return part->name ? part->name : "";
}

static int recall_complain(const Recall *recall, const RecallPart *part, int outcome, Complaint *ret_complaint) {
        static const struct {
                Benchd__Error__Code code;
                const char *sentence;
                const char *hint;
        } rows[] = {
                [KEEPER_E_MISSING] = { BENCHD__ERROR__CODE__NOT_FOUND,
                                "is kept no longer: others took its room within the quota",
                                "Name the file. benchctl pin JOB keeps a module whatever the quota says." },
                [KEEPER_E_DAMAGED] = { BENCHD__ERROR__CODE__LOST,
                                "was kept, but the file is damaged: it is not what was measured, and is kept no longer",
                                "Name the file: it is then kept anew." },
                [KEEPER_E_BUSY] = { BENCHD__ERROR__CODE__BUSY,
                                "takes more memory than may be used at once for what is measured again (128 MiB)",
                                "Try again when other comparisons with earlier jobs have ended, or name the file." },
        };

        complaint_set(ret_complaint, rows[outcome].code, "Job %s: %s%s %s.", job_of(recall), part_words(part),
                        part_name(part), rows[outcome].sentence);
        complaint_hint(ret_complaint, "%s", rows[outcome].hint);
        return RECALL_E_BAD;
}

static int recall_fail(const Recall *recall, const RecallPart *part, int r, Complaint *ret_complaint) {
        complaint_set(ret_complaint, BENCHD__ERROR__CODE__INTERNAL, "Job %s: %s%s is kept and cannot be read: %s.",
                        job_of(recall), part_words(part), part_name(part), strerrordesc_np(-r));
        return RECALL_E_BAD;
}

/* ---- which job */

static int refuse_job(const char *run_id, Benchd__Error__Code code, const char *why, const char *hint,
                Complaint *ret_complaint) {
        complaint_set(ret_complaint, code, "Job %s %s.", run_id, why);
        complaint_hint(ret_complaint, "%s", hint);
        return RECALL_E_BAD;
}

static int refuse_without_result(const char *run_id, Benchd__JobState state, Complaint *ret_complaint) {
        const bool ended = state == BENCHD__JOB_STATE__JOB_FAILED || state == BENCHD__JOB_STATE__JOB_CANCELLED;

        return refuse_job(run_id, ended ? BENCHD__ERROR__CODE__NOT_FOUND : BENCHD__ERROR__CODE__LOST,
                        ended ? "ended without a result, so nothing says what it would have measured"
                              : "is lost: the daemon ended before it did",
                        "Name the file of its module.", ret_complaint);
}

/* The result of a job that is over. Returns 0, E_BAD, or a negative errno. */
static int recall_read(Database *database, const char *run_id, const Session *session, Benchd__RunResult **ret_result,
                Complaint *ret_complaint) {
        PastJob job;
        int r;

        r = past_read(database, run_id, &job);
        if (r == 0 && session->uid != 0 && job.uid != session->uid)
                return refuse_job(run_id, BENCHD__ERROR__CODE__DENIED,
                                "is another user's: its result may be seen, but its module not be run", "",
                                ret_complaint);
        if (r == 0)
                r = past_read_result(database, &job, ret_result);
        if (r == PAST_E_NOT_FOUND)
                return refuse_without_result(run_id, job.state, ret_complaint);
        if (r == 0)
                return 0;
        complaint_set(ret_complaint, BENCHD__ERROR__CODE__INTERNAL, "What the history holds of job %s cannot be read.",
                        run_id);
        return RECALL_E_BAD;
}

int recall_new(const Session *session, const char *run_id, uint64_t now_unix_ns, Recall **ret_recall,
                Complaint *ret_complaint) {
        const Manager *manager = session->manager;
        char found[RUN_ID_BYTES];
        Benchd__RunResult *earlier;
        int r;

        if (!manager->keeper) {
                complaint_set(ret_complaint, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This daemon keeps no modules, so it can measure none of an earlier job.");
                complaint_hint(ret_complaint, "Name the file of the module.");
                return RECALL_E_BAD;
        }
        if (match_job(session, run_id, false, found, ret_complaint) != 0)
                return RECALL_E_BAD;
        if (manager_find_job(manager, found))
                return refuse_job(found, BENCHD__ERROR__CODE__NOT_DONE, "is not over yet", "benchctl wait follows it.",
                                ret_complaint);
        r = recall_read(history_database(manager->history), found, session, &earlier, ret_complaint);
        if (r)
                return r;
        return recall_new_of(manager->keeper, earlier, now_unix_ns, ret_recall, ret_complaint);
}

/* ---- its files */

static void recall_add_part(Recall *recall, const char *name, const char *sha256) {
        if (name)
                recall->library_names[recall->n_parts - 1] = (char *)name;
        recall->parts[recall->n_parts++] =
                        (RecallPart){ .name = name, .sha256 = sha256 ? sha256 : "", .kept = { .fd = -1 } };
}

/* The parts that the earlier result tells of. False if it tells too little. */
static bool recall_add_parts(Recall *recall) {
        const Benchd__Module *module = recall->earlier->module;

        if (!module || module->n_libraries > RUNNER_LIBRARIES_MAX)
                return false;
        recall_add_part(recall, NULL, module->sha256);
        for (size_t i = 0; i < module->n_libraries; i++)
                recall_add_part(recall, module->libraries[i]->name ? module->libraries[i]->name : "",
                                module->libraries[i]->sha256);
        return true;
}

static int recall_borrow(Recall *recall, uint64_t now_unix_ns, Complaint *ret_complaint) {
        for (size_t i = 0; i < recall->n_parts; i++) {
                RecallPart *part = &recall->parts[i];
                int r;

                r = keeper_lend(recall->keeper, part->sha256, now_unix_ns, &part->kept);
                if (r == KEEPER_E_DAMAGED)
                        keeper_discard(recall->keeper, part->sha256);
                if (r > 0)
                        return recall_complain(recall, part, r, ret_complaint);
                if (r)
                        return recall_fail(recall, part, r, ret_complaint);
        }
        return 0;
}

int recall_new_of(Keeper *keeper, Benchd__RunResult *earlier, uint64_t now_unix_ns, Recall **ret_recall,
                Complaint *ret_complaint) {
        _cleanup_(run_result_freep) Benchd__RunResult *owned = earlier;
        _cleanup_(recall_freep) Recall *recall = NULL;
        int r;

        recall = calloc(1, sizeof *recall);
        if (!recall)
                return error_origin(-ENOMEM);
        recall->keeper = keeper;
        recall->earlier = take_pointer(owned);
        memset(recall->fds, -1, sizeof recall->fds);
        if (!recall_add_parts(recall))
                return refuse_job(job_of(recall), BENCHD__ERROR__CODE__NOT_FOUND, "does not tell its module",
                                "Name the file of its module.", ret_complaint);
        r = recall_borrow(recall, now_unix_ns, ret_complaint);
        if (r)
                return r;
        *ret_recall = take_pointer(recall);
        return 0;
}

Recall *recall_free(Recall *recall) {
        if (!recall)
                return NULL;
        for (size_t i = 0; i < recall->n_parts; i++) {
                keeper_return(recall->keeper, &recall->parts[i].kept);
                fd_close(recall->fds[i]);
        }
        benchd__run_result__free_unpacked(recall->earlier, NULL);
        free(recall);
        return NULL;
}

/* ---- copying */

/* Copies some of @part. Returns 0 when all of it is there, E_MORE, or a negative errno. */
static int part_copy(RecallPart *part, int *fd) {
        const size_t left = part->kept.size - part->copied;
        const size_t slice = left < RECALL_SLICE_BYTES ? left : RECALL_SLICE_BYTES;
        int r;

        r = *fd < 0 ? fd_memfd_new("module", fd) : 0;
        if (r == 0)
                r = fd_copy(part->kept.fd, *fd, part->copied, slice);
        if (r)
                return error_trace(r);
        part->copied += slice;
        if (slice < left)
                return RECALL_E_MORE;
        part->kept.fd = fd_close(part->kept.fd);
        return error_trace(fd_seal(*fd));
}

int recall_step(Recall *recall, Complaint *ret_complaint) {
        RecallPart *part = &recall->parts[recall->n_copied];
        int r;

        if (recall->n_copied == recall->n_parts)
                return 0;
        r = part_copy(part, &recall->fds[recall->n_copied]);
        if (r < 0)
                return recall_fail(recall, part, r, ret_complaint);
        if (r)
                return r;
        return ++recall->n_copied < recall->n_parts ? RECALL_E_MORE : 0;
}

int *recall_fds(Recall *recall, size_t *ret_n) {
        *ret_n = recall->n_parts;
        return recall->fds;
}

int recall_check(Recall *recall, const StoredModule *module, Complaint *ret_complaint) {
        for (size_t i = 0; i < recall->n_parts; i++) {
                const RecallPart *part = &recall->parts[i];

                if (strcmp(stored_module_sha256(module, i), part->sha256) == 0)
                        continue;
                keeper_discard(recall->keeper, part->sha256);
                return recall_complain(recall, part, KEEPER_E_DAMAGED, ret_complaint);
        }
        return 0;
}

/* ---- what it was */

const Benchd__RunResult *recall_earlier(const Recall *recall) {
        return recall->earlier;
}

const char *recall_module_name(const Recall *recall) {
        return recall->earlier->module->name ? recall->earlier->module->name : "module";
}

char **recall_library_names(Recall *recall, size_t *ret_n) {
        *ret_n = recall->n_parts - 1;
        return recall->library_names;
}

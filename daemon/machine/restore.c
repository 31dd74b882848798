/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/restore.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/file-value.h"
#include "machine/restore-journal.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

/* ---- files */

static int hand_outcome(RootDir *root, const char *key, int r) {
        static const int outcomes[] = {
                [ROOT_DIR_E_MISSING] = RESTORE_HAND_E_GONE,
                [ROOT_DIR_E_DENIED] = RESTORE_HAND_E_REFUSED,
                [ROOT_DIR_E_REFUSED] = RESTORE_HAND_E_REFUSED,
        };

        if (r <= 0)
                return error_trace(r);
        return file_value_cpu_is_off(root, key) ? RESTORE_HAND_E_OFF : outcomes[r];
}

static int file_read(void *context, const char *key, char *value, size_t n_value) {
        return hand_outcome(context, key, file_value_read(context, key, value, n_value));
}

static int file_write(void *context, const char *key, const char *value) {
        return hand_outcome(context, key, file_value_write(context, key, value));
}

void restore_hands_init(RestoreHands *hands, RootDir *root) {
        *hands = (RestoreHands){};
        hands->hands[RESTORE_FILE] = (RestoreHand){ .read = file_read, .write = file_write, .context = root };
}

/* ---- one entry */

/* Decides on an entry that holds @is: only OPS_OUTCOME_RESTORED requires a write. */
static OpsOutcome entry_judge(const RestoreEntry *entry, const char *is) {
        if (strcmp(is, entry->was) == 0)
                return OPS_OUTCOME_ALREADY;
        return entry->unconfirmed || restore_journal_entry_is_ours(entry, is) ? OPS_OUTCOME_RESTORED
                                                                              : OPS_OUTCOME_LEFT_ALONE;
}

static int outcome_of_hand(int r, OpsOutcome *ret_outcome) {
        static const OpsOutcome outcomes[] = {
                [RESTORE_HAND_E_GONE] = OPS_OUTCOME_GONE,
                [RESTORE_HAND_E_REFUSED] = OPS_OUTCOME_WAITING,
                [RESTORE_HAND_E_OFF] = OPS_OUTCOME_OFF,
        };

        if (r < 0)
                return error_trace(r);
        *ret_outcome = outcomes[r];
        return 0;
}

bool restore_outcome_waits(OpsOutcome outcome) {
        return outcome == OPS_OUTCOME_WAITING || outcome == OPS_OUTCOME_OFF;
}

/*
 * Writes the original value and reads it back. Whatever the kernel makes of it is benchd's doing too, even if the
 * daemon is cut off: so it is noted first, but a journal that cannot be written does not stop the restoring.
 */
static int entry_put_back(RestoreJournal *journal, const RestoreHand *hand, const RestoreEntry *entry,
                OpsOutcome *ret_outcome) {
        char is[FILE_VALUE_MAX];
        int r;

        (void)restore_journal_note(journal, entry->kind, entry->key, entry->was, entry->was);
        r = hand->write(hand->context, entry->key, entry->was);
        if (!r)
                r = hand->read(hand->context, entry->key, is, sizeof is);
        if (r)
                return error_trace(outcome_of_hand(r, ret_outcome));
        if (strcmp(is, entry->was) != 0) {
                *ret_outcome = OPS_OUTCOME_WAITING;
                return error_trace(restore_journal_confirm(journal, entry->kind, entry->key, is));
        }
        *ret_outcome = OPS_OUTCOME_RESTORED;
        return 0;
}

/* Writes the value before the attempt into @is, empty if it could not be read. */
static int entry_restore(RestoreJournal *journal, const RestoreHands *hands, const RestoreEntry *entry, char *is,
                OpsOutcome *ret_outcome) {
        const RestoreHand *hand = &hands->hands[entry->kind];
        int r;

        is[0] = 0;
        if (!hand->read) {
                *ret_outcome = OPS_OUTCOME_WAITING;
                return 0;
        }
        r = hand->read(hand->context, entry->key, is, FILE_VALUE_MAX);
        if (r) {
                is[0] = 0;
                return error_trace(outcome_of_hand(r, ret_outcome));
        }
        *ret_outcome = entry_judge(entry, is);
        /* The kernel may not have taken over an earlier write yet; writing again comes after it. */
        if (*ret_outcome == OPS_OUTCOME_ALREADY && entry->kind == RESTORE_FILE)
                (void)hand->write(hand->context, entry->key, entry->was);
        if (*ret_outcome != OPS_OUTCOME_RESTORED)
                return 0;
        return error_trace(entry_put_back(journal, hand, entry, ret_outcome));
}

int restore_one(RestoreJournal *journal, const RestoreHands *hands, RestoreKind kind, const char *key,
                OpsOutcome *ret_outcome) {
        const RestoreEntry *entry = restore_journal_find(journal, kind, key);
        OpsOutcome outcome = OPS_OUTCOME_ALREADY;
        char is[FILE_VALUE_MAX];
        int r;

        if (entry) {
                r = entry_restore(journal, hands, entry, is, &outcome);
                if (!r && !restore_outcome_waits(outcome))
                        r = restore_journal_done(journal, kind, key);
                if (r)
                        return error_trace(r);
        }
        *ret_outcome = outcome;
        return 0;
}

/* ---- all of them */

/* The callback runs after the entry is gone, so it gets copies. */
static int restore_place(const RestorePass *restoring, size_t place) {
        const RestoreEntry *entry = restore_journal_entry(restoring->journal, place);
        _cleanup_(freep) char *key = strdup(entry->key), *was = strdup(entry->was);
        RestoreKind kind = entry->kind;
        OpsOutcome outcome;
        char is[FILE_VALUE_MAX];
        int r;

        if (!key || !was)
                return error_origin(-ENOMEM);
        r = entry_restore(restoring->journal, restoring->hands, entry, is, &outcome);
        if (!r && !restore_outcome_waits(outcome))
                r = restore_journal_done(restoring->journal, kind, key);
        if (r)
                return error_trace(r);
        if (restoring->tell && (restoring->last || !restore_outcome_waits(outcome)))
                restoring->tell(restoring->context, outcome, key, was, is);
        return 0;
}

int restore_pass(const RestorePass *restoring) {
        int first = 0;

        for (size_t place = restore_journal_count(restoring->journal); place > 0; place--) {
                int r;

                if (restoring->leave && restoring->leave(restoring->context,
                                                        restore_journal_entry(restoring->journal, place - 1)))
                        continue;
                r = restore_place(restoring, place - 1);
                if (!first)
                        first = r;
        }
        return error_trace(first);
}

int restore_all(RestoreJournal *journal, const RestoreHands *hands, RestoreTell tell, void *context) {
        RestorePass restoring = { .journal = journal, .hands = hands, .tell = tell, .context = context };
        int r, again;

        r = restore_pass(&restoring);
        restoring.last = true;
        again = restore_pass(&restoring);
        return r ? error_trace(r) : error_trace(again);
}

#define FIELDS_BEFORE_START 20 /* after the name, which may have any characters: proc(5), field 22 */

/* Finds the start time in the text of /proc/TID/stat; NULL if there is none. */
static const char *stat_start(const char *stat) {
        const char *field = strrchr(stat, ')');

        for (int i = 0; field && i < FIELDS_BEFORE_START; i++)
                field = strchr(field + 1, ' ');
        return field ? field + 1 : NULL;
}

int restore_thread_mask_key(RootDir *root, pid_t tid, char *key, size_t n_key) {
        char path[32], stat[1024];
        const char *start;
        int r;

        snprintf(path, sizeof path, "proc/%d/stat", tid);
        r = root_dir_read_line(root, path, stat, sizeof stat);
        if (r < 0)
                return error_trace(r);
        start = r ? NULL : stat_start(stat);
        if (!start)
                return RESTORE_THREAD_MASK_E_GONE;
        snprintf(key, n_key, "%d %.*s", tid, (int)strcspn(start, " "), start);
        return 0;
}

/* Finds the thread of @key, if it is still the same. */
static int key_thread(RootDir *root, const char *key, pid_t *ret_tid) {
        char now[64];
        pid_t tid = atoi(key);
        int r;

        r = restore_thread_mask_key(root, tid, now, sizeof now);
        if (r < 0)
                return error_trace(r);
        if (r > 0 || strcmp(now, key) != 0)
                return RESTORE_HAND_E_GONE;
        *ret_tid = tid;
        return 0;
}

/* Some errors of a system call on another thread are expected answers. */
static int affinity_outcome(void) {
        return errno == ESRCH ? RESTORE_HAND_E_GONE : RESTORE_HAND_E_REFUSED;
}

static int mask_read(void *context, const char *key, char *value, size_t n_value) {
        cpu_set_t set;
        pid_t tid;
        int r;

        r = key_thread(context, key, &tid);
        if (r)
                return error_trace(r);
        if (sched_getaffinity(tid, sizeof set, &set) < 0)
                return affinity_outcome();
        return cpu_list_format(&set, value, n_value) < n_value ? 0 : RESTORE_HAND_E_REFUSED;
}

/* True if a CPU of @set is switched off: the kernel silently drops it from the mask. */
static bool one_is_off(RootDir *root, const cpu_set_t *set) {
        cpu_set_t online;

        return file_value_read_set(root, "sys/devices/system/cpu/online", &online) == 0 && CPU_COUNT(&online) > 0 &&
               !cpu_set_within(set, &online);
}

static int mask_write(void *context, const char *key, const char *value) {
        cpu_set_t set;
        pid_t tid;
        int r;

        r = key_thread(context, key, &tid);
        if (r)
                return error_trace(r);
        if (cpu_list_parse(value, &set) > 0)
                return RESTORE_HAND_E_REFUSED;
        if (sched_setaffinity(tid, sizeof set, &set) < 0)
                return affinity_outcome();
        return one_is_off(context, &set) ? RESTORE_HAND_E_OFF : 0;
}

void restore_thread_mask_hand(RootDir *root, RestoreHand *ret_hand) {
        *ret_hand = (RestoreHand){ .read = mask_read, .write = mask_write, .context = root };
}

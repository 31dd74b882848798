/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/restorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/base/say.h"
#include "launch/birth/run-group.h"
#include "launch/lease/shield.h"
#include "machine/applied-plan.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

static int restorer_place(Restorer *restorer, const char *path) {
        bool absolute = path[0] == '/';

        restorer->path = strdup(path + absolute);
        if (!restorer->path)
                return error_origin(-ENOMEM);
        if (asprintf(&restorer->chosen_path, "%s.governor", restorer->path) < 0) {
                restorer->chosen_path = NULL;
                return error_origin(-ENOMEM);
        }
        return error_trace(root_dir_new(absolute ? "/" : ".", &restorer->disk));
}

static void restorer_tell_damage(Restorer *restorer, const char *path) {
        const RestoreDamage damage = restore_journal_damage(restorer->journal);

        if (damage.first_line == 0)
                return;
        restorer->replay.corrupt = 1;
        say(SD_ERR,
                        "the restore journal %s is damaged in line %zu: what stands before is restored; %zu line%s from "
                        "there on not. It is kept as %s.corrupt",
                        path, damage.first_line, damage.n_lines, damage.n_lines == 1 ? " is" : "s are", path);
}

/* Opening a corrupt journal sets it aside, so the second attempt makes a new one. */
static int restorer_open_journal(Restorer *restorer, const char *path) {
        int r;

        r = restore_journal_open(restorer->disk, restorer->path, &restorer->journal);
        if (r == RESTORE_JOURNAL_E_CORRUPT) {
                restorer->replay.corrupt = 1;
                say(SD_ERR, "the restore journal %s is damaged: nothing was restored, and it is kept as %s.corrupt",
                                path, path);
                r = restore_journal_open(restorer->disk, restorer->path, &restorer->journal);
        }
        if (r == RESTORE_JOURNAL_E_HELD)
                return RESTORER_E_HELD;
        if (r) {
                restorer->replay.absent = 1;
                say(SD_WARNING, "no restore journal at %s (%s): the machine's settings will not be changed", path,
                                r < 0 ? strerrordesc_np(-r) : "damaged");
        } else {
                restorer_tell_damage(restorer, path);
        }
        return 0;
}

static int restorer_take_hands(Restorer *restorer, RootDir *root, bool live) {
        int r;

        restore_hands_init(&restorer->hands, root);
        if (!live)
                return 0;
        restore_thread_mask_hand(root, &restorer->hands.hands[RESTORE_THREAD_MASK]);
        run_group_hand(root, &restorer->hands.hands[RESTORE_CGROUP]);
        r = shield_units_new(SHIELD_UNITS_SYSTEMD_ADDRESS, &restorer->units);
        if (r == 0)
                shield_units_hand(restorer->units, &restorer->hands.hands[RESTORE_UNIT_PROPERTY]);
        return r < 0 ? error_trace(r) : 0;
}

/*
 * A path of a killed daemon's run would tell a reader nothing, and a run has several groups if there are several
 * hierarchies.
 */
static void restorer_tell_group(Restorer *restorer, OpsOutcome outcome) {
        if (restore_outcome_waits(outcome) && restorer->runs_left++ == 0)
                say(SD_WARNING, "a run of an earlier daemon was killed and does not die: it disturbs what is measured beside it. "
                                "'ps -C benchd-runner -o pid,stat,wchan:30' shows what it waits for");
        else if (outcome == OPS_OUTCOME_RESTORED && !restorer->told_of_runs)
                say(SD_NOTICE, "runs of an earlier daemon were left: they are ended");
        restorer->told_of_runs = true;
}

static void restorer_tell(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        Restorer *restorer = context;

        if (run_group_is_key(key)) {
                restorer_tell_group(restorer, outcome);
                return;
        }
        restorer->replay.foreign += outcome == OPS_OUTCOME_LEFT_ALONE;
        restorer->replay.refused += restore_outcome_waits(outcome);
        if (outcome == OPS_OUTCOME_RESTORED)
                say(SD_NOTICE, "%s was left at '%s': put back to '%s'", key, is, was);
        else if (outcome == OPS_OUTCOME_LEFT_ALONE)
                say(SD_NOTICE, "%s was changed to '%s' by another program: left alone", key, is);
        else if (outcome == OPS_OUTCOME_WAITING)
                say(SD_WARNING, "%s could not be put back to '%s': it is '%s'", key, was, is);
        else if (outcome == OPS_OUTCOME_OFF)
                say(SD_WARNING, "%s could not be put back to '%s', since its CPU is off", key, was);
}

/* Without the file nothing is chosen, and earlier choices are put back. */
static int restorer_read_chosen(Restorer *restorer) {
        int r;

        r = governor_choices_read(restorer->disk, restorer->chosen_path, &restorer->chosen);
        if (r != GOVERNOR_CHOICES_E_CORRUPT)
                return error_trace(r);
        say(SD_ERR, "%s is damaged: the governors that set-governor chose are dropped", restorer->chosen_path);
        return unlinkat(root_dir_fd(restorer->disk), restorer->chosen_path, 0) < 0 ? error_origin(-errno) : 0;
}

static bool is_file(void *context, const RestoreEntry *entry) {
        return entry->kind == RESTORE_FILE;
}

/* Applies the choices; the journal keeps the values from before them. */
static int restorer_choose(Restorer *restorer, RootDir *root) {
        _cleanup_(tunable_plan_clear) TunablePlan plan = {};
        AppliedPlan *applied = NULL;
        int r;

        r = governor_choices_plan(root, &restorer->chosen, &plan);
        if (!r)
                r = applied_plan_new(root, restorer->journal, &applied);
        if (!r)
                r = applied_plan_move(applied, &plan, restorer_tell, restorer);
        applied_plan_free(applied);
        return error_trace(r);
}

/*
 * Entries other than files are put back first. If that fails, for example because the journal cannot be written, files
 * are put back all the same.
 */
static int restorer_keep_chosen(Restorer *restorer, RootDir *root) {
        RestorePass restoring = {
                .journal = restorer->journal,
                .hands = &restorer->hands,
                .leave = is_file,
                .tell = restorer_tell,
                .context = restorer,
                .last = true,
        };
        int first, r;

        first = restore_pass(&restoring);
        r = restorer_choose(restorer, root);
        return first ? error_trace(first) : error_trace(r);
}

static int restorer_work_off(Restorer *restorer, RootDir *root) {
        int r;

        r = restorer_read_chosen(restorer);
        if (r)
                return error_trace(r);
        if (restorer->chosen.n > 0)
                return error_trace(restorer_keep_chosen(restorer, root));
        return error_trace(restore_all(restorer->journal, &restorer->hands, restorer_tell, restorer));
}

/*
 * If the journal cannot be written, for example on a full file system, its values are put back all the same, and it is
 * not used any more.
 */
static void restorer_replay(Restorer *restorer, RootDir *root, const char *path) {
        int r = restorer_work_off(restorer, root);

        if (r == 0)
                return;
        say(SD_WARNING, "the restore journal %s could not be replayed (%s): the machine's settings will not be changed",
                        path, strerrordesc_np(-r));
        restorer->replay.absent = 1;
        restorer->journal = restore_journal_close(restorer->journal);
}

int restorer_open(const char *path, RootDir *root, bool live, Restorer *ret_restorer) {
        Restorer restorer = {};
        int r;

        r = restorer_place(&restorer, path);
        if (!r)
                r = restorer_open_journal(&restorer, path);
        if (!r && restorer.journal)
                r = restorer_take_hands(&restorer, root, live);
        if (!r && restorer.journal)
                restorer_replay(&restorer, root, path);
        if (r) {
                restorer_close(&restorer, false);
                return error_trace(r);
        }
        *ret_restorer = restorer;
        return 0;
}

void restorer_close(Restorer *restorer, bool remove) {
        if (remove && restorer->journal && restore_journal_count(restorer->journal) == 0)
                (void)unlinkat(root_dir_fd(restorer->disk), restorer->path, 0);
        restore_journal_close(restorer->journal);
        shield_units_free(restorer->units);
        root_dir_free(restorer->disk);
        free(restorer->path);
        free(restorer->chosen_path);
        *restorer = (Restorer){};
}

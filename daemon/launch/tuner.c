/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "machine/restore-journal.h"
#include "machine/tunable.h"
#include "machine/tuning.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

struct Tuner {
        RootDir *root, *disk;
        RestoreJournal *journal;
        Tuning *tuning;
        TuneWish wish;
        Sticky sticky;
        char journal_path[STICKY_PATH_MAX];
        char sticky_path[STICKY_PATH_MAX];
};

DEFINE_CLEANUP(Tuner *, tuner_free)

/* ---- opening */

/* A path below a root has no slash before it. */
static int name_files(Tuner *tuner, const char *path) {
        path += strspn(path, "/");
        if (snprintf(tuner->journal_path, STICKY_PATH_MAX, "%s", path) >= (int)STICKY_PATH_MAX ||
                        snprintf(tuner->sticky_path, STICKY_PATH_MAX, "%s.governor", path) >= (int)STICKY_PATH_MAX)
                return error_origin(-ENAMETOOLONG);
        return 0;
}

static int open_journal(Tuner *tuner) {
        int r;

        r = restore_journal_open(tuner->disk, tuner->journal_path, &tuner->journal);
        if (r == RESTORE_JOURNAL_E_CORRUPT) {
                fprintf(stderr,
                                SD_ERR
                                "/%s is damaged: it is set aside as %s.corrupt, and nothing is restored from it. "
                                "What an earlier benchd changed of this machine stays, at most until it starts anew.\n",
                                tuner->journal_path, tuner->journal_path);
                r = restore_journal_open(tuner->disk, tuner->journal_path, &tuner->journal);
        }
        if (r == RESTORE_JOURNAL_E_HELD)
                return TUNER_E_HELD;
        return error_fold(r);
}

/* Without it nothing is chosen, and what was is put back. */
static int read_sticky(Tuner *tuner) {
        int r;

        r = sticky_read(tuner->disk, tuner->sticky_path, &tuner->sticky);
        if (r != STICKY_E_CORRUPT)
                return error_trace(r);
        fprintf(stderr, SD_ERR "/%s is damaged: the governor that was set is not set any more\n", tuner->sticky_path);
        if (unlinkat(root_dir_fd(tuner->disk), tuner->sticky_path, 0) < 0)
                return error_origin(-errno);
        return 0;
}

/* ---- moving */

static int tuner_move(Tuner *tuner, RestoreTell tell, void *context) {
        TunePlan plan = {};
        int r;

        r = tunables_plan(tuner->root, tuner->journal, &tuner->wish, &plan);
        if (!r)
                r = sticky_plan(tuner->root, &tuner->sticky, &plan);
        if (!r)
                r = tuning_move(tuner->tuning, &plan, tell, context);
        tune_plan_clear(&plan);
        return error_trace(r);
}

int tuner_lease(Tuner *tuner, const TuneWish *wish) {
        tuner->wish = *wish;
        return error_trace(tuner_move(tuner, NULL, NULL));
}

int tuner_choose(Tuner *tuner, const Sticky *sticky, RestoreTell tell, void *context) {
        int r;

        r = sticky_write(tuner->disk, tuner->sticky_path, sticky);
        if (r)
                return error_trace(r);
        tuner->sticky = *sticky;
        return error_trace(tuner_move(tuner, tell, context));
}

/* ---- life */

static void tell_left(void *context, RestoreOutcome outcome, const char *key, const char *was, const char *is) {
        static const struct {
                const char *level, *words;
        } rows[] = {
                [RESTORE_PUT_BACK] = { SD_NOTICE, "put back" },
                [RESTORE_FOREIGN] = { SD_NOTICE, "left alone, since somebody else changed it" },
                [RESTORE_REFUSED] = { SD_WARNING, "not to be put back now" },
        };

        if (outcome < (RestoreOutcome)N_ELEMENTS(rows) && rows[outcome].words)
                fprintf(stderr, "%s/%s, which an earlier benchd changed from '%s', held '%s': %s\n",
                                rows[outcome].level, key, was, is, rows[outcome].words);
}

int tuner_new(RootDir *root, RootDir *disk, const char *path, Tuner **ret_tuner) {
        _cleanup_(tuner_freep) Tuner *tuner = NULL;
        int r;

        tuner = calloc(1, sizeof *tuner);
        if (!tuner)
                return error_origin(-ENOMEM);
        tuner->root = root;
        tuner->disk = disk;
        r = name_files(tuner, path);
        if (!r)
                r = open_journal(tuner);
        if (!r)
                r = read_sticky(tuner);
        if (!r)
                r = tuning_new(root, tuner->journal, &tuner->tuning);
        if (!r)
                r = tuner_move(tuner, tell_left, NULL);
        if (r)
                return error_trace(r);
        *ret_tuner = take_pointer(tuner);
        return 0;
}

Tuner *tuner_free(Tuner *tuner) {
        if (!tuner)
                return NULL;
        tuning_free(tuner->tuning);
        restore_journal_close(tuner->journal);
        free(tuner);
        return NULL;
}

const Sticky *tuner_sticky(const Tuner *tuner) {
        return &tuner->sticky;
}

Tuning *tuner_tuning(const Tuner *tuner) {
        return tuner->tuning;
}

RestoreJournal *tuner_journal(const Tuner *tuner) {
        return tuner->journal;
}

RootDir *tuner_root(const Tuner *tuner) {
        return tuner->root;
}

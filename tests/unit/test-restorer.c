/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a daemon that was killed left is put back when its journal is opened, and what cannot be is counted. */

#include "launch/lease/restorer.h"

#include <sys/resource.h>

#include "machine.h"
#include "machine/governor.h"
#include "machine/restore-journal.h"

#define ONE   "sys/one"
#define OTHER "sys/other"

#define GROUP "sys/fs/cgroup/gone/12-1"

static Machine *machine;
static Restorer restorer;

static int set_up(void **state) {
        machine = machine_new();
        return 0;
}

static int tear_down(void **state) {
        machine = machine_free(machine);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void leave(void) {
        RestoreJournal *journal;

        machine_put(machine, ONE, "new");
        machine_put(machine, OTHER, "new");
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(restore_journal_note(journal, RESTORE_FILE, i ? OTHER : ONE, "old", "new"), 0);
                assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, i ? OTHER : ONE, "new"), 0);
        }
        restore_journal_close(journal);
}

static const char *path_of(void) {
        static char path[128];

        snprintf(path, sizeof path, "%s/journal", machine->directory);
        return path;
}

TEST(opening_puts_back_and_closing_leaves_no_empty_journal) {
        leave();
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_string_equal(machine_get(machine, ONE), "old");
        assert_string_equal(machine_get(machine, OTHER), "old");
        assert_int_equal(restorer.replay.foreign + restorer.replay.refused + restorer.replay.corrupt, 0);
        restorer_close(&restorer, true);
        assert_int_not_equal(access(path_of(), F_OK), 0);
}

TEST(what_is_somebody_elses_now_is_counted_and_left) {
        leave();
        machine_put(machine, ONE, "his");
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_string_equal(machine_get(machine, ONE), "his");
        assert_string_equal(machine_get(machine, OTHER), "old");
        assert_int_equal(restorer.replay.foreign, 1);
        restorer_close(&restorer, false);
}

/* Changes one letter of the journal in its line @number, from 1. */
static void damage_line(size_t number) {
        FILE *file = fopen(path_of(), "r+");
        char line[512];

        assert_non_null(file);
        for (size_t i = 1; i < number; i++)
                assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(fputc('X', file), 'X');
        fclose(file);
}

TEST(what_stands_before_a_damaged_line_is_put_back) {
        leave();
        damage_line(4);
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_string_equal(machine_get(machine, ONE), "old");
        assert_string_equal(machine_get(machine, OTHER), "new");
        assert_int_equal(restorer.replay.corrupt, 1);
        assert_non_null(restorer.journal);
        assert_int_equal(restore_journal_count(restorer.journal), 0);
        restorer_close(&restorer, true);
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_int_equal(restorer.replay.corrupt, 0);
        restorer_close(&restorer, true);
}

/* Its checksum is right: whoever wrote it could write as root. */
TEST(a_record_that_names_no_setting_is_not_obeyed) {
        char journal[512];

        leave();
        machine_put(machine, "tmp/victim", "new");
        snprintf(journal, sizeof journal, "benchd restore journal 1\n%s\n%s",
                        "184296c6\tfile\tnoted\tsys/one\told\tnew", "c00e2b6e\tfile\tnoted\ttmp/victim\told\tnew");
        machine_put(machine, "journal", journal);
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_string_equal(machine_get(machine, ONE), "old");
        assert_string_equal(machine_get(machine, "tmp/victim"), "new");
        assert_int_equal(restorer.replay.corrupt, 1);
        restorer_close(&restorer, true);
}

TEST(a_file_that_is_no_journal_is_set_aside_and_a_fresh_one_opened) {
        leave();
        machine_put(machine, "journal", "nonsense");
        assert_int_equal(restorer_open(path_of(), machine->root, false, &restorer), 0);
        assert_string_equal(machine_get(machine, ONE), "new");
        assert_int_equal(restorer.replay.corrupt, 1);
        assert_non_null(restorer.journal);
        assert_int_equal(restore_journal_count(restorer.journal), 0);
        assert_string_equal(machine_get(machine, "journal.corrupt"), "nonsense");
        restorer_close(&restorer, true);
}

/* A group that is not there any more, so that there is nothing to do but to note it. */
static void leave_group(void) {
        RestoreJournal *journal;

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_CGROUP, GROUP, "absent", "made"), 0);
        restore_journal_close(journal);
}

/* No file can grow beyond the journal, which is to take a note of each value. */
static void work_off_without_room(void) {
        struct rlimit before, limit;
        struct stat stat;

        assert_int_equal(lstat(path_of(), &stat), 0);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        limit = (struct rlimit){ .rlim_cur = stat.st_size, .rlim_max = before.rlim_max };
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(restorer_open(path_of(), machine->root, true, &restorer), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_string_equal(machine_get(machine, ONE), "old");
        assert_string_equal(machine_get(machine, OTHER), "old");
        assert_null(restorer.journal);
        assert_int_equal(restorer.replay.absent, 1);
        restorer_close(&restorer, true);
}

TEST(a_journal_that_takes_no_note_any_more_is_worked_off_and_is_none) {
        leave();
        leave_group();
        work_off_without_room();
}

TEST(so_it_is_where_a_governor_is_chosen) {
        GovernorChoices chosen = {};
        cpu_set_t cpus;

        CPU_ZERO(&cpus);
        CPU_SET(0, &cpus);
        leave();
        leave_group();
        assert_int_equal(governor_choices_add(&chosen, "performance", &cpus), 0);
        assert_int_equal(governor_choices_write(machine->root, "journal.governor", &chosen), 0);
        work_off_without_room();
}

TEST(where_there_can_be_no_journal_there_is_none) {
        char path[160];

        snprintf(path, sizeof path, "%s/nowhere/journal", machine->directory);
        assert_int_equal(restorer_open(path, machine->root, false, &restorer), 0);
        assert_null(restorer.journal);
        assert_int_equal(restorer.replay.absent, 1);
        restorer_close(&restorer, true);
}

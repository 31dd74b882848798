/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The mask of a real thread is put back, and only that one's.
 */

#include "machine/thread-mask.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "machine.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "mortal.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

DEFINE_CLEANUP(RestoreJournal *, restore_journal_close)
DEFINE_CLEANUP(RootDir *, root_dir_free)

static pid_t child_start(void) {
        pid_t pid = fork_mortal();

        if (pid == 0)
                for (;;)
                        pause();
        return pid;
}

static void child_end(pid_t pid) {
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static const char *mask_of(pid_t pid) {
        static char text[4096];
        cpu_set_t set;

        assert_int_equal(sched_getaffinity(pid, sizeof set, &set), 0);
        cpu_list_format(&set, text, sizeof text);
        return text;
}

/* Narrows @pid to its first CPU, as noted in @journal; its mask before is the answer. */
static void narrow(RestoreJournal *journal, RootDir *root, pid_t pid, char *ret_before) {
        char key[RESTORE_KEY_MAX], is[32];
        RestoreHand hand;

        strcpy(ret_before, mask_of(pid));
        snprintf(is, sizeof is, "%d", atoi(ret_before));
        thread_mask_hand(root, &hand);
        assert_int_equal(thread_mask_key(root, pid, key, sizeof key), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_THREAD_MASK, key, ret_before, is), 0);
        assert_int_equal(hand.write(hand.context, key, is), 0);
        assert_int_equal(restore_journal_confirm(journal, RESTORE_THREAD_MASK, key, is), 0);
        assert_string_equal(mask_of(pid), is);
}

TEST(a_thread_gets_its_mask_back) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        RestoreHands hands = {};
        char before[4096];
        pid_t pid = child_start();

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        narrow(journal, root, pid, before);
        thread_mask_hand(root, &hands.hands[RESTORE_THREAD_MASK]);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(mask_of(pid), before);
        assert_int_equal(restore_journal_count(journal), 0);
        child_end(pid);
}

TEST(a_thread_that_ended_is_gone_and_so_is_one_that_started_at_another_time) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char key[RESTORE_KEY_MAX], value[VALUE_MAX];
        pid_t pid = child_start();
        RestoreHand hand;

        assert_int_equal(root_dir_new("/", &root), 0);
        thread_mask_hand(root, &hand);
        assert_int_equal(thread_mask_key(root, pid, key, sizeof key), 0);
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), 0);
        strcat(key, "0");
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), RESTORE_HAND_E_GONE);
        assert_int_equal(hand.write(hand.context, key, "0"), RESTORE_HAND_E_GONE);
        key[strlen(key) - 1] = 0;
        child_end(pid);
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), RESTORE_HAND_E_GONE);
        assert_int_equal(thread_mask_key(root, pid, key, sizeof key), THREAD_MASK_E_GONE);
}

TEST(a_name_with_blanks_and_brackets_does_not_move_the_start) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        char key[RESTORE_KEY_MAX];

        machine_put(machine, "proc/7/stat",
                        "7 (a) b (c)) S 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0 18446744073709551615");
        assert_int_equal(thread_mask_key(machine->root, 7, key, sizeof key), 0);
        assert_string_equal(key, "7 4711");
}

TEST(a_mask_with_a_cpu_that_is_off_is_to_be_written_again) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char key[RESTORE_KEY_MAX], value[VALUE_MAX];
        pid_t pid = child_start();
        RestoreHand hand;

        assert_int_equal(root_dir_new("/", &root), 0);
        thread_mask_hand(root, &hand);
        assert_int_equal(thread_mask_key(root, pid, key, sizeof key), 0);
        snprintf(value, sizeof value, "%d,1023", atoi(mask_of(pid)));
        assert_int_equal(hand.write(hand.context, key, value), RESTORE_HAND_E_OFF);
        assert_int_equal(atoi(mask_of(pid)), atoi(value));
        assert_int_equal(hand.write(hand.context, key, mask_of(pid)), 0);
        child_end(pid);
}

TEST(a_mask_of_no_cpu_is_refused) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char key[RESTORE_KEY_MAX];
        RestoreHand hand;

        assert_int_equal(root_dir_new("/", &root), 0);
        thread_mask_hand(root, &hand);
        assert_int_equal(thread_mask_key(root, getpid(), key, sizeof key), 0);
        assert_int_equal(hand.write(hand.context, key, ""), RESTORE_HAND_E_REFUSED);
        assert_int_equal(hand.write(hand.context, key, "none"), RESTORE_HAND_E_REFUSED);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What is put back, and what is left alone; and that whoever is killed, at whatever byte of the journal, leaves a tree that the
 * next one brings back to what it was.
 */

#include "machine/restore.h"

#include <sched.h>
#include <sys/resource.h>

#include "machine.h"
#include "machine/restore-journal.h"
#include "mortal.h"

static Machine *machine;
static RestoreJournal *journal;

static void journal_reopen(void) {
        restore_journal_close(take_pointer(journal));
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
}

static int set_up(void **state) {
        machine = machine_new();
        journal_reopen();
        return 0;
}

static int tear_down(void **state) {
        restore_journal_close(take_pointer(journal));
        machine = machine_free(machine);
        return 0;
}

TEST_EACH(set_up, tear_down)

/* Changes @key from what it is to @is, as a tunable does. */
static void change(const char *key, const char *is) {
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, key, machine_get(machine, key), is), 0);
        machine_put(machine, key, is);
        assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, key, is), 0);
}

/* What was told, as text: a line an entry. */
static void tell_text(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        static const char *const words[_OPS_OUTCOME_N] = {
                [OPS_OUTCOME_RESTORED] = "put-back",
                [OPS_OUTCOME_ALREADY] = "already",
                [OPS_OUTCOME_LEFT_ALONE] = "foreign",
                [OPS_OUTCOME_GONE] = "gone",
                [OPS_OUTCOME_WAITING] = "refused",
                [OPS_OUTCOME_OFF] = "off",
        };
        char *text = context;

        sprintf(text + strlen(text), "%s %s %s %s\n", words[outcome], key, was, is);
}

static void assert_restored(const char *told) {
        char text[1024] = "";
        RestoreHands hands;

        restore_hands_init(&hands, machine->root);
        assert_int_equal(restore_all(journal, &hands, tell_text, text), 0);
        assert_string_equal(text, told);
}

TEST(values_are_put_back_in_reverse) {
        machine_put(machine, "sys/a", "1");
        machine_put(machine, "sys/b", "slow");
        change("sys/a", "0");
        change("sys/b", "fast");
        assert_restored("put-back sys/b slow fast\nput-back sys/a 1 0\n");
        assert_string_equal(machine_get(machine, "sys/a"), "1");
        assert_string_equal(machine_get(machine, "sys/b"), "slow");
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(a_value_changed_by_someone_else_is_left_alone) {
        machine_put(machine, "sys/a", "1");
        change("sys/a", "0");
        machine_put(machine, "sys/a", "7");
        assert_restored("foreign sys/a 1 7\n");
        assert_string_equal(machine_get(machine, "sys/a"), "7");
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(a_value_that_was_put_back_or_is_gone_is_done_with) {
        machine_put(machine, "sys/a", "1");
        change("sys/a", "0");
        machine_put(machine, "sys/a", "1");
        machine_put(machine, "sys/b", "1");
        change("sys/b", "0");
        assert_int_equal(unlinkat(root_dir_fd(machine->root), "sys/b", 0), 0);
        assert_restored("gone sys/b 1 \nalready sys/a 1 1\n");
        assert_int_equal(restore_journal_count(journal), 0);
}

/* Killed after the write and before the reading back: what the kernel made of it is in no record. */
TEST(a_value_that_was_not_read_back_is_put_back_whatever_it_is) {
        machine_put(machine, "sys/a", "100");
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/a", "100", "900"), 0);
        machine_put(machine, "sys/a", "800");
        assert_restored("put-back sys/a 100 800\n");
        assert_string_equal(machine_get(machine, "sys/a"), "100");
}

/* The kernel's own clamping: a core dump's filter keeps only the bits that it knows. */
TEST(what_the_kernel_does_not_take_back_waits_in_the_journal) {
        char text[64];
        int at = root_dir_fd(machine->root);

        machine_put(machine, "sys/other", "");
        assert_int_equal(symlinkat("/proc/self/coredump_filter", at, "sys/filter"), 0);
        assert_int_equal(root_dir_read_line(machine->root, "sys/filter", text, sizeof text), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/filter", "0xffffffff", text), 0);
        /* Looked at a second time, it holds what the kernel made of the first attempt. */
        assert_restored("refused sys/filter 0xffffffff 000001ff\n");
        assert_int_equal(restore_journal_count(journal), 1);
}

TEST(what_no_hand_can_restore_waits_in_the_journal) {
        assert_int_equal(restore_journal_note(journal, RESTORE_UNIT_PROPERTY, "user.slice AllowedCPUs", "", "0"), 0);
        assert_restored("refused user.slice AllowedCPUs  \n");
        assert_int_equal(restore_journal_count(journal), 1);
}

#define POLICY "sys/devices/system/cpu/cpufreq/policy"
#define SWITCH "sys/devices/system/cpu/cpu1/online"

/* Its files are there without a value; here they are not there at all, which is no more than that. */
TEST(what_is_a_cpus_that_is_off_waits_until_that_is_on) {
        int at = root_dir_fd(machine->root);

        machine_put(machine, POLICY "1/scaling_governor", "schedutil");
        machine_put(machine, POLICY "2/scaling_governor", "schedutil");
        change(POLICY "1/scaling_governor", "performance");
        change(POLICY "2/scaling_governor", "performance");
        assert_int_equal(unlinkat(at, POLICY "1/scaling_governor", 0), 0);
        machine_put(machine, SWITCH, "0");
        assert_restored("put-back " POLICY "2/scaling_governor schedutil performance\n"
                        "off " POLICY "1/scaling_governor schedutil \n");

        machine_put(machine, SWITCH, "1");
        machine_put(machine, POLICY "1/scaling_governor", "performance");
        assert_restored("put-back " POLICY "1/scaling_governor schedutil performance\n");
        assert_int_equal(restore_journal_count(journal), 0);
}

/* As on a file system without room. */
TEST(a_journal_that_takes_no_note_keeps_nothing_from_going_back) {
        struct rlimit before, none;
        RestoreHands hands;
        int r;

        machine_put(machine, "sys/a", "1");
        machine_put(machine, "sys/b", "slow");
        change("sys/a", "0");
        change("sys/b", "fast");
        restore_hands_init(&hands, machine->root);
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        none = (struct rlimit){ .rlim_cur = 64, .rlim_max = before.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        r = restore_all(journal, &hands, NULL, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_true(r < 0);
        assert_string_equal(machine_get(machine, "sys/a"), "1");
        assert_string_equal(machine_get(machine, "sys/b"), "slow");
        assert_restored("already sys/b slow slow\nalready sys/a 1 1\n");
}

/* A value that can be put back only once another one is. */
typedef struct Pair {
        bool locked;
        char value[8];
} Pair;

static int pair_read(void *context, const char *key, char *value, size_t n_value) {
        Pair *pair = context;

        snprintf(value, n_value, "%s", strcmp(key, "lock") == 0 ? (pair->locked ? "yes" : "no") : pair->value);
        return 0;
}

static int pair_write(void *context, const char *key, const char *value) {
        Pair *pair = context;

        if (strcmp(key, "lock") == 0)
                pair->locked = strcmp(value, "yes") == 0;
        else if (pair->locked)
                return RESTORE_HAND_E_REFUSED;
        else
                snprintf(pair->value, sizeof pair->value, "%s", value);
        return 0;
}

/* A file that shows a value as it was while the kernel has yet to take over the one that was written, as cpufreq's limits. */
static int late_read(void *context, const char *key, char *value, size_t n_value) {
        snprintf(value, n_value, "old");
        return 0;
}

static int late_write(void *context, const char *key, const char *value) {
        Pair *pair = context;

        snprintf(pair->value, sizeof pair->value, "%s", value);
        return 0;
}

TEST(a_value_that_only_looks_as_it_was_is_written_again) {
        Pair pair = { .value = "new" };
        RestoreHands hands = {};
        char text[256] = "";

        hands.hands[RESTORE_FILE] = (RestoreHand){ late_read, late_write, &pair };
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/limit", "old", "new"), 0);
        assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, "sys/limit", "old"), 0);
        assert_int_equal(restore_all(journal, &hands, tell_text, text), 0);
        assert_string_equal(text, "already sys/limit old old\n");
        assert_string_equal(pair.value, "old");
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(what_was_refused_is_tried_again_when_the_others_are_back) {
        Pair pair = { .locked = true, .value = "new" };
        RestoreHands hands = {};
        char text[256] = "";

        hands.hands[RESTORE_UNIT_PROPERTY] = (RestoreHand){ pair_read, pair_write, &pair };
        assert_int_equal(restore_journal_note(journal, RESTORE_UNIT_PROPERTY, "lock", "no", "yes"), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_UNIT_PROPERTY, "value", "old", "new"), 0);
        assert_int_equal(restore_all(journal, &hands, tell_text, text), 0);
        assert_string_equal(text, "put-back lock no yes\nput-back value old new\n");
        assert_string_equal(pair.value, "old");
}

/* ---- killed anywhere */

#define FILES_N  5u
#define EVENTS_N 14u

/* A change or a restoring, with the sizes of the journal between which its write was made. */
typedef struct Event {
        unsigned file;
        char value[16];
        size_t earliest, latest;
} Event;

static void file_name(unsigned file, char *name) {
        sprintf(name, "sys/f%u", file);
}

static size_t journal_size(void) {
        struct stat status;

        assert_int_equal(fstatat(root_dir_fd(machine->root), "journal", &status, 0), 0);
        return status.st_size;
}

/* The kernel makes something else of every third value. */
static void kernel_takes(const char *name, const char *value, char *ret_value) {
        sprintf(ret_value, random() % 3 == 0 ? "%s-ish" : "%s", value);
        machine_put(machine, name, ret_value);
}

static void event_change(Event *event) {
        char name[16], value[8], was[16];

        file_name(event->file, name);
        strcpy(was, machine_get(machine, name));
        sprintf(value, "v%ld", random() % 100);
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, name, was, value), 0);
        event->earliest = journal_size();
        kernel_takes(name, value, event->value);
        assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, name, event->value), 0);
        event->latest = journal_size();
}

static void event_restore(Event *event) {
        OpsOutcome outcome;
        RestoreHands hands;
        char name[16];

        file_name(event->file, name);
        restore_hands_init(&hands, machine->root);
        event->earliest = journal_size();
        assert_int_equal(restore_one(journal, &hands, RESTORE_FILE, name, &outcome), 0);
        assert_int_equal(outcome, OPS_OUTCOME_RESTORED);
        strcpy(event->value, machine_get(machine, name));
        event->latest = journal_size();
}

/* The first file stays changed, so that the journal is not begun anew. */
static void events_run(Event *events) {
        for (size_t i = 0; i < EVENTS_N; i++) {
                char name[16];

                events[i].file = i == 0 ? 0 : random() % FILES_N;
                file_name(events[i].file, name);
                if (events[i].file > 0 && random() % 3 == 0 && restore_journal_find(journal, RESTORE_FILE, name))
                        event_restore(&events[i]);
                else
                        event_change(&events[i]);
        }
}

static void tree_before(void) {
        char name[16];

        for (unsigned file = 0; file < FILES_N; file++) {
                file_name(file, name);
                machine_put(machine, name, "before");
        }
}

/* The tree as it was when the journal had @size bytes; of a write that may have been made or not, as @eager says. */
static void tree_at(const Event *events, size_t size, bool eager) {
        char name[16];

        tree_before();
        for (size_t i = 0; i < EVENTS_N; i++) {
                file_name(events[i].file, name);
                if (size >= (eager ? events[i].earliest : events[i].latest))
                        machine_put(machine, name, events[i].value);
        }
}

static void assert_killed_at(const char *text, size_t size) {
        RestoreHands hands;
        char name[16];
        int fd;

        fd = openat(root_dir_fd(machine->root), "journal", O_WRONLY | O_TRUNC | O_CLOEXEC);
        assert_int_equal(write(fd, text, size), size);
        fd_close(fd);
        journal_reopen();
        restore_hands_init(&hands, machine->root);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(journal), 0);
        for (unsigned file = 0; file < FILES_N; file++) {
                file_name(file, name);
                assert_string_equal(machine_get(machine, name), "before");
        }
}

TEST(killed_at_any_byte_of_the_journal_the_tree_comes_back) {
        srandom(20240619);
        for (unsigned round = 0; round < 4; round++) {
                Event events[EVENTS_N] = {};
                char text[8192];
                size_t n;
                int fd;

                tear_down(NULL);
                set_up(NULL);
                tree_before();
                events_run(events);
                fd = openat(root_dir_fd(machine->root), "journal", O_RDONLY | O_CLOEXEC);
                assert_int_equal(fd_read_start(fd, text, sizeof text, &n), 0);
                fd_close(fd);
                assert_int_equal(n, events[EVENTS_N - 1].latest);
                for (size_t size = 0; size <= n; size++) {
                        tree_at(events, size, false);
                        assert_killed_at(text, size);
                        tree_at(events, size, true);
                        assert_killed_at(text, size);
                }
        }
}

/* The mask of a real thread is put back, and only that one's. */

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
        cpu_set_t set;

        assert_int_equal(sched_getaffinity(pid, sizeof set, &set), 0);
        return list_of(&set);
}

/* Narrows @pid to its first CPU, as noted in the journal; its mask before is the answer. */
static void narrow(RootDir *root, pid_t pid, char *ret_before) {
        char key[RESTORE_KEY_MAX], is[32];
        RestoreHand hand;

        strcpy(ret_before, mask_of(pid));
        snprintf(is, sizeof is, "%d", atoi(ret_before));
        restore_thread_mask_hand(root, &hand);
        assert_int_equal(restore_thread_mask_key(root, pid, key, sizeof key), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_THREAD_MASK, key, ret_before, is), 0);
        assert_int_equal(hand.write(hand.context, key, is), 0);
        assert_int_equal(restore_journal_confirm(journal, RESTORE_THREAD_MASK, key, is), 0);
        assert_string_equal(mask_of(pid), is);
}

TEST(a_thread_gets_its_mask_back) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        RestoreHands hands = {};
        char before[4096];
        pid_t pid = child_start();

        assert_int_equal(root_dir_new("/", &root), 0);
        narrow(root, pid, before);
        restore_thread_mask_hand(root, &hands.hands[RESTORE_THREAD_MASK]);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(mask_of(pid), before);
        assert_int_equal(restore_journal_count(journal), 0);
        child_end(pid);
}

TEST(a_thread_that_ended_is_gone_and_so_is_one_that_started_at_another_time) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char key[RESTORE_KEY_MAX], value[FILE_VALUE_MAX];
        pid_t pid = child_start();
        RestoreHand hand;

        assert_int_equal(root_dir_new("/", &root), 0);
        restore_thread_mask_hand(root, &hand);
        assert_int_equal(restore_thread_mask_key(root, pid, key, sizeof key), 0);
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), 0);
        strcat(key, "0");
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), RESTORE_HAND_E_GONE);
        assert_int_equal(hand.write(hand.context, key, "0"), RESTORE_HAND_E_GONE);
        key[strlen(key) - 1] = 0;
        child_end(pid);
        assert_int_equal(hand.read(hand.context, key, value, sizeof value), RESTORE_HAND_E_GONE);
        assert_int_equal(restore_thread_mask_key(root, pid, key, sizeof key), RESTORE_THREAD_MASK_E_GONE);
}

TEST(a_name_with_blanks_and_brackets_does_not_move_the_start) {
        char key[RESTORE_KEY_MAX];

        machine_put(machine, "proc/7/stat",
                        "7 (a) b (c)) S 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0 18446744073709551615");
        assert_int_equal(restore_thread_mask_key(machine->root, 7, key, sizeof key), 0);
        assert_string_equal(key, "7 4711");
}

TEST(a_mask_with_a_cpu_that_is_off_is_to_be_written_again) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char key[RESTORE_KEY_MAX], value[FILE_VALUE_MAX];
        pid_t pid = child_start();
        RestoreHand hand;

        assert_int_equal(root_dir_new("/", &root), 0);
        restore_thread_mask_hand(root, &hand);
        assert_int_equal(restore_thread_mask_key(root, pid, key, sizeof key), 0);
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
        restore_thread_mask_hand(root, &hand);
        assert_int_equal(restore_thread_mask_key(root, getpid(), key, sizeof key), 0);
        assert_int_equal(hand.write(hand.context, key, ""), RESTORE_HAND_E_REFUSED);
        assert_int_equal(hand.write(hand.context, key, "none"), RESTORE_HAND_E_REFUSED);
}

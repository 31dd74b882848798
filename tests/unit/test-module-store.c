/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules are stored whole or not at all, within the quota; the least recently used go first, and never one that is
 * pinned or in use. A module that is not stored says why, several drafts at once respect each other, and one that is given
 * up leaves nothing.
 */

#include "front/history/module-store.h"

#include "front/history/retention.h"
#include "kept-history.h"

#define ALICE 1000u
#define BOB   1001u
#define CAROL 1002u

#define PART  4096u
#define QUOTA (3 * PART)
#define LONG  (3u << 20) /* three slices */

static ModuleStore *store;
static ModuleStoreQuota quota = { QUOTA, QUOTA };
static uint64_t now_ns = 1;
static uid_t uid; /* who stores */

/* Opens the store anew with room for @all bytes, and @user of one user. */
static void take_quotas(uint64_t all, uint64_t user) {
        quota = (ModuleStoreQuota){ .all_bytes = all, .user_bytes = user };
        store = module_store_free(store);
        assert_int_equal(module_store_new(directory, quota, history, shares, &store), 0);
}

static void take_quota(uint64_t bytes) {
        take_quotas(bytes, bytes);
}

static int set_up(void **state) {
        directory_make(directory);
        shares_make();
        kept_history_make(NULL, 0);
        take_quota(QUOTA);
        uid = ALICE;
        return 0;
}

static int tear_down(void **state) {
        store = module_store_free(store);
        return kept_history_remove();
}

TEST_EACH(set_up, tear_down)

/* A module of @n bytes that begins with @name. */
static SealedModule *make(const char *name, size_t n) {
        _cleanup_(freep) char *data = calloc(1, n);

        strcpy(data, name);
        return module_of(data, n);
}

static int put(const SealedModule *module) {
        _cleanup_(module_store_draft_freep) ModuleStoreDraft *draft = NULL;
        int r;

        assert_int_equal(module_store_draft_new(store, uid, module, &draft), 0);
        do {
                r = module_store_draft_step(draft, now_ns++);
        } while (r == MODULE_STORE_E_MORE);
        return r;
}

static bool is_stored(const char *name, size_t n) {
        _cleanup_(sealed_module_freep) SealedModule *module = make(name, n);
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, sealed_module_sha256(module, 0));
        return access(path, F_OK) == 0;
}

static size_t count_files(void) {
        struct dirent *entry;
        DIR *opened = opendir(directory);
        size_t n = 0;

        while ((entry = readdir(opened)))
                n += entry->d_type == DT_REG;
        closedir(opened);
        return n;
}

/* Stores a module of @n bytes, for a job of which nothing is left if it @ended. Returns its run_id. */
static const char *put_for_job(const char *name, size_t n, bool ended) {
        static char run_id[RUN_ID_BYTES];
        _cleanup_(sealed_module_freep) SealedModule *module = make(name, n);
        _cleanup_(job_record_freep) JobRecord *record = NULL;
        Benchd__Error error = BENCHD__ERROR__INIT;

        assert_int_equal(put(module), 0);
        assert_int_equal(job_record_new(history, shares, uid, name, NULL, now_ns, &record), 0);
        job_record_accept(record, module);
        if (ended)
                assert_int_equal(job_record_end_error(record, &error, now_ns), 0);
        strcpy(run_id, record->run_id);
        return run_id;
}

TEST(the_least_recently_used_goes_first) {
        put_for_job("a", PART, true);
        put_for_job("b", PART, true);
        put_for_job("c", PART, true);
        put_for_job("a", PART, true); /* used again */
        put_for_job("d", PART, true);
        assert_true(is_stored("a", PART));
        assert_false(is_stored("b", PART));
        assert_true(is_stored("c", PART));
        assert_true(is_stored("d", PART));
}

/* Pins the job @run_id. Returns false where the limit of pins refuses it. */
static bool pin(const char *run_id) {
        const RetentionLimits limits = {
                .user_bytes = UINT64_MAX,
                .module_bytes = quota.all_bytes,
                .module_user_bytes = quota.user_bytes,
        };
        char words[RETENTION_WORDS_MAX];
        Retention *retention;
        bool stored = false;
        int r;

        assert_int_equal(retention_new(history, &limits, &retention), 0);
        r = retention_pin(retention, run_id, true, now_ns++, &stored, words);
        retention_free(retention);
        assert_true(r == 0 ? stored : r == RETENTION_E_FULL);
        return r == 0;
}

TEST(what_is_pinned_or_in_use_stays) {
        _cleanup_(sealed_module_freep) SealedModule *late = make("late", PART);

        assert_false(pin(put_for_job("large", QUOTA / 2 + 1, true)));
        assert_true(pin(put_for_job("pinned", PART, true)));
        put_for_job("in use", PART, false);
        put_for_job("over", PART, true);
        assert_int_equal(put(late), 0);
        assert_false(is_stored("large", QUOTA / 2 + 1));
        assert_false(is_stored("over", PART));
        assert_true(is_stored("pinned", PART));
        assert_true(is_stored("in use", PART));
}

/* Names and their files, each of PART bytes. */
static void put_many(uid_t who, const char *names) {
        uid = who;
        for (; *names; names++)
                put_for_job((char[]){ *names, 0 }, PART, true);
}

static void assert_stored(const char *names, bool stored) {
        for (; *names; names++)
                assert_int_equal(is_stored((char[]){ *names, 0 }, PART), stored);
}

TEST(a_user_beyond_the_own_quota_pushes_out_nobody_else) {
        take_quotas(8 * PART, 3 * PART);
        put_many(BOB, "xy");
        put_many(ALICE, "abcdefg");
        assert_stored("xyefg", true);
        assert_stored("abcd", false);
}

TEST(where_the_store_is_full_who_holds_most_gives_way) {
        take_quotas(6 * PART, 6 * PART);
        put_many(ALICE, "abcde");
        put_many(BOB, "xyz");
        assert_stored("cde", true);
        assert_stored("xyz", true);
        put_many(BOB, "w"); /* would hold more than the others: loses one of the own */
        assert_stored("cde", true);
        assert_stored("yzw", true);
        put_many(CAROL, "m");
        assert_stored("m", true);
        assert_int_equal(count_files(), 6);
}

TEST(pins_of_one_user_push_out_nothing_of_another) {
        take_quotas(8 * PART, 4 * PART);
        put_many(BOB, "xyz");
        uid = ALICE;
        assert_true(pin(put_for_job("a", PART, true)));
        assert_true(pin(put_for_job("b", PART, true)));
        assert_false(pin(put_for_job("c", PART, true))); /* half of the quota of one user is pinned */
        put_many(ALICE, "defgh");
        assert_stored("xyz", true);
        assert_stored("ab", true);
        assert_stored("gh", true);
}

TEST(all_pins_leave_room_for_those_who_come_later) {
        take_quotas(4 * PART, 4 * PART);
        uid = ALICE;
        assert_true(pin(put_for_job("a", PART, true)));
        assert_true(pin(put_for_job("b", PART, true)));
        uid = BOB;
        assert_false(pin(put_for_job("x", PART, true))); /* half of the store is pinned */
        put_many(BOB, "y");
        put_many(CAROL, "m");
        assert_stored("abm", true);
        assert_int_equal(count_files(), 4);
}

TEST(a_file_of_two_users_is_one_and_stays_for_the_second) {
        take_quotas(8 * PART, 2 * PART);
        put_many(BOB, "s");
        put_many(ALICE, "sab");
        assert_int_equal(count_files(), 3);
        assert_stored("sab", true); /* Alice no longer holds s, Bob does */
        put_many(BOB, "xy");
        assert_stored("s", false);
        assert_stored("abxy", true);
}

TEST(files_without_a_job_go_first) {
        _cleanup_(sealed_module_freep) SealedModule *module = make("orphan", PART);

        put_many(ALICE, "a");
        assert_int_equal(put(module), 0);
        kept_history_make(NULL, 0); /* as if it had been set aside */
        take_quota(QUOTA);
        put_many(ALICE, "bcd");
        assert_stored("bcd", true);
        assert_false(is_stored("orphan", PART));
        assert_int_equal(count_files(), 3);
}

static void touch(const char *name) {
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, name);
        assert_int_equal(fd_close(open(path, O_WRONLY | O_CREAT, 0600)), -1);
}

TEST(a_later_store_finds_what_is_there) {
        _cleanup_(sealed_module_freep) SealedModule *gone = make("gone", PART), *unknown = make("unknown", PART);
        char path[128];

        put_for_job("gone", PART, true);
        snprintf(path, sizeof path, "%s/%s", directory, sealed_module_sha256(gone, 0));
        assert_int_equal(unlink(path), 0);
        touch(".part-17");
        touch("README");
        touch(sealed_module_sha256(unknown, 0));
        take_quota(QUOTA);
        assert_int_equal(count_files(), 2); /* README, unknown */
        assert_int_equal(put(unknown), 0);
        assert_int_equal(put(gone), 0);
        assert_true(is_stored("gone", PART));
}

TEST(what_has_no_room_is_not_stored_and_says_so) {
        _cleanup_(sealed_module_freep) SealedModule *small = make("a", PART), *large = make("large", QUOTA + 1);
        _cleanup_(module_store_draft_freep) ModuleStoreDraft *draft = NULL;

        assert_int_equal(put(small), 0);
        assert_int_equal(module_store_draft_new(store, 1000, large, &draft), 0);
        assert_int_equal(module_store_draft_step(draft, now_ns), MODULE_STORE_E_FAILED);
        assert_non_null(strstr(module_store_draft_words(draft), "the module: no room within this user's quota "));
        assert_true(is_stored("a", PART)); /* nothing went for it */
}

/* A user who holds little is not told to make room. */
TEST(what_has_no_room_in_the_whole_store_blames_no_user) {
        _cleanup_(sealed_module_freep) SealedModule *large = make("large", QUOTA + 1);
        _cleanup_(module_store_draft_freep) ModuleStoreDraft *draft = NULL;

        take_quotas(QUOTA, 2 * QUOTA);
        assert_int_equal(module_store_draft_new(store, 1000, large, &draft), 0);
        assert_int_equal(module_store_draft_step(draft, now_ns), MODULE_STORE_E_FAILED);
        assert_non_null(strstr(module_store_draft_words(draft), "the module: no room within the quota of all users "));
}

TEST(a_user_who_recalls_nothing_is_told_that_all_do) {
        _cleanup_(sealed_module_freep) SealedModule *module = make("a", PART);
        const uint64_t most = share_most(shares, SHARE_RECALLED_BYTES);
        ShareHold held[2] = {};
        ModuleStoreFile file;

        assert_int_equal(put(module), 0);
        assert_int_equal(share_take(shares, BOB, SHARE_RECALLED_BYTES, most, &held[0]), 0);
        assert_int_equal(module_store_lend(store, BOB, sealed_module_sha256(module, 0), now_ns, &file),
                        MODULE_STORE_E_BUSY);
        assert_int_equal(share_take_some(shares, CAROL, SHARE_RECALLED_BYTES, most, &held[1]), 0);
        assert_int_equal(share_most_by_all(shares, SHARE_RECALLED_BYTES), 2 * most);
        assert_int_equal(module_store_lend(store, ALICE, sealed_module_sha256(module, 0), now_ns, &file),
                        MODULE_STORE_E_ALL_BUSY);
        share_release(&held[0]);
        share_release(&held[1]);
}

TEST(several_at_once_do_not_take_the_same_room) {
        _cleanup_(sealed_module_freep) SealedModule *first = make("first", LONG), *second = make("second", LONG);
        _cleanup_(module_store_draft_freep) ModuleStoreDraft *one = NULL, *two = NULL;

        take_quota(LONG + PART);
        assert_int_equal(module_store_draft_new(store, 1000, first, &one), 0);
        assert_int_equal(module_store_draft_new(store, 1000, second, &two), 0);
        assert_int_equal(module_store_draft_step(one, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(module_store_draft_step(two, now_ns), MODULE_STORE_E_FAILED);
        assert_int_equal(module_store_draft_step(one, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(module_store_draft_step(one, now_ns), 0);
}

TEST(what_is_half_done_leaves_nothing) {
        _cleanup_(sealed_module_freep) SealedModule *module = make("long", LONG);
        ModuleStoreDraft *draft;

        take_quota(LONG);
        assert_int_equal(module_store_draft_new(store, 1000, module, &draft), 0);
        assert_int_equal(module_store_draft_step(draft, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(count_files(), 1);
        assert_false(is_stored("long", LONG));
        module_store_draft_free(draft);
        assert_int_equal(count_files(), 0);
}

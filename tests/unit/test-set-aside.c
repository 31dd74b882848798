/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A database is set aside with all that is beside it, or not at all, under a name that nothing has; and is counted until it is moved or
 * removed.
 */

#include "front/history/set-aside.h"

#include "directory.h"

#define NOW UINT64_C(1000000000000000000)

static char directory[] = "benchd-test-XXXXXX";
static char path[64];

static int set_up(void **state) {
        directory_make(directory);
        snprintf(path, sizeof path, "%s/history.db", directory);
        return 0;
}

static int tear_down(void **state) {
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

static void put(const char *suffix, const char *text) {
        char name[128];
        FILE *file;

        snprintf(name, sizeof name, "%s%s", path, suffix);
        file = fopen(name, "we");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static void assert_text(const char *name, const char *suffix, const char *text) {
        char full[256], got[64] = "";
        FILE *file;

        snprintf(full, sizeof full, "%s%s", name, suffix);
        file = fopen(full, "re");
        assert_non_null(file);
        assert_non_null(fgets(got, sizeof got, file));
        fclose(file);
        assert_string_equal(got, text);
}

static size_t count(void) {
        _cleanup_(freep) char *name = NULL;
        size_t n = set_aside_count(path, &name);

        assert_true((n > 0) == (name != NULL));
        return n;
}

TEST(all_goes_along) {
        _cleanup_(freep) char *name = NULL, *last = NULL;

        put("", "database");
        put("-wal", "log");
        put("-journal", "journal");
        assert_int_equal(set_aside(path, NOW, &name), 0);
        assert_text(name, "", "database");
        assert_text(name, "-wal", "log");
        assert_text(name, "-journal", "journal");
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(set_aside_count(path, &last), 1);
        assert_string_equal(last, name);
}

/* As each start of a machine whose clock stands still. */
TEST(the_same_second_overwrites_nothing) {
        for (int i = 0; i < 3; i++) {
                _cleanup_(freep) char *name = NULL;
                char text[16];

                snprintf(text, sizeof text, "%d", i);
                put("", text);
                assert_int_equal(set_aside(path, NOW, &name), 0);
                assert_text(name, "", text);
        }
        assert_int_equal(count(), 3);
}

TEST(what_was_moved_is_counted_no_more) {
        _cleanup_(freep) char *name = NULL;
        char elsewhere[128];

        put("", "database");
        put("-wal", "log");
        assert_int_equal(set_aside(path, NOW, &name), 0);
        assert_int_equal(count(), 1);
        snprintf(elsewhere, sizeof elsewhere, "%s/old.db", directory);
        assert_int_equal(rename(name, elsewhere), 0);
        assert_int_equal(count(), 0);
}

/* The database cannot get its name, so its log keeps its own. */
TEST(all_or_nothing) {
        char *name = NULL;

        put("-wal", "log");
        assert_true(set_aside(path, NOW, &name) < 0);
        assert_text(path, "-wal", "log");
        assert_int_equal(count(), 0);
}

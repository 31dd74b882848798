/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of columns: the order of the fields of CSV. */

#include "ctl/model/columns.h"

#include "ctl/model/glossary.h"

#include "test.h"

/* The column of @table whose field is called @name; NULL: there is none. */
static const Column *field(const ColumnTable *table, const char *name) {
        const Column *found = NULL;

        for (size_t i = 0; i < table->n; i++)
                if (table->columns[i].csv && strcmp(table->columns[i].csv, name) == 0) {
                        assert_null(found);
                        found = &table->columns[i];
                }
        return found;
}

static const char *missing(ColumnTableKind kind, const char *names, size_t n) {
        static char text[256];
        FILE *out = fmemopen(text, sizeof text, "w");

        assert_int_equal(columns_print_missing(kind, names, out), n);
        fclose(out);
        return n > 0 ? text : "";
}

TEST(a_comparison_has_two_times_and_says_what_it_lacks) {
        assert_string_equal(missing(TABLE_COMPARISON, "time,ratio,note", 0), "");
        assert_string_equal(missing(TABLE_COMPARISON, "time,quiet,net", 2), "quiet, net");
        assert_string_equal(missing(TABLE_RUN, "ratio,time", 1), "ratio");
        assert_ptr_equal(columns_find(TABLE_COMPARISON, "time", 4)->fill, cell_side_time);
}

/* A field whose chain of those before it has no beginning would be left out of CSV without a word. */
TEST(each_field_of_csv_follows_another_or_begins) {
        for (ColumnTableKind kind = 0; kind < _TABLE_KIND_N; kind++) {
                const ColumnTable *table = columns_table(kind);

                for (size_t i = 0; i < table->n; i++) {
                        const Column *column = &table->columns[i];
                        size_t n = 0;

                        assert_true(!column->csv_after || column->csv);
                        for (; column->csv_after; n++) {
                                column = field(table, column->csv_after);
                                if (!column || n == table->n)
                                        fail_msg("%s", table->columns[i].csv);
                        }
                }
        }
}

/* Titles that say themselves what they are, and the kinds of tables that no page has. */
static bool speaks_for_itself(const char *title) {
        static const char *const titles[] = { "", "old", "new", "label", "lowest … highest", "  job", "job", "started",
                "module", "submitted", "state", "benchmarks", "uid", "A", "B", "B / A" };

        for (size_t i = 0; i < N_ELEMENTS(titles); i++)
                if (strcmp(titles[i], title) == 0)
                        return true;
        return false;
}

TEST(each_title_of_a_page_is_explained) {
        for (ColumnTableKind kind = 0; kind < _TABLE_KIND_N; kind++) {
                const ColumnTable *table = columns_table(kind);
                bool first = true;

                for (size_t i = 0; i < table->n; i++) {
                        const char *title = table->columns[i].title;

                        if (!title)
                                continue;
                        if (kind != TABLE_LISTING && !first && !speaks_for_itself(title) &&
                                        !glossary_find(title, false))
                                fail_msg("%s", title);
                        first = false; /* it names the rows */
                }
        }
}

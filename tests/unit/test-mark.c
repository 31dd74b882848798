/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks: bits and words are those of the schema, and a sample is as bad as its worst mark. */

#include "words/mark.h"

#include <ctype.h>

#include "benchd.pb-c.h"
#include "test.h"

TEST(every_mark_of_the_schema_has_its_word) {
        const ProtobufCEnumDescriptor *schema = &benchd__samples__mark__descriptor;
        const Mark *mark;
        size_t n = 0;

        for (; (mark = mark_at(n)); n++) {
                const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(schema, mark->bit);

                assert_non_null(value);
                for (size_t i = 0; value->name[i] || mark->word[i]; i++)
                        assert_int_equal(mark->word[i], value->name[i] == '_' ? '-' : tolower(value->name[i]));
        }
        assert_int_equal(n, schema->n_values);
}

TEST(the_worst_mark_decides) {
        assert_int_equal(marks_class(0), MARK_CLASS_QUIET);
        assert_int_equal(marks_class(MARK_INTERRUPTED | MARK_FAULTED | MARK_FREQUENCY), MARK_CLASS_QUIET);
        assert_int_equal(marks_class(MARK_INTERRUPTED | MARK_SHARED), MARK_CLASS_SHARED);
        assert_int_equal(marks_class(MARK_PREEMPTED | MARK_BESIDE_SHARED), MARK_CLASS_DISTURBED);
        assert_int_equal(marks_class(MARK_STOLEN), MARK_CLASS_DISTURBED);
}

TEST(a_mark_that_says_more_is_of_no_better_class) {
        assert_null(mark_by_weight(MARKS_N + 1));
        assert_int_equal(mark_by_weight(MARKS_N)->bit, 0);
        for (size_t i = 0; i < MARKS_N; i++)
                assert_true(marks_class(mark_by_weight(i)->bit) >= marks_class(mark_by_weight(i + 1)->bit));
}

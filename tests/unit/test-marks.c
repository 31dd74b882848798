/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Marks: benchctl's words are those of the schema, and a sample is as bad as its worst mark.
 */

#include "ctl/marks.h"

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
        assert_true(n <= MARKS_MAX);
}

TEST(the_worst_mark_decides) {
        assert_int_equal(marks_class(0), MARK_CLASS_QUIET);
        assert_int_equal(marks_class(1 | 8 | 16), MARK_CLASS_QUIET);
        assert_int_equal(marks_class(1 | 64), MARK_CLASS_SHARED);
        assert_int_equal(marks_class(2 | 128), MARK_CLASS_DISTURBED);
        assert_int_equal(marks_class(256), MARK_CLASS_DISTURBED);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Unknown fields are found at any depth, and decoding stays within its budget. */

#include "proto/strict.h"

#include "proto/allocator.h"
#include "proto/benchd.pb-c.h"
#include "test.h"

static int check(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t n, const char **message,
                uint32_t *tag) {
        ProtobufCMessage *decoded = protobuf_c_message_unpack(type, NULL, n, data);
        int r;

        assert_non_null(decoded);
        r = strict_message_check(decoded, message, tag);
        protobuf_c_message_free_unpacked(decoded, NULL);
        return r;
}

TEST(what_the_schema_has_is_known) {
        /* id = 1, run { filters: "a", "b"; seed = 0 } */
        static const uint8_t data[] = { 0x08, 1, 0x1a, 8, 0x1a, 1, 'a', 0x1a, 1, 'b', 0x28, 0 };
        const char *message = NULL;
        uint32_t tag = 0;

        assert_int_equal(check(&benchd__request__descriptor, data, sizeof data, &message, &tag), 0);
        assert_null(message);
}

TEST(an_unknown_field_is_found_at_the_top) {
        static const uint8_t data[] = { 0x08, 1, 0x98, 0x06, 7 }; /* field 99 */
        const char *message = NULL;
        uint32_t tag = 0;

        assert_int_equal(check(&benchd__request__descriptor, data, sizeof data, &message, &tag), STRICT_E_UNKNOWN);
        assert_string_equal(message, "Request");
        assert_int_equal(tag, 99);
}

TEST(an_unknown_field_is_found_in_a_part) {
        static const uint8_t data[] = { 0x08, 1, 0x1a, 3, 0x98, 0x06, 7 };
        const char *message = NULL;
        uint32_t tag = 0;

        assert_int_equal(check(&benchd__request__descriptor, data, sizeof data, &message, &tag), STRICT_E_UNKNOWN);
        assert_string_equal(message, "RunRequest");
        assert_int_equal(tag, 99);
}

TEST(an_unknown_field_is_found_in_the_second_of_a_list) {
        /* Listing { benchmarks {}, benchmarks { field 99 } } */
        static const uint8_t data[] = { 0x0a, 0, 0x0a, 3, 0x98, 0x06, 7 };
        const char *message = NULL;
        uint32_t tag = 0;

        assert_int_equal(check(&benchd__listing__descriptor, data, sizeof data, &message, &tag), STRICT_E_UNKNOWN);
        assert_string_equal(message, "BenchmarkInfo");
}

TEST(a_message_that_grows_in_memory_fails_within_its_budget) {
        static uint8_t data[60000];
        ProtobufCMessage *message;
        Allocator budget;

        for (size_t i = 0; i < sizeof data; i += 2)
                data[i] = 0x0a; /* Listing.benchmarks, each empty: 2 bytes here, over 100 in memory */
        allocator_init(&budget, 1u << 20);
        message = protobuf_c_message_unpack(&benchd__listing__descriptor, &budget.allocator, sizeof data, data);
        assert_null(message);

        allocator_init(&budget, 16u << 20);
        message = protobuf_c_message_unpack(&benchd__listing__descriptor, &budget.allocator, sizeof data, data);
        assert_non_null(message);
        assert_int_equal(((Benchd__Listing *)message)->n_benchmarks, sizeof data / 2);
        assert_in_range(budget.left_bytes, 1, (16u << 20) - sizeof data);
        protobuf_c_message_free_unpacked(message, NULL);
}

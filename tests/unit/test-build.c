/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Programs of two builds know each other for that, and whatever comes in the place of a greeting for no build of ours. The files of the
 * programs tell their build too.
 */

#include "ops/build.h"
#include "ops/record-queue.h"

#include "ops/ops.h"
#include "pair.h"

/* A greeting as all builds have it. */
typedef struct Bytes {
        char mark[16];
        char text[BUILD_TEXT_MAX];
} Bytes;

static Bytes greeting_of(const char *text) {
        Bytes bytes = {};

        snprintf(bytes.mark, sizeof bytes.mark, "%s %s: ", "benchd",
                        "build"); /* whole, it would be found in this program's file */
        snprintf(bytes.text, sizeof bytes.text, "%s", text);
        return bytes;
}

static int received(const void *bytes, size_t n, char text[static BUILD_TEXT_MAX]) {
        Pair pair = pair_new(SOCK_SEQPACKET);
        int r;

        if (bytes)
                assert_int_equal(send(pair.there, bytes, n, 0), n);
        else
                pair.there = fd_close(pair.there);
        r = record_greeting_receive(pair.here, text);
        pair_close(&pair);
        return r;
}

TEST(two_of_one_build_greet_and_go_on) {
        Pair pair = pair_new(SOCK_SEQPACKET);
        char text[BUILD_TEXT_MAX];

        assert_int_equal(record_greeting_receive(pair.here, text), RECORD_GREETING_E_AGAIN);
        assert_int_equal(record_greeting_send(pair.there), 0);
        assert_int_equal(record_greeting_receive(pair.here, text), 0);
        assert_string_equal(text, build_text());
        assert_int_equal(record_greeting_receive(pair.here, text), RECORD_GREETING_E_AGAIN);
        pair_close(&pair);
}

TEST(the_text_has_the_version_and_a_hash) {
        char hash[BUILD_TEXT_MAX];
        int n = 0;

        assert_int_equal(sscanf(build_text(), BENCHD_VERSION " (%12[0-9a-f])%n", hash, &n), 1);
        assert_int_equal(strlen(hash), 12);
        assert_int_equal(n, strlen(build_text()));
}

/* The bytes are those that a program of any build sends. */
TEST(a_greeting_has_the_place_and_the_size_that_it_always_had) {
        const Bytes expected = greeting_of(build_text());
        Pair pair = pair_new(SOCK_SEQPACKET);
        Bytes bytes[2];

        assert_int_equal(record_greeting_send(pair.there), 0);
        assert_int_equal(recv(pair.here, bytes, sizeof bytes, 0), sizeof expected);
        assert_memory_equal(&bytes[0], &expected, sizeof expected);
        pair_close(&pair);
}

TEST(another_version_or_hash_is_another_build) {
        char text[BUILD_TEXT_MAX], other[BUILD_TEXT_MAX];
        Bytes bytes;

        bytes = greeting_of("99.0.0 (0123456789ab)");
        assert_int_equal(received(&bytes, sizeof bytes, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "99.0.0 (0123456789ab)");

        snprintf(other, sizeof other, "%s", build_text());
        other[strlen(other) - 2] ^= 1;
        bytes = greeting_of(other);
        assert_int_equal(received(&bytes, sizeof bytes, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, other);
}

/* A build from before there were greetings sends a record, and a stranger anything. */
TEST(what_is_no_greeting_is_a_build_without_a_name) {
        static const OpsRecord record = { .kind = OPS_MACHINE };
        char text[BUILD_TEXT_MAX] = "x";
        Bytes bytes = greeting_of(build_text()), full;

        assert_int_equal(received(&record, sizeof record, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
        assert_int_equal(received(&bytes, sizeof bytes - 1, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
        assert_int_equal(received("", 1, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
        bytes.mark[0] = 'B';
        assert_int_equal(received(&bytes, sizeof bytes, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
        bytes = greeting_of("1.0\033[31m");
        assert_int_equal(received(&bytes, sizeof bytes, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
        full = greeting_of("");
        memset(full.text, 'x', sizeof full.text);
        assert_int_equal(received(&full, sizeof full, text), RECORD_GREETING_E_OTHER);
        assert_string_equal(text, "");
}

TEST(one_that_is_gone_is_no_other_build) {
        char text[BUILD_TEXT_MAX];

        assert_int_equal(received(NULL, 0, text), RECORD_GREETING_E_CLOSED);
}

TEST(the_words_name_both_builds) {
        char words[BUILD_WORDS_MAX];

        build_complain("benchd", "benchd-launch", "99.0.0 (0123456789ab)", words);
        assert_non_null(strstr(words, "benchd-launch is of another build, 99.0.0 (0123456789ab), than this benchd, "));
        assert_non_null(strstr(words, build_text()));
        build_complain("benchd-launch", "benchd", "", words);
        assert_non_null(strstr(words, "does not tell its version"));
}

/* ---- in a program's file */

TEST(the_build_is_found_in_the_file_of_this_program) {
        static char bytes[16 << 20];
        char text[BUILD_TEXT_MAX];
        FILE *file = fopen("/proc/self/exe", "r");
        size_t n;

        assert_non_null(file);
        n = fread(bytes, 1, sizeof bytes, file);
        assert_true(n > 0 && n < sizeof bytes);
        fclose(file);
        assert_int_equal(build_find(bytes, n, text), 0);
        assert_string_equal(text, build_text());
}

TEST(a_file_of_another_build_or_of_none_is_told) {
        const Bytes other = greeting_of("99.0.0 (0123456789ab)");
        char bytes[512] = "ELF and the like", text[BUILD_TEXT_MAX];

        memcpy(bytes + 101 - sizeof other.mark, other.mark, sizeof other.mark);
        memcpy(bytes + 101, &other, sizeof other);
        assert_int_equal(build_find(bytes, sizeof bytes, text), BUILD_E_OTHER);
        assert_string_equal(text, "99.0.0 (0123456789ab)");
        assert_int_equal(build_find(bytes, 101 + sizeof other - 1, text), BUILD_E_OTHER);
        assert_string_equal(text, "");
        assert_int_equal(build_find(bytes, 50, text), BUILD_E_OTHER);
        assert_string_equal(text, "");
}

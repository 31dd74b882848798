/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A unit test says its name once:
 *
 *         TEST(a_file_is_replaced_with_its_mode, set_up, tear_down) { … }
 *
 * It registers itself, and tests/unit/main.c runs it. set_up and tear_down, cmocka's fixtures of one test, may be left out, tear_down
 * alone or both. A file's tests run in their order. TEST_EACH(set_up, tear_down) are the fixtures of each test of the file that names none,
 * and may stand in a header that the file includes; TEST_FILE(set_up, tear_down) are those of all tests together (NULL: none).
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/fd.h"

typedef struct TestRow TestRow;

/* A test, or with no @run the fixtures of a file, of @each of its tests or of all together. */
struct TestRow {
        const char *file;
        const char *name;
        CMUnitTestFunction run;
        CMFixtureFunction set_up;
        CMFixtureFunction tear_down;
        bool each;
        TestRow *next;
};

/* Adds @test, which stays the caller's and lives as long as the program, to those that main() runs. */
void test_register(TestRow *test);

#define TEST(test, ...)                                                                                                \
 static void test(void **state);                                                                                       \
 TEST_REGISTER(test, .run = test, ##__VA_ARGS__)                                                                       \
 static void test(void **state)

#define TEST_EACH(set_up_, tear_down_) TEST_REGISTER(each, .set_up = set_up_, .tear_down = tear_down_, .each = true)
#define TEST_FILE(set_up_, tear_down_) TEST_REGISTER(file, .set_up = set_up_, .tear_down = tear_down_)

#define TEST_REGISTER(test, ...)                                                                                       \
 __attribute__((constructor)) static void register_##test(void) {                                                      \
  static TestRow row = { .file = __BASE_FILE__, .name = #test, __VA_ARGS__ };                                          \
                                                                                                                       \
  test_register(&row);                                                                                                 \
 }

/* Prints a fresh seed, by which a failure can be had again, and returns it. */
static inline unsigned draw_seed(void) {
        unsigned seed;

        assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
        print_message("seed %u\n", seed);
        return seed;
}

/* ... and begins random(), rand() and drand48() from it. */
static inline void seed_random(void) {
        const unsigned seed = draw_seed();

        srandom(seed);
        srand48(seed);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A unit test says its name once:
 *
 *         TEST(a_file_is_replaced_with_its_mode, set_up, tear_down) { … }
 *
 * It registers itself, and tests/unit/main.c runs it. set_up and tear_down, cmocka's fixtures of one test, may be left out, tear_down
 * alone or both. A file's tests run in their order, and TEST_FILE(set_up, tear_down) are the fixtures of them all together (NULL: none).
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct TestRow TestRow;

/* A test, or with no @run the fixtures of a file. */
struct TestRow {
        const char *file;
        const char *name;
        CMUnitTestFunction run;
        CMFixtureFunction set_up;
        CMFixtureFunction tear_down;
        TestRow *next;
};

/* Adds @test, which stays the caller's and lives as long as the program, to those that main() runs. */
void test_register(TestRow *test);

#define TEST(test, ...)                                                                                                \
 static void test(void **state);                                                                                       \
 TEST_REGISTER(test, .run = test, ##__VA_ARGS__)                                                                       \
 static void test(void **state)

#define TEST_FILE(set_up_, tear_down_) TEST_REGISTER(file, .set_up = set_up_, .tear_down = tear_down_)

#define TEST_REGISTER(test, ...)                                                                                       \
 __attribute__((constructor)) static void register_##test(void) {                                                      \
  static TestRow row = { .file = __FILE__, .name = #test, __VA_ARGS__ };                                               \
                                                                                                                       \
  test_register(&row);                                                                                                 \
 }

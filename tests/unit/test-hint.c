/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A command that a hint names asks the daemon that gave the hint, and one that is typed for it stays as it is. */

#include "ctl/base/hint.h"

#include "test.h"

static void expect(const char *hint, const char *options, const char *expected) {
        _cleanup_(freep) char *text = hint_with_options(hint, options);

        assert_string_equal(text, expected);
}

TEST(options_stand_behind_the_verb_of_a_command) {
        expect("'benchctl history' lists jobs.", " --host=lab1", "'benchctl history --host=lab1' lists jobs.");
        expect("'benchctl list m.so' shows its names; a filter runs one.", " --private",
                        "'benchctl list --private m.so' shows its names; a filter runs one.");
        expect("Wait: 'benchctl wait", " --private", "Wait: 'benchctl wait --private");
}

TEST(each_command_of_a_hint_has_them) {
        expect("'benchctl wait 1234' waits again, 'benchctl cancel 1234' cancels it.", " --host=lab1",
                        "'benchctl wait --host=lab1 1234' waits again, 'benchctl cancel --host=lab1 1234' cancels it.");
}

TEST(all_else_stays_as_it_is) {
        expect("'benchctl history' lists jobs.", "", "'benchctl history' lists jobs.");
        expect("Name the module's file to benchctl.", " --host=lab1", "Name the module's file to benchctl.");
        expect("", " --host=lab1", "");
}

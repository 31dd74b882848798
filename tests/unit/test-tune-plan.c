/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "machine/tune-plan.h"

#include "test.h"

static void add(TunePlan *plan, TunableId id, const char *path, const char *want) {
        TuneStep step = { .id = id, .kind = VALUE_WORD };

        strcpy(step.path, path);
        strcpy(step.want, want);
        assert_int_equal(tune_plan_add(plan, &step), 0);
}

TEST(steps_stand_in_the_order_of_writing_and_else_as_they_came) {
        static const char *const paths[] = { "epp", "governor1", "governor2", "boost", "ksm" };
        TunePlan plan = {};

        add(&plan, TUNABLE_KSM, "ksm", "0");
        add(&plan, TUNABLE_GOVERNOR, "governor1", "performance");
        add(&plan, TUNABLE_BOOST, "boost", "0");
        add(&plan, TUNABLE_GOVERNOR, "governor2", "performance");
        add(&plan, TUNABLE_EPP, "epp", "performance");
        assert_int_equal(plan.n_steps, 5);
        for (size_t i = 0; i < plan.n_steps; i++)
                assert_string_equal(plan.steps[i].path, paths[i]);
        tune_plan_clear(&plan);
        assert_int_equal(plan.n_steps, 0);
}

TEST(the_first_step_of_a_path_decides) {
        TunePlan plan = {};

        add(&plan, TUNABLE_GOVERNOR, "governor", "performance");
        add(&plan, TUNABLE_GOVERNOR, "governor", "powersave");
        assert_int_equal(plan.n_steps, 1);
        assert_string_equal(tune_plan_find(&plan, "governor")->want, "performance");
        assert_null(tune_plan_find(&plan, "boost"));
        tune_plan_clear(&plan);
}

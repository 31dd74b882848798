/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the kernel says of its CPUs, and that it can be listened to. */

#include "launch/lease/cpu-watch.h"

#include "test.h"

static bool parse(const char *text, int *ret_cpu, bool *ret_on) {
        return cpu_hotplug_parse(text, strlen(text) + 1, ret_cpu, ret_on);
}

TEST(a_cpu_that_is_switched_is_told_with_its_number) {
        bool on = false;
        int cpu = -1;

        assert_true(parse("online@/devices/system/cpu/cpu12", &cpu, &on));
        assert_int_equal(cpu, 12);
        assert_true(on);
        assert_true(parse("offline@/devices/system/cpu/cpu0", &cpu, &on));
        assert_int_equal(cpu, 0);
        assert_false(on);
}

TEST(everything_else_that_the_kernel_says_is_passed_over) {
        static const char *const others[] = {
                "",
                "add@/devices/system/cpu/cpu1",
                "online@/devices/system/memory/memory1",
                "online@/devices/system/cpu/cpu1/cache/index0",
                "online@/devices/system/cpu/cpu",
                "online@/devices/system/cpu/cpux",
                "offline@/devices/system/cpu/cpu1024",
                "offline@/devices/system/cpu/cpu99999999999",
        };
        bool on = true;
        int cpu = 7;

        for (size_t i = 0; i < N_ELEMENTS(others); i++)
                assert_false(parse(others[i], &cpu, &on));
        assert_false(cpu_hotplug_parse("online@/devices/system/cpu/cpu1", 8, &cpu, &on)); /* cut */
        assert_int_equal(cpu, 7);
        assert_true(on);
}

static void tell(void *userdata, int cpu, bool on) {
}

TEST(the_kernel_can_be_listened_to) {
        sd_event *event;
        CpuHotplug *hotplug;

        assert_true(sd_event_new(&event) >= 0);
        assert_int_equal(cpu_hotplug_new(event, tell, NULL, &hotplug), 0);
        assert_null(cpu_hotplug_free(hotplug));
        sd_event_unref(event);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "machine/machine-facts.h"
#include "test.h"
#include "util/root-dir.h"

/* A machine of three files. */
typedef struct Captured {
        char directory[64];
        RootDir *root;
} Captured;

static void put(const Captured *captured, const char *path, const char *text) {
        char command[512];
        FILE *file;

        snprintf(command, sizeof command, "%s/%s", captured->directory, path);
        for (char *slash = command + strlen(captured->directory) + 1; (slash = strchr(slash, '/')); slash++) {
                *slash = 0;
                mkdir(command, 0700);
                *slash = '/';
        }
        file = fopen(command, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static int setup(void **state) {
        Captured *captured = calloc(1, sizeof *captured);

        strcpy(captured->directory, "/tmp/test-facts-XXXXXX");
        assert_non_null(mkdtemp(captured->directory));
        assert_int_equal(root_dir_new(captured->directory, &captured->root), 0);
        *state = captured;
        return 0;
}

static int teardown(void **state) {
        Captured *captured = *state;
        char command[128];

        root_dir_free(captured->root);
        snprintf(command, sizeof command, "rm -r %s", captured->directory);
        assert_int_equal(system(command), 0);
        free(captured);
        return 0;
}

TEST(the_machine_is_read_from_its_files, setup, teardown) {
        Captured *captured = *state;
        MachineFacts facts;

        put(captured, "proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x100\nprocessor\t: 1\nmicrocode\t: 0x200\n");
        put(captured, "proc/meminfo", "MemTotal:       24000000 kB\nMemFree:  1 kB\n");
        put(captured, "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n");
        assert_int_equal(machine_facts_read(captured->root, 3, &facts), 0);
        assert_string_equal(facts.microcode, "0x100");
        assert_string_equal(facts.governor, "schedutil");
        assert_int_equal(facts.memory_bytes, 24000000ull * 1024);
}

TEST(what_the_machine_does_not_have_is_empty, setup, teardown) {
        Captured *captured = *state;
        MachineFacts facts;

        assert_int_equal(machine_facts_read(captured->root, 0, &facts), 0);
        assert_string_equal(facts.microcode, "");
        assert_string_equal(facts.governor, "");
        assert_int_equal(facts.memory_bytes, 0);
}

TEST(the_counter_is_trusted_while_the_kernel_offers_it, setup, teardown) {
        static const char path[] = "sys/devices/system/clocksource/clocksource0/available_clocksource";
        static const struct {
                const char *text;
                bool trusted;
        } rows[] = {
                { "tsc kvm-clock \n", true },
                { "kvm-clock tsc\n", true },
                { "hpet acpi_pm \n", false },
                { "tsc-early hpet \n", false },
                { "\n", false },
        };
        Captured *captured = *state;
        MachineFacts facts;

        assert_int_equal(machine_facts_read(captured->root, 0, &facts), 0);
        assert_true(facts.trusts_tsc);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                put(captured, path, rows[i].text);
                assert_int_equal(machine_facts_read(captured->root, 0, &facts), 0);
                assert_int_equal(facts.trusts_tsc, rows[i].trusted);
        }
}

TEST(a_key_is_found_only_at_the_start_of_a_line_before_a_colon) {
        char value[8];

        machine_facts_find("xkey: 1\nkeys: 2\nkey \t: three and more\n", "key", value, sizeof value);
        assert_string_equal(value, "three a");
        machine_facts_find("key\nother", "key", value, sizeof value);
        assert_string_equal(value, "");
        machine_facts_find("key:", "key", value, sizeof value);
        assert_string_equal(value, "");
}

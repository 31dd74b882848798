/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A machine has the id that systemd would give it for benchd, and a name that stands in a table, a file's name and a list of hosts.
 */

#include "front/base/machine-identity.h"

#include "machine.h"

#define LONGEST "a234567890123456789012345678901234567890123456789012345678901234"

static const MachineIdentity *read_identity(const Machine *machine, const char *name) {
        static MachineIdentity identity;

        machine_identity_read(machine->root, name, &identity);
        return &identity;
}

/* Computed by `systemd-id128 machine-id --app-specific=` of benchd's id, on a machine with the first of these machine-ids. */
TEST(the_id_is_that_of_systemd_for_benchd) {
        static const char *const rows[][2] = {
                { "00112233445566778899aabbccddeeff", "e14aeac3b7a1425dabb2a77ffb63e5e8" },
                { "00112233445566778899AABBCCDDEEFF", "e14aeac3b7a1425dabb2a77ffb63e5e8" },
        };
        _cleanup_(machine_freep) Machine *machine = machine_new();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                machine_put(machine, "etc/machine-id", rows[i][0]);
                assert_string_equal(read_identity(machine, "a")->id, rows[i][1]);
        }
}

TEST(a_machine_without_a_machine_id_has_no_id) {
        static const char *const texts[] = { "", "uninitialized", "00000000000000000000000000000000",
                "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
                "00112233445566778899aabbccddeefg", "00112233-4455-6677-8899-aabbccddeeff",
                "0x112233445566778899aabbccddeeff", " 0112233445566778899aabbccddeeff" };
        _cleanup_(machine_freep) Machine *machine = machine_new();

        assert_string_equal(read_identity(machine, "a")->id, "");
        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                machine_put(machine, "etc/machine-id", texts[i]);
                assert_string_equal(read_identity(machine, "a")->id, "");
        }
}

TEST(the_name_is_that_of_the_configuration_or_else_of_the_host) {
        static const struct {
                const char *host, *name;
        } rows[] = { { "node-7.example.org", "node-7.example.org" }, { LONGEST, LONGEST }, { "(none)", "" }, { "", "" },
                { "-rf", "" }, { "a b", "" }, { "a\033[31m", "" }, { "k\xc3\xb6ln", "" } };
        _cleanup_(machine_freep) Machine *machine = machine_new();

        assert_string_equal(read_identity(machine, MACHINE_NAME_HOST)->name, "");
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                machine_put(machine, "proc/sys/kernel/hostname", rows[i].host);
                assert_string_equal(read_identity(machine, MACHINE_NAME_HOST)->name, rows[i].name);
                assert_string_equal(read_identity(machine, "rack_2")->name, "rack_2");
        }
}

TEST(a_valid_name_has_letters_digits_and_three_signs) {
        static const char *const good[] = { "a", "7", "node-7", "rack_2.node7", "A.", LONGEST };
        static const char *const bad[] = { "", ".", "-a", "_a", "%H", "%i", "a b", "a/b", "a,b", "a@b", "a:b",
                "\xc3\xa9", "a\n" };

        for (size_t i = 0; i < N_ELEMENTS(good); i++)
                assert_true(machine_name_is_valid(good[i]));
        for (size_t i = 0; i < N_ELEMENTS(bad); i++)
                assert_false(machine_name_is_valid(bad[i]));
}

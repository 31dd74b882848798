/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The page cache is dropped by a process of its own, one at a time; a refusal of the kernel is told, and nobody is told of one that was forgotten. */

#include "launch/run/cache-drop.h"

#include <sys/wait.h>
#include <systemd/sd-event.h>

#include "machine.h"

#define FILE_OF_MACHINE "proc/sys/vm/drop_caches"

static struct Fixture {
        Machine *machine;
        CacheDrop drop;
        uint64_t serial; /* that was told; 0: none */
        int error;
} fixture;

static void on_dropped(void *userdata, uint64_t serial, int error, uint64_t elapsed_ns) {
        assert_ptr_equal(userdata, &fixture);
        assert_true(elapsed_ns > 0);
        fixture.serial = serial;
        fixture.error = error;
}

static int set_up(void **state) {
        fixture = (struct Fixture){ .machine = machine_new(), .drop = { .told = on_dropped, .userdata = &fixture } };
        assert_true(sd_event_new(&fixture.drop.event) >= 0);
        return 0;
}

static int tear_down(void **state) {
        cache_drop_clear(&fixture.drop);
        sd_event_unref(fixture.drop.event);
        machine_free(fixture.machine);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void await_end(void) {
        while (fixture.drop.source)
                assert_true(sd_event_run(fixture.drop.event, UINT64_MAX) >= 0);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(everything_is_dropped_and_told_once) {
        machine_put(fixture.machine, FILE_OF_MACHINE, "0\n");
        for (uint64_t serial = 7; serial < 9; serial++) {
                assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, serial), 0);
                assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, 99), CACHE_DROP_E_BUSY);
                await_end();
                assert_int_equal(fixture.serial, serial);
                assert_int_equal(fixture.error, 0);
        }
        assert_string_equal(machine_get(fixture.machine, FILE_OF_MACHINE), "3");
}

TEST(a_machine_without_such_a_file_and_a_kernel_that_refuses_are_told) {
        char path[PATH_MAX];

        assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, 7), -ENOENT);
        machine_put(fixture.machine, FILE_OF_MACHINE, "0\n");
        snprintf(path, sizeof path, "%s/" FILE_OF_MACHINE, fixture.machine->directory);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, 7), 0);
        await_end();
        assert_int_equal(fixture.error, ENOSPC);
}

TEST(nobody_is_told_of_one_that_was_forgotten) {
        machine_put(fixture.machine, FILE_OF_MACHINE, "0\n");
        assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, 7), 0);
        cache_drop_forget(&fixture.drop);
        assert_int_equal(cache_drop_start(&fixture.drop, fixture.machine->root, 8), CACHE_DROP_E_BUSY);
        await_end();
        assert_int_equal(fixture.serial, 0);
}

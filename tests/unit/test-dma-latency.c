/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The kernel's own device, where this machine has it and lets us; without it, what that is called.
 */

#include "machine/dma-latency.h"

#include "machine.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/fd.h"

DEFINE_CLEANUP(RootDir *, root_dir_free)

/* Makes a request and ends it, and looks whether what is in force fell and rose with it. */
static bool request_shows(RootDir *root, int watch) {
        _cleanup_(fd_closep) int fd = -1;
        int32_t before, during, after;

        assert_int_equal(dma_latency_read(watch, &before), 0);
        assert_int_equal(dma_latency_open(root, &fd), 0);
        assert_int_equal(dma_latency_request(fd, before - 1), 0);
        assert_int_equal(dma_latency_read(watch, &during), 0);
        fd = fd_close(fd);
        assert_int_equal(dma_latency_read(watch, &after), 0);
        return during < before && after > during;
}

/* Others may make requests at the same time, but not at every one of so many. */
TEST(a_request_lasts_as_long_as_its_descriptor) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(fd_closep) int watch = -1;
        bool shown = false;

        assert_int_equal(root_dir_new("/", &root), 0);
        if (dma_latency_open(root, &watch) > 0) {
                root_dir_free(root); /* cmocka jumps past what _cleanup_ would do */
                skip();
        }
        for (unsigned i = 0; i < 1000 && !shown; i++)
                shown = request_shows(root, watch);
        assert_true(shown);
}

TEST(a_machine_without_the_device_is_unsupported) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        int fd = -1;

        assert_int_equal(dma_latency_open(machine->root, &fd), DMA_LATENCY_E_UNSUPPORTED);
        assert_int_equal(fd, -1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules as files, as benchd-inspect reads them: whatever a file holds, the block is one that the front-end takes, and nothing is read
 * beyond the file. The libraries that it reads debug information and code with are tried along.
 */

#include "fuzz.h"
#include "inspect/inspect.h"

static const char *const names[] = { "", "name" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        static InspectionBlock block;
        int fd;

        if (n_data == 0)
                return 0;
        fd = fuzz_file(data, n_data);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                memset(&block, 0, sizeof block);
                block.head.magic = SAMPLE_BLOCK_MAGIC;
                block.head.version = SAMPLE_BLOCK_VERSION;
                inspect_module(fd, "", names[i], &block);
                HOLD(block.head.end != RUNNER_END_NONE);
                HOLD(inspection_block_check(&block) == 0);
        }
        close(fd);
        return 0;
}

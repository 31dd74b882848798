/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/input-files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/report.h"

bool input_file_link(int fd, const char *name) {
        char target[32];

        snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
        return symlink(target, name) == 0;
}

bool input_files_link(const RunnerPlan *plan, int fd, BlockHead *head) {
        for (uint32_t i = 0; i < plan->n_inputs; i++) {
                if (input_file_link(fd + (int)i, plan->input_names[i]))
                        continue;
                report_end(head, RUNNER_END_INTERNAL, "the input %.64s: %s", plan->input_names[i], strerror(errno));
                return false;
        }
        return true;
}

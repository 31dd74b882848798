/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

static bool is_own(const char *variable) {
        return strncmp(variable, EXEC_ITERATION_VARIABLE "=", sizeof EXEC_ITERATION_VARIABLE) == 0 ||
               strncmp(variable, EXEC_OFFSET_VARIABLE "=", sizeof EXEC_OFFSET_VARIABLE) == 0;
}

int exec_environment_init(ExecEnvironment *environment, char *const *variables) {
        size_t n = 0, n_kept = 2;

        while (variables[n])
                n++;
        *environment = (ExecEnvironment){ .variables = calloc(n + 3, sizeof *environment->variables) };
        if (!environment->variables)
                return error_origin(-ENOMEM);
        environment->variables[0] = environment->iteration;
        environment->variables[1] = environment->offset;
        for (size_t i = 0; i < n; i++)
                if (!is_own(variables[i]))
                        environment->variables[n_kept++] = variables[i];
        exec_environment_draw(environment, 0, 0);
        return 0;
}

void exec_environment_clear(ExecEnvironment *environment) {
        free(environment->variables);
        *environment = (ExecEnvironment){};
}

void exec_environment_draw(ExecEnvironment *environment, uint64_t iteration, uint64_t draw) {
        const size_t n = draw % (EXEC_OFFSET_MAX + 1), name = sizeof EXEC_OFFSET_VARIABLE;

        snprintf(environment->iteration, sizeof environment->iteration, EXEC_ITERATION_VARIABLE "=%llu",
                        (unsigned long long)iteration);
        memcpy(environment->offset, EXEC_OFFSET_VARIABLE "=", name);
        memset(environment->offset + name, 'X', n);
        environment->offset[name + n] = '\0';
}

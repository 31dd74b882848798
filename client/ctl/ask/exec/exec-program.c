/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool exec_program_find(const char *word, char ret_path[static PATH_MAX]) {
        const char *directories = getenv("PATH");

        if (strchr(word, '/'))
                return snprintf(ret_path, PATH_MAX, "%s", word) < PATH_MAX && is_program(ret_path);
        if (!directories)
                directories = "/bin:/usr/bin";
        while (*word && *directories) {
                const size_t n = strcspn(directories, ":");

                if (snprintf(ret_path, PATH_MAX, "%.*s/%s", n ? (int)n : 1, n ? directories : ".", word) < PATH_MAX &&
                                is_program(ret_path))
                        return true;
                directories += n + (directories[n] == ':');
        }
        return false;
}

bool exec_program_changes_user(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/sysfs.h"

#include <stdlib.h>
#include <string.h>

#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define LIST_MAX 8192u /* bytes: 1024 CPUs, each by itself */

int sysfs_read_text(RootDir *root, const char *path, char *text, size_t n_text) {
        int r;

        r = root_dir_read_line(root, path, text, n_text);
        if (r > 0)
                text[0] = 0;
        return r < 0 ? error_trace(r) : 0;
}

/* Makes "0 1 2 " a list. */
static void commas_for_blanks(char *text) {
        for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
                text[n - 1] = 0;
        for (; *text; text++)
                if (*text == ' ')
                        *text = ',';
}

int sysfs_read_set(RootDir *root, const char *path, cpu_set_t *ret_set) {
        char text[LIST_MAX];
        int r;

        r = sysfs_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        commas_for_blanks(text);
        if (cpu_list_parse(text, ret_set) != 0)
                CPU_ZERO(ret_set);
        return 0;
}

int sysfs_read_number(RootDir *root, const char *path, unsigned *ret_number) {
        char text[32];
        long number;
        int r;

        r = sysfs_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        number = strtol(text, NULL, 10);
        *ret_number = number > 0 ? number : 0;
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/near-file.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/module-parts.h"
#include "util/cleanup.h"
#include "util/file-name.h"
#include "util/nearest.h"

/* The suffix of a source or module that was left out is one slip. */
static size_t distance_of(const char *word, const char *name) {
        const size_t n = strlen(word);

        if (strncmp(name, word, n) == 0 && name[n] == '.' &&
                        (module_parts_are_built(name) || strcmp(name + n, ".so") == 0))
                return 1;
        return nearest_is_likely(word, nearest_distance(word, name)) ? nearest_distance(word, name) : SIZE_MAX;
}

char *near_file_find(const char *path) {
        const char *name = file_name_of(path);
        _cleanup_(freep) char *directory = strndup(path, (size_t)(name - path)), *found = NULL;
        DIR *files = directory ? opendir(*directory ? directory : ".") : NULL;
        size_t nearest = SIZE_MAX;
        const struct dirent *file;

        while (files && (file = readdir(files))) {
                const size_t distance = distance_of(name, file->d_name);

                if (distance >= nearest)
                        continue;
                nearest = distance;
                free(found);
                if (asprintf(&found, "%s%s", directory, file->d_name) < 0)
                        found = NULL;
        }
        if (files)
                closedir(files);
        return take_pointer(found);
}

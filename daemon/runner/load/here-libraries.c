/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/here-libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/load/elf-image.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"

/* Finds the SONAME of the file at @path; without one that is valid as a file name, the name of the file. */
static void find_name(const char *path, char ret_name[static RUNNER_LIBRARY_NAME_MAX]) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
        const char *name = NULL;
        ElfImage file, image;

        if (fd < 0 || !elf_sections_map(fd, &file)) {
                snprintf(ret_name, RUNNER_LIBRARY_NAME_MAX, "%s", file_name_of(path));
                return;
        }
        if (elf_image_read(file.bytes, file.n, &image))
                name = elf_image_string(&image, elf_image_dynamic_value(&image, DT_SONAME));
        if (!name || strlen(name) >= RUNNER_LIBRARY_NAME_MAX || !runner_plan_input_name_is_valid(name))
                name = file_name_of(path);
        snprintf(ret_name, RUNNER_LIBRARY_NAME_MAX, "%s", name);
        elf_sections_unmap(&file);
}

bool here_libraries_add(HereLibraries *libraries, const char *path, bool preload) {
        const size_t i = libraries->n;

        if (i == RUNNER_LIBRARIES_MAX || (preload && libraries->n_preloaded < i))
                return false;
        libraries->n++;
        libraries->n_preloaded += preload;
        libraries->paths[i] = path;
        find_name(path, libraries->names[i]);
        if (start_can_list(libraries->names[i]))
                memcpy(libraries->links[i], libraries->names[i], sizeof libraries->links[i]);
        else
                snprintf(libraries->links[i], sizeof libraries->links[i], "library-%zu.so", i);
        libraries->rows[i] = (StartLibrary){
                .needed = libraries->names[i],
                .path = libraries->links[i],
                .preload = preload,
        };
        return true;
}

static int link_in(const char *directory, const char *name, const char *path) {
        char place[PATH_MAX + RUNNER_LIBRARY_NAME_MAX];

        snprintf(place, sizeof place, "%s/%s", directory, name);
        return symlink(path, place) < 0 ? error_origin(-errno) : 0;
}

int here_libraries_link(const HereLibraries *libraries, const char *directory) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < libraries->n; i++) {
                r = link_in(directory, libraries->names[i], libraries->paths[i]);
                if (r == 0 && strcmp(libraries->names[i], libraries->links[i]) != 0)
                        r = link_in(directory, libraries->links[i], libraries->paths[i]);
        }
        return error_trace(r);
}

bool here_libraries_check(const HereLibraries *libraries, const char *directory, BlockHead *head) {
        for (size_t i = 0; i < libraries->n_preloaded; i++) {
                char path[PATH_MAX + RUNNER_LIBRARY_NAME_MAX];

                snprintf(path, sizeof path, "%s/%s", directory, libraries->links[i]);
                if (!start_check_library(path, libraries->names[i], head))
                        return false;
        }
        return true;
}

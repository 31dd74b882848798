/* SPDX-License-Identifier: MIT */
#include "lib/module-file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "benchd/client.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define MODULE_FILE_MAX (1u << 30) /* the daemon's own limit is in its Hello, and checked when it is sent */
#define MODULE_NAME_MAX 255u       /* bytes, as for module_name in the schema */

void module_file_clear(ModuleFile *file) {
        free(file->name);
        fd_close(file->fd);
        *file = (ModuleFile){ .fd = -1 };
}

int module_file_read(const char *path, ModuleFile *ret_file) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        const char *slash = strrchr(path, '/');
        int r;

        file.name = strndup(slash ? slash + 1 : path, MODULE_NAME_MAX);
        if (!file.name)
                return error_origin(-ENOMEM);
        r = fd_memfd_from_path(path, MODULE_FILE_MAX, &file.fd);
        if (r == FD_E_EMPTY)
                return BENCHD_E_EMPTY;
        if (r == FD_E_TOO_LARGE)
                return BENCHD_E_TOO_LARGE;
        if (r)
                return error_fold(r);
        r = fd_check_sealed(file.fd, MODULE_FILE_MAX, &file.size);
        if (r)
                return error_fold(r);
        *ret_file = file;
        file = (ModuleFile){ .fd = -1 };
        return 0;
}

int module_file_rename(ModuleFile *file, const char *name) {
        char *copy;

        copy = strndup(name, strnlen(name, MODULE_NAME_MAX)); /* gcc warns about a bound beyond a known length */
        if (!copy)
                return error_origin(-ENOMEM);
        free(file->name);
        file->name = copy;
        return 0;
}

/* The file is sealed, so the mapping cannot shrink under its reader. */
int module_file_map(const ModuleFile *file, ModuleMapping *ret_mapping) {
        void *data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);

        if (data == MAP_FAILED)
                return error_origin(-errno);
        *ret_mapping = (ModuleMapping){ .data = data, .n_data = file->size };
        return 0;
}

void module_mapping_clear(ModuleMapping *mapping) {
        if (mapping->n_data > 0)
                munmap(mapping->data, mapping->n_data);
}

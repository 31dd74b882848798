/* SPDX-License-Identifier: MIT */
#include "lib/module-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "benchd/client.h"
#include "lib/elf-needs.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"

#define MODULE_FILE_MAX (1u << 30) /* the daemon's own limit is in its Hello, and checked when it is sent */
#define MODULE_NAME_MAX 255u       /* bytes, as for module_name in the schema */

void module_file_clear(ModuleFile *file) {
        free(file->name);
        free(file->soname);
        free(file->path);
        fd_close(file->fd);
        *file = (ModuleFile){ .fd = -1 };
}

static int module_file_read_soname(ModuleFile *file) {
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        ElfNeeds needs;
        int r;

        r = module_file_map(file, &mapping);
        if (r)
                return error_trace(r);
        if (elf_needs_read(mapping.data, mapping.n_data, &needs) != 0 || !needs.soname)
                return 0;
        file->soname = strndup(needs.soname, MODULE_NAME_MAX);
        return file->soname ? 0 : error_origin(-ENOMEM);
}

static int read_pipe(const char *path, int *ret_fd) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        return error_trace(fd_memfd_from_pipe(fd, -1, BENCHD_PIPE_BYTES_MAX, ret_fd));
}

static int module_file_read_bytes(const char *path, bool piped, ModuleFile *ret_file) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        file.name = strndup(file_name_of(path), MODULE_NAME_MAX);
        if (!file.name)
                return error_origin(-ENOMEM);
        r = piped ? read_pipe(path, &file.fd) : fd_memfd_from_path(path, MODULE_FILE_MAX, &file.fd);
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

int module_file_read_input(const char *path, ModuleFile *ret_file) {
        return error_trace(module_file_read_bytes(path, false, ret_file));
}

int module_file_read(const char *path, ModuleFile *ret_file) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        struct stat status = {};
        int r;

        r = stat(path, &status) < 0 ? error_origin(-errno) : 0;
        if (r == 0)
                r = module_file_read_bytes(path, S_ISFIFO(status.st_mode), &file);
        if (r)
                return error_trace(r);
        r = module_file_read_soname(&file);
        if (r)
                return error_trace(r);
        file.path = strdup(path);
        if (!file.path)
                return error_origin(-ENOMEM);
        file.device = status.st_dev;
        file.inode = status.st_ino;
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

int module_file_name_after(ModuleFile *file, const char *path) {
        const size_t n = strlen(path);
        const char *end = path;

        if (n > MODULE_NAME_MAX)
                end += n - MODULE_NAME_MAX;
        while (end > path && ((unsigned char)*end & 0xc0) == 0x80) /* not within a character */
                end++;
        return error_trace(module_file_rename(file, end));
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

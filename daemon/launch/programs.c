/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/programs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define PROGRAM_OPEN_TO_ALL (S_IROTH | S_IXOTH)

#ifndef MFD_EXEC
# define MFD_EXEC 0x0010u /* Linux 6.3; vm.memfd_noexec asks for it */
#endif

typedef struct ProgramPlace {
        const char *name;
        const char *in_build_tree; /* from the launcher's directory */
} ProgramPlace;

static const ProgramPlace program_places[] = {
        [PROGRAM_FRONT] = { "benchd", "../front" },
        [PROGRAM_RUNNER] = { "benchd-runner", "../runner" },
        [PROGRAM_COUNT] = { "benchd-count.so", "../runner" },
        [PROGRAM_INSPECT] = { "benchd-inspect", "../inspect" },
};

const char *program_name(Program program) {
        return program_places[program].name;
}

static int own_directory(char directory[static PATH_MAX]) {
        ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
        char *slash;

        if (n < 0)
                return error_origin(-errno);
        directory[n] = 0;
        slash = strrchr(directory, '/');
        if (!slash)
                return error_origin(-ENOENT);
        *slash = 0;
        return 0;
}

/* Returns 0, E_MISSING, or a negative errno. */
static int open_in(const char *directory, const char *folder, const char *name, int *ret_fd) {
        _cleanup_(freep) char *path = NULL;
        int fd;

        if (asprintf(&path, "%s/%s/%s", directory, folder, name) < 0) {
                path = NULL;
                return error_origin(-ENOMEM);
        }
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR ? PROGRAMS_E_MISSING : error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/* A kernel older than MFD_EXEC lets every memfd be executed. */
static int memfd_for_program(const char *name, int *ret_fd) {
        int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

        if (fd >= 0) {
                *ret_fd = fd;
                return 0;
        }
        return errno == EINVAL ? error_trace(fd_memfd_new(name, ret_fd)) : error_origin(-errno);
}

static int copy_for_all(const char *name, int from, size_t size, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        int r;

        r = memfd_for_program(name, &fd);
        if (r)
                return error_trace(r);
        r = fd_copy(from, fd, 0, size);
        if (r)
                return error_trace(r);
        if (fchmod(fd, 0755) < 0)
                return error_origin(-errno);
        r = fd_seal(fd);
        if (r)
                return error_trace(r);
        *ret_fd = fd_take(&fd);
        return 0;
}

int program_open(Program program, int *ret_fd) {
        const ProgramPlace *place = &program_places[program];
        _cleanup_(fd_closep) int fd = -1;
        char directory[PATH_MAX];
        struct stat status;
        int r;

        r = own_directory(directory);
        if (r)
                return error_trace(r);
        r = open_in(directory, place->in_build_tree, place->name, &fd);
        if (r == PROGRAMS_E_MISSING)
                r = open_in(directory, ".", place->name, &fd);
        if (r == PROGRAMS_E_MISSING)
                r = open_in(BENCHD_LIBEXECDIR, ".", place->name, &fd);
        if (r)
                return r;
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if ((status.st_mode & PROGRAM_OPEN_TO_ALL) != PROGRAM_OPEN_TO_ALL)
                return error_trace(copy_for_all(place->name, fd, status.st_size, ret_fd));
        *ret_fd = fd_take(&fd);
        return 0;
}

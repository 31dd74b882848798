/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/programs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/base/say.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/own-tree.h"

#define PROGRAM_OWN_PLACE   "daemon/launch" /* the launcher's, in a build tree */
#define PROGRAM_OPEN_TO_ALL (S_IROTH | S_IXOTH)

#ifndef MFD_EXEC
# define MFD_EXEC 0x0010u /* Linux 6.3; vm.memfd_noexec asks for it */
#endif

typedef struct ProgramPlace {
        const char *name;
        const char *in_build_tree; /* its file */
} ProgramPlace;

static const ProgramPlace program_places[] = {
        [PROGRAM_FRONT] = { "benchd", "daemon/front/benchd" },
        [PROGRAM_RUNNER] = { "benchd-runner", "daemon/runner/benchd-runner" },
        [PROGRAM_COUNT] = { "benchd-count.so", "daemon/runner/benchd-count.so" },
        [PROGRAM_INSPECT] = { "benchd-inspect", "daemon/inspect/benchd-inspect" },
};

const char *program_name(Program program) {
        return program_places[program].name;
}

/* Opens the file @path beside this program, which lies in @place of its tree. Returns 0, E_MISSING, or a negative errno. */
static int open_beside(const char *place, const char *path, int *ret_fd) {
        OwnTreeRefusal refusal;
        char found[PATH_MAX], words[OWN_TREE_WORDS_MAX];
        int r;

        r = own_tree_open(place, path, &refusal, ret_fd, found);
        if (r == OWN_TREE_E_UNSAFE) {
                own_tree_explain(&refusal, words);
                say(SD_WARNING, "the %s beside benchd-launch is not used, but the installed one: %s", path, words);
        }
        return r > 0 ? PROGRAMS_E_MISSING : error_trace(r);
}

/* Returns 0, E_MISSING, or a negative errno. */
static int open_installed(const char *name, int *ret_fd) {
        _cleanup_(freep) char *path = NULL;
        int fd;

        if (asprintf(&path, "%s/%s", BENCHD_LIBEXECDIR, name) < 0) {
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
        struct stat status;
        int r;

        r = open_beside(PROGRAM_OWN_PLACE, place->in_build_tree, &fd);
        if (r == PROGRAMS_E_MISSING)
                r = open_beside("", place->name, &fd);
        if (r == PROGRAMS_E_MISSING)
                r = open_installed(place->name, &fd);
        if (r)
                return r;
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if ((status.st_mode & PROGRAM_OPEN_TO_ALL) != PROGRAM_OPEN_TO_ALL)
                return error_trace(copy_for_all(place->name, fd, status.st_size, ret_fd));
        *ret_fd = fd_take(&fd);
        return 0;
}

int program_check(Program program, int fd, char ret_words[static BUILD_WORDS_MAX]) {
        char text[BUILD_TEXT_MAX];
        struct stat status;
        void *bytes;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
                return error_origin(-errno);
        r = build_find(bytes, status.st_size, text);
        munmap(bytes, status.st_size);
        if (r == 0)
                return 0;
        build_complain("benchd-launch", program_name(program), text, ret_words);
        return PROGRAMS_E_OTHER_BUILD;
}

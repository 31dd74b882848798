/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "util/fd.h"

#define KEPT_BYTES (64 * 1024)
#define TAIL_BYTES 1024u
#define LINES_MAX  5u

#define JOINTS_BYTES (3 * (int)LINES_MAX)

int exec_output_new(void) {
        int fd;

        fd = memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0)
                return error_origin(-errno);
        if (fcntl(fd, F_SETFL, O_APPEND) < 0) {
                const int r = error_origin(-errno);

                fd_close(fd);
                return r;
        }
        return fd;
}

void exec_output_clear(int fd) {
        (void)!ftruncate(fd, 0);
}

void exec_output_trim(int fd) {
        struct stat status;

        if (fstat(fd, &status) == 0 && status.st_blocks * 512 > 2 * KEPT_BYTES && status.st_size > KEPT_BYTES)
                (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, status.st_size - KEPT_BYTES);
}

static const char *last_lines(const char *text) {
        const char *line = text + strlen(text);

        for (unsigned lines = 0; line > text; line--)
                if (line[-1] == '\n' && ++lines == LINES_MAX)
                        break;
        return line + strspn(line, "\r\n");
}

void exec_output_last_lines(int fd, char *lines, size_t n) {
        char text[TAIL_BYTES];
        struct stat status;
        ssize_t n_read, most = n < TAIL_BYTES ? (ssize_t)n : (ssize_t)TAIL_BYTES;
        size_t used = 0;

        lines[0] = '\0';
        most -= JOINTS_BYTES;
        if (most <= 0 || fstat(fd, &status) < 0)
                return;
        n_read = pread(fd, text, (size_t)most, status.st_size > most ? status.st_size - most : 0);
        if (n_read <= 0)
                return;
        text[n_read] = '\0';
        while (n_read > 0 && (text[n_read - 1] == '\n' || text[n_read - 1] == '\r'))
                text[--n_read] = '\0';
        for (const char *at = last_lines(text); *at; at++) {
                if (*at == '\n')
                        used += (size_t)snprintf(lines + used, n - used, " | ");
                else if ((unsigned char)*at >= ' ' && *at != 0x7f)
                        lines[used++] = *at;
        }
        lines[used] = '\0';
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the targets share. Each is one function of bytes that libFuzzer makes, and holds more than that nothing crashes:
 * HOLD() says what must be true of whatever was let through.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/root-dir.h"

/* An assertion that no option of the build leaves out. */
#define HOLD(condition)                                                                                                \
 do {                                                                                                                  \
  if (!(condition)) {                                                                                                  \
   fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                      \
   abort();                                                                                                            \
  }                                                                                                                    \
 } while (0)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_data, size_t n_max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_data, size_t n_max);

/* @data as a string, which ends at its first zero. */
static inline char *fuzz_text(const uint8_t *data, size_t n_data) {
        char *text = strndup((const char *)data, n_data);

        HOLD(text);
        return text;
}

/* Lays as much of @data as there is room for over the start of the record @to of @n_to bytes, whose rest is zero. */
static inline void fuzz_lay(void *to, size_t n_to, const uint8_t *data, size_t n_data) {
        memset(to, 0, n_to);
        if (n_data > 0)
                memcpy(to, data, n_data < n_to ? n_data : n_to);
}

/* A file of these bytes that has no name. */
static inline int fuzz_file(const uint8_t *data, size_t n_data) {
        int fd = memfd_create("input", MFD_CLOEXEC);

        HOLD(fd >= 0 && write(fd, data, n_data) == (ssize_t)n_data);
        return fd;
}

/* A root of its own in $TMPDIR, for as long as the process lives; who set TMPDIR removes it. */
static inline RootDir *fuzz_root(void) {
        const char *above = getenv("TMPDIR");
        char path[512];
        RootDir *root;

        snprintf(path, sizeof path, "%s/fuzz-XXXXXX", above ? above : "/tmp");
        HOLD(mkdtemp(path) && root_dir_new(path, &root) == 0);
        return root;
}

/* The file @path of @root, made of these bytes. */
static inline void fuzz_put(RootDir *root, const char *path, const void *data, size_t n_data) {
        int fd = openat(root_dir_fd(root), path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        HOLD(fd >= 0 && write(fd, data, n_data) == (ssize_t)n_data);
        close(fd);
}

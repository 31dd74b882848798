/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Preloaded into the daemon: lets allocations fail when told to. Who tests maps the file $BENCHD_FAULTS/PROGRAM, as the program
 * itself does, and writes which allocation from now on fails. Children do not take part.
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* tests/support/faults.py has the same. */
typedef struct Faults {
        _Atomic uint64_t seen;  /* allocations since the start */
        _Atomic uint64_t first; /* that fails, counted as @seen is; 0: none */
        _Atomic uint64_t n;     /* so many in a row fail */
        _Atomic uint64_t failed;
} Faults;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static Faults *faults;
static pid_t owner;

static void __attribute__((constructor)) faults_map(void) {
        const char *directory = getenv("BENCHD_FAULTS");
        char path[512];
        void *mapped;
        int fd;

        if (!directory)
                return;
        snprintf(path, sizeof path, "%s/%s", directory, program_invocation_short_name);
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
                return;
        mapped = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (mapped == MAP_FAILED)
                return;
        owner = getpid();
        faults = mapped;
}

static bool fails(void) {
        uint64_t number, first;

        if (!faults || getpid() != owner)
                return false;
        number = atomic_fetch_add(&faults->seen, 1) + 1;
        first = atomic_load(&faults->first);
        if (first == 0 || number < first || number >= first + atomic_load(&faults->n))
                return false;
        atomic_fetch_add(&faults->failed, 1);
        errno = ENOMEM;
        return true;
}

void *malloc(size_t n) {
        return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
        return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n) {
        return fails() ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
        return fails() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **ret, size_t alignment, size_t n) {
        if (fails())
                return ENOMEM;
        *ret = __libc_memalign(alignment, n);
        return *ret ? 0 : ENOMEM;
}

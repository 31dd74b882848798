/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/memory-lock.h"

#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

/* Locks the segment at @address up to whole pages, which the kernel mapped too. Returns an errno, or 0. */
static int lock_segment(uintptr_t address, size_t n_bytes) {
        const uintptr_t page = getpagesize(), start = address & ~(page - 1);

        return mlock2((void *)start, address + n_bytes - start, MLOCK_ONFAULT) == 0 ? 0 : errno;
}

/* Keeps the first error: the other segments are locked all the same. */
static int lock_file(struct dl_phdr_info *file, size_t size, void *userdata) {
        int *first_error = userdata;

        for (unsigned i = 0; i < file->dlpi_phnum; i++) {
                const ElfW(Phdr) *segment = &file->dlpi_phdr[i];
                int error = 0;

                if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W))
                        error = lock_segment(file->dlpi_addr + segment->p_vaddr, segment->p_memsz);
                *first_error = *first_error ? *first_error : error;
        }
        return 0;
}

OpsOutcome memory_lock(void) {
        int error = 0;

        (void)dl_iterate_phdr(lock_file, &error);
        if (!error)
                return OPS_OUTCOME_APPLIED;
        return error == ENOSYS || error == EINVAL ? OPS_OUTCOME_UNSUPPORTED : OPS_OUTCOME_DENIED;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/own-memory.h"

#include <sys/mman.h>

void *own_memory_new(size_t size) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        return memory == MAP_FAILED ? NULL : memory;
}

void own_memory_free(void *memory, size_t size) {
        if (memory)
                munmap(memory, size);
}

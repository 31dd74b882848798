/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/module-code.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/fd.h"

#define HASH_BEGIN 0xcbf29ce484222325ull /* FNV-1a, 64 bits */

typedef struct Image {
        const uint8_t *bytes;
        uint64_t n;
} Image;

static bool is_within(const Image *image, uint64_t offset, uint64_t n) {
        return offset <= image->n && n <= image->n - offset;
}

static uint64_t hash_add(uint64_t hash, const void *data, uint64_t n) {
        const uint8_t *bytes = data;

        for (uint64_t i = 0; i < n; i++)
                hash = (hash ^ bytes[i]) * 0x100000001b3;
        return hash;
}

/* Its place and size count too, since the loader sees them. */
static bool hash_add_section(const Image *image, const Elf64_Shdr *section, uint64_t *hash) {
        const uint64_t place[] = { section->sh_type, section->sh_addr, section->sh_size };

        if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_NOTE)
                return true;
        *hash = hash_add(*hash, place, sizeof place);
        if (section->sh_type == SHT_NOBITS)
                return true;
        if (!is_within(image, section->sh_offset, section->sh_size))
                return false;
        *hash = hash_add(*hash, image->bytes + section->sh_offset, section->sh_size);
        return true;
}

static uint64_t image_code(const Image *image) {
        uint64_t hash = HASH_BEGIN;
        Elf64_Ehdr head;

        if (!is_within(image, 0, sizeof head))
                return 0;
        memcpy(&head, image->bytes, sizeof head);
        if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
                        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shnum == 0)
                return 0;
        for (uint64_t i = 0; i < head.e_shnum; i++) {
                Elf64_Shdr section;

                if (!is_within(image, head.e_shoff, (i + 1) * sizeof section))
                        return 0;
                memcpy(&section, image->bytes + head.e_shoff + i * sizeof section, sizeof section);
                if (!hash_add_section(image, &section, &hash))
                        return 0;
        }
        return hash;
}

uint64_t module_code(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat status;
        uint64_t hash;
        void *bytes;

        if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
                return 0;
        bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
                return 0;
        hash = image_code(&(Image){ .bytes = bytes, .n = status.st_size });
        (void)munmap(bytes, status.st_size);
        return hash;
}

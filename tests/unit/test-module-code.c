/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Builds that load the same have the same hash, and no torn file is read beyond its end. */

#include "ctl/ask/bisect/module-code.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "util/fd.h"

static const char self[] = "/proc/self/exe";

static uint8_t *read_self(size_t *ret_n) {
        int fd = open(self, O_RDONLY | O_CLOEXEC);
        struct stat status;
        uint8_t *bytes;

        assert_true(fd >= 0 && fstat(fd, &status) == 0);
        bytes = malloc(status.st_size);
        assert_non_null(bytes);
        assert_int_equal(pread(fd, bytes, status.st_size, 0), status.st_size);
        close(fd);
        *ret_n = status.st_size;
        return bytes;
}

static uint64_t code_of(const uint8_t *bytes, size_t n) {
        char path[] = "/tmp/benchd-code-XXXXXX";
        int fd = mkstemp(path);
        uint64_t code;

        assert_true(fd >= 0);
        assert_int_equal(fd_write_all(fd, bytes, n), 0);
        close(fd);
        code = module_code(path);
        unlink(path);
        return code;
}

/* The place of a byte in the first section of @type that is loaded, or is not. */
static size_t place_in(const uint8_t *bytes, uint32_t type, bool is_loaded) {
        const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;
        const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + head->e_shoff);

        for (size_t i = 0; i < head->e_shnum; i++)
                if (sections[i].sh_type == type && sections[i].sh_size > 0 &&
                                !!(sections[i].sh_flags & SHF_ALLOC) == is_loaded)
                        return sections[i].sh_offset + sections[i].sh_size - 1;
        fail_msg("no section of type %u", type);
        return 0;
}

TEST(what_is_loaded_counts_and_nothing_else) {
        size_t n;
        uint8_t *bytes = read_self(&n);
        const uint64_t code = code_of(bytes, n);

        assert_int_not_equal(code, 0);
        assert_int_equal(module_code(self), code);
        bytes[place_in(bytes, SHT_NOTE, true)] ^= 1; /* such as the build id, which debug information is a part of */
        bytes[place_in(bytes, SHT_PROGBITS, false)] ^= 1;
        assert_int_equal(code_of(bytes, n), code);
        bytes[place_in(bytes, SHT_PROGBITS, true)] ^= 1;
        assert_int_not_equal(code_of(bytes, n), code);
        free(bytes);
}

TEST(a_torn_file_and_one_that_is_no_module_have_no_hash) {
        size_t n;
        uint8_t *bytes = read_self(&n);
        Elf64_Ehdr *head = (Elf64_Ehdr *)bytes;
        const size_t sections = head->e_shoff;

        assert_int_equal(module_code("/nowhere/module.so"), 0);
        assert_int_equal(module_code("/dev/null"), 0);
        assert_int_equal(code_of(bytes, 0), 0);
        assert_int_equal(code_of(bytes, sizeof *head - 1), 0);
        assert_int_equal(code_of(bytes, sections + 1), 0);
        head->e_shoff = UINT64_MAX - 8;
        assert_int_equal(code_of(bytes, n), 0);
        head->e_shoff = n - sizeof(Elf64_Shdr);
        (void)code_of(bytes, n);
        head->e_shoff = sections;
        for (size_t i = 0; i < head->e_shnum; i++)
                ((Elf64_Shdr *)(bytes + sections))[i].sh_offset = UINT64_MAX;
        assert_int_equal(code_of(bytes, n), 0);
        bytes[0] = 'x';
        assert_int_equal(code_of(bytes, n), 0);
        free(bytes);
}

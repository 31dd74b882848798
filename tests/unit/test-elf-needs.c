/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a shared object needs, from bytes that a stranger wrote: whatever they are, nothing beyond them is read (each is
 * put at the end of a page before one that cannot be read), and the outcome is one of three.
 */

#include "lib/elf-needs.h"

#include <elf.h>

#include "test.h"

enum {
        IMAGE_N_DYN = 10,
};

static const char strings[] = "\0libone.so.1\0libtwo.so\0libme.so.3\0$ORIGIN/lib\0/opt/lib";

/* The smallest file with all that is read: header, two segments, a dynamic section, its strings. */
typedef struct Image {
        Elf64_Ehdr header;
        Elf64_Phdr segments[2];
        Elf64_Dyn dynamic[IMAGE_N_DYN];
        char strings[sizeof strings];
} Image;

static Image image_new(void) {
        Image image = {
                .header = {
                        .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                        .e_type = ET_DYN,
                        .e_machine = EM_X86_64,
                        .e_phoff = offsetof(Image, segments),
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = 2,
                },
                .segments = {
                        { .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof(Image), .p_memsz = sizeof(Image) },
                        { .p_type = PT_DYNAMIC,
                                        .p_offset = offsetof(Image, dynamic),
                                        .p_filesz = sizeof(((Image *)0)->dynamic) },
                },
                .dynamic = {
                        { DT_NEEDED, { 1 } },
                        { DT_NEEDED, { 13 } },
                        { DT_SONAME, { 23 } },
                        { DT_RUNPATH, { 34 } },
                        { DT_RPATH, { 46 } },
                        { DT_STRTAB, { 0x10000 + offsetof(Image, strings) } },
                        { DT_STRSZ, { sizeof strings } },
                        { DT_FLAGS, { 1ull << 60 } },
                        { DT_NULL, { 0 } },
                        { DT_NEEDED, { 1ull << 40 } }, /* beyond DT_NULL: not read */
                },
        };

        memcpy(image.strings, strings, sizeof strings);
        return image;
}

/* Reads @n bytes that end where readable memory does. */
static int read_at_edge(const void *data, size_t n, ElfNeeds *ret_needs) {
        size_t page = sysconf(_SC_PAGESIZE), n_pages = (n + page - 1) / page + 1;
        uint8_t *map = mmap(NULL, n_pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint8_t *start = map + (n_pages - 1) * page - n;
        int r;

        assert_ptr_not_equal(map, MAP_FAILED);
        assert_int_equal(mprotect(map + (n_pages - 1) * page, page, PROT_NONE), 0);
        memcpy(start, data, n);
        r = elf_needs_read(start, n, ret_needs);
        for (size_t i = 0; r == 0 && i < ret_needs->n_needed; i++)
                assert_true(strlen(ret_needs->needed[i]) < n);
        munmap(map, n_pages * page);
        return r;
}

static Image image;
static ElfNeeds needs;

static int set_up(void **state) {
        image = image_new();
        return 0;
}

TEST_EACH(set_up, NULL)

/* Spoils the image in one way, so that its reading has that outcome. */
#define EXPECT(outcome, ...)                                                                                           \
 do {                                                                                                                  \
  image = image_new();                                                                                                 \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(read_at_edge(&image, sizeof image, &needs), outcome);                                               \
 } while (0)

TEST(all_that_is_asked_for_is_found) {
        assert_int_equal(elf_needs_read((const uint8_t *)&image, sizeof image, &needs), 0);
        assert_int_equal(needs.n_needed, 2);
        assert_string_equal(needs.needed[0], "libone.so.1");
        assert_string_equal(needs.needed[1], "libtwo.so");
        assert_string_equal(needs.soname, "libme.so.3");
        assert_string_equal(needs.runpath, "$ORIGIN/lib");
        assert_string_equal(needs.rpath, "/opt/lib");
}

TEST(this_very_program_needs_the_c_library) {
        static uint8_t data[64 << 20];
        bool found = false;
        size_t n;
        FILE *self = fopen("/proc/self/exe", "re");

        assert_non_null(self);
        n = fread(data, 1, sizeof data, self);
        fclose(self);
        assert_int_equal(elf_needs_read(data, n, &needs), 0);
        for (size_t i = 0; i < needs.n_needed; i++)
                found |= strcmp(needs.needed[i], "libc.so.6") == 0;
        assert_true(found);
}

TEST(every_truncation_is_an_outcome) {
        assert_int_equal(read_at_edge(&image, sizeof image, &needs), 0);
        for (size_t n = 0; n < offsetof(Image, strings) + sizeof strings; n++)
                assert_true(read_at_edge(&image, n, &needs) > 0);
}

TEST(other_files_are_foreign) {
        static const char text[] =
                        "#include <benchd/bench.h>\n\nBENCH(nothing, .about = \"a text\") { bench_loop(b) {} }";

        assert_int_equal(read_at_edge(text, sizeof text, &needs), ELF_NEEDS_E_FOREIGN);
        EXPECT(ELF_NEEDS_E_FOREIGN, image.header.e_machine = EM_AARCH64);
        EXPECT(ELF_NEEDS_E_FOREIGN, image.header.e_ident[EI_CLASS] = ELFCLASS32);
        EXPECT(ELF_NEEDS_E_FOREIGN, image.header.e_ident[EI_DATA] = ELFDATA2MSB);
        EXPECT(ELF_NEEDS_E_FOREIGN, image.segments[1].p_type = PT_NOTE);
        EXPECT(ELF_NEEDS_E_FOREIGN, image.header.e_phnum = 0);
}

/* Offsets at which a 64-bit number of the image lies that is followed. */
static const size_t followed[] = {
        offsetof(Image, header.e_phoff),
        offsetof(Image, segments[1].p_offset),
        offsetof(Image, segments[0].p_offset),
        offsetof(Image, segments[0].p_vaddr),
        offsetof(Image, dynamic[0].d_un.d_val),
        offsetof(Image, dynamic[2].d_un.d_val),
        offsetof(Image, dynamic[3].d_un.d_val),
        offsetof(Image, dynamic[5].d_un.d_val),
        offsetof(Image, dynamic[6].d_un.d_val),
};

TEST(numbers_out_of_range_are_never_followed) {
        static const uint64_t numbers[] = {
                sizeof(Image),
                sizeof(Image) + 1,
                sizeof(Image) - 1,
                1ull << 31,
                1ull << 32,
                (1ull << 63) - 1,
                1ull << 63,
                UINT64_MAX - 7,
                UINT64_MAX - 0x37,
                UINT64_MAX,
        };

        for (size_t i = 0; i < N_ELEMENTS(followed); i++)
                for (size_t j = 0; j < N_ELEMENTS(numbers); j++) {
                        image = image_new();
                        print_message("offset %zu number %#llx\n", followed[i], (unsigned long long)numbers[j]);
                        memcpy((char *)&image + followed[i], &numbers[j], sizeof numbers[j]);
                        assert_true(read_at_edge(&image, sizeof image, &needs) > 0);
                }
}

TEST(sizes_beyond_the_end_do_not_help) {
        /* DT_NULL ends it before the file does */
        EXPECT(0, image.segments[1].p_filesz = UINT64_MAX);
        EXPECT(ELF_NEEDS_E_MALFORMED, image.segments[0].p_filesz = UINT64_MAX;
                        image.dynamic[6].d_un.d_val = UINT64_MAX);
        EXPECT(ELF_NEEDS_E_MALFORMED, image.header.e_phnum = 0xffff; image.segments[1].p_type = PT_NULL);
        EXPECT(ELF_NEEDS_E_MALFORMED, image.header.e_phentsize = 8);
}

TEST(a_string_without_an_end_is_refused) {
        EXPECT(ELF_NEEDS_E_MALFORMED, image.dynamic[6].d_un.d_val = 12); /* ends within the first name */
}

TEST(any_byte_may_be_anything) {
        unsigned seed = 7;

        print_message("seed %u\n", seed);
        for (unsigned i = 0; i < 50000; i++) {
                int r;

                image = image_new();
                for (unsigned j = 0; j < 3; j++)
                        ((uint8_t *)&image)[rand_r(&seed) % sizeof image] = rand_r(&seed);
                r = read_at_edge(&image, sizeof image, &needs);
                assert_true(r >= 0 && r <= ELF_NEEDS_E_MALFORMED);
        }
}

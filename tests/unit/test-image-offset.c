/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules moved within their cache line: real ones, by each linker at hand, work as before and lie where they were moved to. What
 * cannot be moved is refused with its reason; a file that is cut anywhere, or of random bytes, is never read beyond.
 */

#include "runner/load/image-offset.h"

#include <dlfcn.h>
#include <elf.h>

#include "runner/load/elf-image.h"
#include "test.h"
#include "tests/unit/test-paths.h"

#define ALL_RIGHT 0x1ffu /* of image_checks() */

typedef struct File {
        char *bytes; /* with room to move them by one offset */
        size_t n;
} File;

static void file_clear(File *file) {
        free(file->bytes);
}

static File file_read(const char *name) {
        char path[4096];
        File file = {};
        FILE *stream;

        snprintf(path, sizeof path, "%s/%s.so", IMAGE_MODULES, name);
        stream = fopen(path, "rb");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, 0, SEEK_END), 0);
        file.n = ftell(stream);
        rewind(stream);
        file.bytes = malloc(file.n + RUNNER_IMAGE_OFFSET_MAX);
        assert_int_equal(fread(file.bytes, 1, file.n, stream), file.n);
        fclose(stream);
        return file;
}

/* Loads it; the descriptor stays open: a path of its own for each. */
static void *file_load(const File *file, int mode) {
        int fd = memfd_create("module", 0);
        char path[32];
        void *handle;

        assert_int_equal(write(fd, file->bytes, file->n), file->n);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        handle = dlopen(path, mode | RTLD_LOCAL);
        if (!handle)
                fail_msg("%s", dlerror());
        return handle;
}

static SampleImageState file_move(File *file, uint32_t offset, uint32_t *ret_moved) {
        const size_t n_head = sizeof(Elf64_Ehdr);
        SampleImageState state;
        ImageMove move;

        state = image_offset_apply(file->bytes, file->n, offset, &move);
        if (!sample_image_is_moved(state))
                return state;
        assert_true(move.n_bytes > n_head && move.n_bytes < file->n);
        memmove(file->bytes + n_head + move.offset_bytes, file->bytes + n_head, move.n_bytes - n_head);
        file->n = move.n_bytes + move.offset_bytes;
        *ret_moved = move.offset_bytes;
        return state;
}

/* The places of its code and its data within a cache line. */
typedef struct Places {
        unsigned code, data;
} Places;

static Places places_of(void *handle) {
        return (Places){ (uintptr_t)dlsym(handle, "image_checks") % 64,
                (uintptr_t)dlsym(handle, "image_variable") % 64 };
}

static Places check_moved(const char *name, uint32_t offset, uint32_t wanted, int mode) {
        _cleanup_(file_clear) File file = file_read(name);
        uint32_t moved = 0;
        void *handle;

        assert_int_equal(file_move(&file, offset, &moved), IMAGE_FREE);
        assert_int_equal(moved, wanted);
        handle = file_load(&file, mode);
        assert_int_equal(((unsigned (*)(void))dlsym(handle, "image_checks"))(), ALL_RIGHT);
        return places_of(handle);
}

static const char *const movable[] = { IMAGE_MOVABLE };

TEST(moved_modules_work_and_lie_where_they_were_moved_to) {
        for (size_t i = 0; i < N_ELEMENTS(movable); i++) {
                Places linked = check_moved(movable[i], 0, 0, RTLD_NOW);

                print_message("%s\n", movable[i]);
                for (uint32_t offset = 16; offset < RUNNER_IMAGE_OFFSET_MAX; offset += 16) {
                        Places moved = check_moved(movable[i], offset, offset, offset == 32 ? RTLD_LAZY : RTLD_NOW);

                        assert_int_equal(moved.code, (linked.code + offset) % 64);
                        assert_int_equal(moved.data, (linked.data + offset) % 64);
                }
        }
}

static void check_aligned(const char *name, const File *file) {
        void *handle = file_load(file, RTLD_NOW);
        bool (*is_aligned)(void) = (bool (*)(void))dlsym(handle, "image_is_aligned");

        assert_int_equal(((unsigned (*)(void))dlsym(handle, "image_checks"))(), ALL_RIGHT);
        if (is_aligned && !is_aligned())
                fail_msg("%s: what is aligned no longer is", name);
}

TEST(a_module_is_moved_by_no_less_than_what_in_it_is_aligned_to) {
        static const struct {
                const char *name;
                SampleImageState state;
        } rows[] = {
                { "image-data-16", IMAGE_FREE },
                { "image-constant-16", IMAGE_FREE },
                { "image-zeros-16", IMAGE_FREE },
                { "image-thread-16", IMAGE_FREE },
                { "image-type-16", IMAGE_FREE },
                { "image-function-16", IMAGE_FREE },
                { "image-data-32", IMAGE_FREE_DATA_32 },
                { "image-constant-32", IMAGE_FREE_DATA_32 },
                { "image-zeros-32", IMAGE_FREE_DATA_32 },
                { "image-thread-32", IMAGE_FREE_DATA_32 },
                { "image-type-32", IMAGE_FREE_DATA_32 },
                { "image-array-32", IMAGE_FREE_DATA_32 },
                { "image-function-32", IMAGE_FREE_CODE_32 },
                { "image-functions-32", IMAGE_FREE_CODE_32 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                for (uint32_t offset = 0; offset < RUNNER_IMAGE_OFFSET_MAX; offset += 16) {
                        const uint32_t allowed = rows[i].state == IMAGE_FREE ? offset : offset / 32 * 32;
                        _cleanup_(file_clear) File file = file_read(rows[i].name);
                        uint32_t moved;

                        assert_int_equal(file_move(&file, offset, &moved), rows[i].state);
                        assert_int_equal(moved, allowed);
                        check_aligned(rows[i].name, &file);
                }
}

TEST(what_is_aligned_to_a_line_stays_so_where_it_was_linked) {
        static const char *const kinds[] = { "data", "constant", "zeros", "thread", "type", "function" };

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
                for (size_t k = 0; k < 2; k++) {
                        SampleImageState why = strcmp(kinds[i], "function") == 0 ? IMAGE_FIXED_CODE : IMAGE_FIXED_DATA;
                        char name[64];
                        uint32_t moved;

                        snprintf(name, sizeof name, "image-%s-%s", kinds[i], k == 0 ? "64" : "4096");
                        _cleanup_(file_clear) File file = file_read(name), linked = file_read(name);
                        assert_int_equal(file_move(&file, 16, &moved), why);
                        check_aligned(name, &linked);
                }
}

/* One way each to make a module that cannot be moved. */
static void strip_sections(File *file) {
        Elf64_Ehdr *head = (Elf64_Ehdr *)file->bytes;

        head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
}

/* The headers of sections tell of the code, and of all but the last part that is loaded. */
static void strip_data_sections(File *file) {
        const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;
        Elf64_Shdr *sections = (Elf64_Shdr *)(file->bytes + head->e_shoff);

        for (unsigned i = 0; i < head->e_shnum; i++)
                if (sections[i].sh_flags & SHF_WRITE)
                        sections[i].sh_flags = 0;
}

static void use_unknown_tag(File *file) {
        Elf64_Dyn *entries;
        ElfImage image;
        size_t n;

        assert_true(elf_image_read(file->bytes, file->n, &image));
        entries = elf_image_dynamic(&image, &n);
        entries[n - 1].d_tag = 0x6ffffdf5; /* DT_GNU_PRELINKED */
}

static void use_unknown_segment(File *file) {
        ElfImage image;

        assert_true(elf_image_read(file->bytes, file->n, &image));
        image.segments[image.n_segments - 1].p_type = PT_LOPROC;
}

static void use_unknown_relocation(File *file) {
        Elf64_Rela *relocations;
        uint64_t n_bytes;
        ElfImage image;

        assert_true(elf_image_read(file->bytes, file->n, &image));
        relocations = elf_image_at_address(&image, elf_image_dynamic_value(&image, DT_RELA), &n_bytes);
        relocations->r_info = ELF64_R_INFO(1, R_X86_64_COPY);
}

/* The last section before that of the code grows to the end of its page. */
static void fill_page(File *file) {
        const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;
        Elf64_Shdr *sections = (Elf64_Shdr *)(file->bytes + head->e_shoff);

        for (unsigned i = 1; i < head->e_shnum; i++) {
                if (!(sections[i].sh_flags & SHF_EXECINSTR))
                        continue;
                sections[i - 1].sh_size = sections[i].sh_addr - sections[i - 1].sh_addr - 40;
                return;
        }
        fail();
}

static void leave(File *file) {
}

TEST(what_cannot_be_moved_is_told_why) {
        static const struct {
                const char *name;
                void (*spoil)(File *file);
                SampleImageState why;
        } rows[] = {
                { "image-functions-64", leave, IMAGE_FIXED_CODE },
                { "image-data-64", leave, IMAGE_FIXED_DATA },
                { "image-cc", strip_data_sections, IMAGE_FIXED_STRIPPED },
                { "image-cc", strip_sections, IMAGE_FIXED_STRIPPED },
                { "image-cc", fill_page, IMAGE_FIXED_SEGMENTS },
                { "image-cc", use_unknown_tag, IMAGE_FIXED_FORM },
                { "image-cc", use_unknown_segment, IMAGE_FIXED_FORM },
                { "image-cc", use_unknown_relocation, IMAGE_FIXED_FORM },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                for (uint32_t offset = 0; offset < RUNNER_IMAGE_OFFSET_MAX; offset += 16) {
                        _cleanup_(file_clear) File file = file_read(rows[i].name);
                        uint32_t moved;

                        rows[i].spoil(&file);
                        assert_int_equal(file_move(&file, offset, &moved), rows[i].why);
                }
}

TEST(a_file_cut_anywhere_is_never_read_beyond) {
        _cleanup_(file_clear) File whole = file_read("image-c");
        ImageMove move;

        for (size_t n = 0; n < whole.n; n += 7) {
                _cleanup_(freep) char *copy = malloc(n + 1);

                memcpy(copy, whole.bytes, n);
                (void)image_offset_apply(copy, n, 48, &move);
        }
        assert_int_equal(image_offset_apply(whole.bytes, 0, 48, &move), IMAGE_FIXED_FORM);
        assert_int_equal(image_offset_apply(whole.bytes, 64, 48, &move), IMAGE_FIXED_FORM);
}

TEST(a_file_with_random_bytes_in_it_is_never_read_beyond) {
        _cleanup_(file_clear) File whole = file_read("image-c");
        unsigned seed = time(NULL);
        ImageMove move;

        print_message("seed %u\n", seed);
        for (unsigned i = 0; i < 2000; i++) {
                _cleanup_(freep) char *copy = malloc(whole.n);

                memcpy(copy, whole.bytes, whole.n);
                for (unsigned k = 0; k < 20; k++)
                        copy[rand_r(&seed) % (i % 2 ? whole.n : 1024)] = rand_r(&seed);
                (void)image_offset_apply(copy, whole.n, 48, &move);
        }
}

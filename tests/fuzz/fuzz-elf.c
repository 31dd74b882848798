/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules as files: the client looks for the libraries that they need, the runner cuts the paths of what they need, looks
 * for links behind the first, for an allocator of their own and for the place of a crash, and moves them within their cache line. None reads beyond the file, and the strings
 * that the client gets lie in it.
 */

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>

#include "fuzz.h"
#include "lib/elf-needs.h"
#include "runner/load/image-offset.h"
#include "runner/load/own-malloc.h"
#include "runner/watch/crash-place.h"
#include "util/module-links.h"

static void hold_lies_within(const char *text, const uint8_t *data, size_t n_data) {
        const uint8_t *start = (const uint8_t *)text;

        HOLD(start >= data && start < data + n_data && memchr(start, 0, data + n_data - start));
}

static void look_for_needs(const uint8_t *data, size_t n_data) {
        ElfNeeds needs;

        if (elf_needs_read(data, n_data, &needs) != 0)
                return;
        HOLD(needs.n_needed <= ELF_NEEDED_MAX);
        for (size_t i = 0; i < needs.n_needed; i++)
                hold_lies_within(needs.needed[i], data, n_data);
        if (needs.soname)
                hold_lies_within(needs.soname, data, n_data);
        if (needs.rpath)
                hold_lies_within(needs.rpath, data, n_data);
        if (needs.runpath)
                hold_lies_within(needs.runpath, data, n_data);
}

/* A name that was cut has no directory left to cut. The name of the file's first need stands for what came along. */
static void cut_paths(const uint8_t *data, size_t n_data) {
        char names[1][RUNNER_LIBRARY_NAME_MAX] = {};
        const ImageCopyWish wish = { .library_names = names, .n_libraries = 1 };
        char *image = malloc(n_data + 1);
        ElfNeeds needs;

        HOLD(image);
        memcpy(image, data, n_data);
        if (elf_needs_read(data, n_data, &needs) == 0 && needs.n_needed > 0)
                snprintf(names[0], sizeof names[0], "%s", needs.needed[0]);
        HOLD(image_copy_cut_paths(image, n_data, &wish) <= n_data / sizeof(Elf64_Dyn));
        HOLD(image_copy_cut_paths(image, n_data, &wish) == 0);
        free(image);
}

/* The part that is written of a file that can be moved lies within it, behind its header. */
static void correct(const uint8_t *data, size_t n_data) {
        char *image = malloc(n_data + 1);
        ImageMove move;

        HOLD(image);
        memcpy(image, data, n_data);
        if (sample_image_is_moved(image_offset_apply(image, n_data, 32, &move)))
                HOLD(move.offset_bytes == 32 && move.n_bytes > 64 && move.n_bytes <= n_data);
        free(image);
}

/* A symbol is a string within its array, whatever the tables say. */
static void look_for_symbols(int fd, size_t n_data) {
        char symbol[CRASH_SYMBOL_MAX];
        uint64_t offset;

        for (size_t at = 0; at < n_data; at += n_data / 8 + 1)
                if (crash_place_symbol(fd, at, symbol, &offset))
                        HOLD(memchr(symbol, 0, sizeof symbol));
}

/* A link lies within the file. */
static void look_for_links(int fd, size_t n_data) {
        ModuleLink link;

        for (uint32_t i = 0; i < 3; i++)
                if (module_links_find(fd, i, &link) == 0)
                        HOLD(link.offset <= n_data && link.n_bytes <= n_data - link.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        int fd = fuzz_file(data, n_data);

        look_for_needs(data, n_data);
        cut_paths(data, n_data);
        correct(data, n_data);
        (void)own_malloc_in(fd);
        look_for_links(fd, n_data);
        look_for_symbols(fd, n_data);
        close(fd);
        return 0;
}

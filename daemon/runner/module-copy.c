/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/module-copy.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/elf-image.h"
#include "runner/image-offset.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

static bool wish_has_library(const ModuleCopyWish *wish, const char *name) {
        for (uint32_t i = 0; i < wish->n_libraries; i++)
                if (strcmp(wish->library_names[i], name) == 0)
                        return true;
        return false;
}

/* The end of a string of the table is a string of it too. */
size_t module_copy_cut_paths(void *bytes, size_t n, const ModuleCopyWish *wish) {
        Elf64_Dyn *entries;
        size_t n_entries = 0, n_cut = 0;
        ElfImage image;

        entries = elf_image_read(bytes, n, &image) ? elf_image_dynamic(&image, &n_entries) : NULL;
        for (size_t i = 0; entries && i < n_entries; i++) {
                const char *name =
                                entries[i].d_tag == DT_NEEDED ? elf_image_string(&image, entries[i].d_un.d_val) : NULL;
                const char *slash = name ? strrchr(name, '/') : NULL;

                if (!slash || !wish_has_library(wish, name))
                        continue;
                entries[i].d_un.d_val += slash + 1 - name;
                n_cut++;
        }
        return n_cut;
}

/* All writes of a memfd are whole. */
static bool copy_write(int file, const char *bytes, size_t n, off_t offset) {
        return pwrite(file, bytes, n, offset) == (ssize_t)n;
}

static int copy_new(const char *image, const ImageMove *move) {
        const size_t n_head = sizeof(Elf64_Ehdr);
        _cleanup_(fd_closep) int file = memfd_create("module", 0);

        if (file < 0 || !copy_write(file, image, n_head, 0) ||
                        !copy_write(file, image + n_head, move->n_bytes - n_head, n_head + move->offset_bytes))
                return -1;
        return fd_take(&file);
}

/*
 * Paths are cut before the image is moved, after which its addresses are those of the copy. An image that cannot be moved is spoilt by the
 * attempt, and is taken from the file again.
 */
static int copy_image(char *image, size_t n, const ModuleCopyWish *wish, ModuleCopied *ret_copied) {
        ModuleCopied copied = { .fd = -1, .state = IMAGE_AS_LINKED };
        ImageMove move = { .n_bytes = n };
        const size_t n_cut = module_copy_cut_paths(image, n, wish);

        if (n_cut == 0 && !wish->moves) {
                *ret_copied = copied;
                return 0;
        }
        if (wish->moves)
                copied.state = image_offset_apply(image, n, wish->image_offset_bytes, &move);
        if (copied.state != IMAGE_AS_LINKED && !image_state_is_moved(copied.state)) {
                if (madvise(image, n, MADV_DONTNEED) < 0)
                        return error_origin(-errno);
                move = (ImageMove){ .n_bytes = n };
                (void)module_copy_cut_paths(image, n, wish);
        }
        copied.image_offset_bytes = move.offset_bytes;
        copied.fd = copy_new(image, &move);
        if (copied.fd < 0)
                return error_origin(-errno);
        *ret_copied = copied;
        return 0;
}

int module_copy(int fd, const ModuleCopyWish *wish, ModuleCopied *ret_copied) {
        struct stat status;
        void *image;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        image = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (image == MAP_FAILED)
                return error_origin(-errno);
        r = copy_image(image, status.st_size, wish, ret_copied);
        munmap(image, status.st_size);
        return error_trace(r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/image-offset.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/load/elf-image.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define PAGE_BYTES   4096u
#define SEGMENTS_MAX 64u /* linkers make about a dozen */

#define ALIGNMENT_ANY  16u /* of ordinary instructions and data; the smallest step of a move */
#define ALIGNMENT_WIDE 32u /* the largest step with more than one place in a cache line */

/* Newer than the C library's headers. */
#ifndef DT_RELR
# define DT_RELRSZ  35
# define DT_RELR    36
# define DT_RELRENT 37
#endif
#ifndef DT_X86_64_PLT
# define DT_X86_64_PLT    0x70000000
# define DT_X86_64_PLTSZ  0x70000001
# define DT_X86_64_PLTENT 0x70000003
#endif
#define PT_GNU_SFRAME 0x6474e554

/* A table of 64-bit numbers or larger rows, for which the dynamic section has address and length. */
typedef struct AddressRange {
        uint64_t address;
        uint64_t n_bytes;
} AddressRange;

static uint64_t page_of(uint64_t address) {
        return address / PAGE_BYTES;
}

/* ---- sections: what must be aligned to what */

typedef struct Sections {
        const Elf64_Shdr *rows; /* NULL: the file has none */
        size_t n;
} Sections;

static Sections sections_of(const ElfImage *image) {
        const Elf64_Ehdr *head = elf_image_at(image, 0, sizeof *head);
        Sections sections = {};

        if (head->e_shentsize != sizeof *sections.rows || head->e_shoff == 0)
                return sections;
        sections.n = head->e_shnum;
        sections.rows = elf_image_at(image, head->e_shoff, sections.n * sizeof *sections.rows);
        return sections;
}

/* The largest alignment of sections with all of @flags and none of @not; 0 if there are none. */
static uint64_t sections_alignment(const Sections *sections, uint64_t flags, uint64_t not ) {
        uint64_t most = 0;

        for (size_t i = 0; i < sections->n; i++) {
                const Elf64_Shdr *section = &sections->rows[i];

                if ((section->sh_flags & flags) == flags && !(section->sh_flags & not ) && section->sh_addralign > most)
                        most = section->sh_addralign;
        }
        return most;
}

/* True if a section begins in each loaded part: the alignment of a part without one is not known. */
static bool sections_cover(const Sections *sections, const ElfImage *image) {
        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];
                bool covered = segment->p_type != PT_LOAD || segment->p_memsz == 0;

                for (size_t k = 0; k < sections->n && !covered; k++)
                        covered = (sections->rows[k].sh_flags & SHF_ALLOC) &&
                                  sections->rows[k].sh_addr - segment->p_vaddr < segment->p_memsz;
                if (!covered)
                        return false;
        }
        return true;
}

/*
 * Finds how far the image can be moved, by the alignments in the file. gcc aligns an array of 32 bytes to 32 unasked, which looks like the
 * author's wish: either way other code may rely on it.
 */
static SampleImageState image_find_freedom(const ElfImage *image, const Sections *sections) {
        uint64_t code = sections_alignment(sections, SHF_ALLOC | SHF_EXECINSTR, 0);
        uint64_t data = sections_alignment(sections, SHF_ALLOC, SHF_EXECINSTR);

        for (size_t i = 0; i < image->n_segments; i++)
                if (image->segments[i].p_type == PT_TLS && image->segments[i].p_align > data)
                        data = image->segments[i].p_align;
        if (code == 0 || !sections_cover(sections, image))
                return IMAGE_FIXED_STRIPPED;
        if (code > ALIGNMENT_WIDE)
                return IMAGE_FIXED_CODE;
        if (data > ALIGNMENT_WIDE)
                return IMAGE_FIXED_DATA;
        if (code > ALIGNMENT_ANY)
                return IMAGE_FREE_CODE_32;
        return data > ALIGNMENT_ANY ? IMAGE_FREE_DATA_32 : IMAGE_FREE;
}

/* ---- segments: each has its pages for itself */

static bool segment_is_known(const Elf64_Phdr *segment) {
        static const uint32_t known[] = { PT_NULL, PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_PHDR, PT_TLS, PT_GNU_EH_FRAME,
                PT_GNU_STACK, PT_GNU_RELRO, PT_GNU_PROPERTY, PT_GNU_SFRAME };

        for (size_t i = 0; i < N_ELEMENTS(known); i++)
                if (segment->p_type == known[i])
                        return true;
        return false;
}

/* lld pads the last page of the relocation-read-only part with a section that no code uses. */
static bool section_is_padding(const ElfImage *image, const Elf64_Shdr *section) {
        const uint64_t end = section->sh_addr + section->sh_size;

        if (section->sh_type != SHT_NOBITS || section->sh_addralign > 1 || end % PAGE_BYTES)
                return false;
        for (size_t i = 0; i < image->n_segments; i++)
                if (image->segments[i].p_type == PT_GNU_RELRO &&
                                image->segments[i].p_vaddr + image->segments[i].p_memsz == end)
                        return true;
        return false;
}

/* True if the last byte of @section, moved by @offset, lies in a page that is mapped for a later segment. */
static bool section_spills(const ElfImage *image, const Elf64_Shdr *section, uint32_t offset) {
        const uint64_t last = section->sh_addr + section->sh_size - 1;

        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];

                if (segment->p_type == PT_LOAD && segment->p_memsz > 0 && segment->p_vaddr > section->sh_addr &&
                                page_of(segment->p_vaddr + offset) <= page_of(last + offset))
                        return true;
        }
        return false;
}

/*
 * The room after each segment is checked for all offsets, not only the drawn one: an image can move by all of them or
 * by none.
 */
static bool image_has_room(const ElfImage *image, const Sections *sections, uint32_t step) {
        for (size_t i = 0; i < sections->n; i++) {
                const Elf64_Shdr *section = &sections->rows[i];
                const bool is_loaded = (section->sh_flags & SHF_ALLOC) && section->sh_size > 0 &&
                                       !(section->sh_type == SHT_NOBITS && (section->sh_flags & SHF_TLS));

                if (!is_loaded || section_is_padding(image, section))
                        continue;
                for (uint32_t offset = step; offset < RUNNER_IMAGE_OFFSET_MAX; offset += step)
                        if (section_spills(image, section, offset))
                                return false;
        }
        return true;
}

/* The end of what is loaded. */
static size_t segments_end(const ElfImage *image) {
        uint64_t end = 0;

        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];

                if (segment->p_type == PT_LOAD && segment->p_offset + segment->p_filesz > end)
                        end = segment->p_offset + segment->p_filesz;
        }
        return end;
}

/* True if all segments are of known types, and loaded ones lie in the file, with addresses that can be moved. */
static bool segments_can_move(const ElfImage *image) {
        const Elf64_Ehdr *head = elf_image_at(image, 0, sizeof *head);

        if (image->n_segments > SEGMENTS_MAX || head->e_phoff < sizeof *head ||
                        head->e_phoff + image->n_segments * sizeof *image->segments > segments_end(image))
                return false;
        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];

                if (!segment_is_known(segment) || segment->p_vaddr > INT64_MAX || segment->p_memsz > INT64_MAX)
                        return false;
                if (segment->p_type == PT_LOAD &&
                                (segment->p_offset > image->n || segment->p_filesz > image->n - segment->p_offset))
                        return false;
        }
        return true;
}

static void segments_move(const ElfImage *image, uint32_t offset) {
        for (size_t i = 0; i < image->n_segments; i++) {
                Elf64_Phdr *segment = &image->segments[i];

                if (segment->p_type == PT_NULL || segment->p_type == PT_GNU_STACK)
                        continue;
                segment->p_offset += offset;
                segment->p_vaddr += offset;
                segment->p_paddr += offset;
        }
}

/* ---- symbols */

/* True for an address, not for an undefined symbol, a constant, or an offset in thread-local storage. */
static bool symbol_is_address(const Elf64_Sym *symbol) {
        return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
               ELF64_ST_TYPE(symbol->st_info) != STT_TLS;
}

static bool symbols_move(const ElfImage *image, uint32_t offset) {
        ElfSymbols symbols;

        if (!elf_image_symbols(image, &symbols))
                return false;
        for (size_t i = 0; i < symbols.n; i++)
                if (symbol_is_address(&symbols.rows[i]))
                        symbols.rows[i].st_value += offset;
        return true;
}

/* ---- relocations */

/* Adds @offset to the address that the file holds at @address. */
static bool word_move(const ElfImage *image, uint64_t address, uint32_t offset) {
        uint64_t n_bytes, *word = elf_image_at_address(image, address, &n_bytes);

        if (!word || n_bytes < sizeof *word)
                return false;
        *word += offset;
        return true;
}

/* Until the first call of a function, its slot holds the address of the code that looks it up. */
static bool slot_move(const ElfImage *image, const Elf64_Rela *relocation, uint32_t offset) {
        uint64_t n_bytes, *slot = elf_image_at_address(image, relocation->r_offset, &n_bytes);

        return slot && n_bytes >= sizeof *slot && (*slot == 0 || word_move(image, relocation->r_offset, offset));
}

static bool relocation_move(const ElfImage *image, Elf64_Rela *relocation, uint32_t offset) {
        bool done;

        switch (ELF64_R_TYPE(relocation->r_info)) {
        case R_X86_64_RELATIVE:
        case R_X86_64_IRELATIVE:
                relocation->r_addend = (uint64_t)relocation->r_addend + offset;
                done = true;
                break;
        case R_X86_64_JUMP_SLOT:
                done = ELF64_R_SYM(relocation->r_info) != 0 && slot_move(image, relocation, offset);
                break;
        case R_X86_64_64:
        case R_X86_64_GLOB_DAT: /* by a symbol, which is moved itself */
                done = ELF64_R_SYM(relocation->r_info) != 0;
                break;
        case R_X86_64_DTPMOD64: /* within thread-local storage, which is not moved */
        case R_X86_64_DTPOFF64:
        case R_X86_64_TPOFF64:
        case R_X86_64_TLSDESC:
                done = true;
                break;
        case R_X86_64_NONE:
                return true;
        default:
                return false;
        }
        relocation->r_offset += offset;
        return done;
}

static bool relocations_move(const ElfImage *image, AddressRange range, uint32_t offset) {
        Elf64_Rela *relocations;
        uint64_t n_bytes;

        if (range.n_bytes == 0)
                return true;
        relocations = elf_image_at_address(image, range.address, &n_bytes);
        if (!relocations || range.n_bytes > n_bytes || range.n_bytes % sizeof *relocations)
                return false;
        for (uint64_t i = 0; i < range.n_bytes / sizeof *relocations; i++)
                if (!relocation_move(image, &relocations[i], offset))
                        return false;
        return true;
}

/*
 * DT_RELR: an even entry is the address of a word, an odd one tells by its bits which of the next 63 words are too (System V
 * ABI, generic, 2022). Those words hold their addends.
 */
static bool packed_relocations_move(const ElfImage *image, AddressRange range, uint32_t offset) {
        uint64_t *entries, n_bytes, next = 0;

        if (range.n_bytes == 0)
                return true;
        entries = elf_image_at_address(image, range.address, &n_bytes);
        if (!entries || range.n_bytes > n_bytes || range.n_bytes % sizeof *entries)
                return false;
        for (uint64_t i = 0; i < range.n_bytes / sizeof *entries; i++) {
                if (entries[i] % 2 == 0) {
                        if (!word_move(image, entries[i], offset))
                                return false;
                        next = entries[i] + sizeof(uint64_t);
                        entries[i] += offset;
                        continue;
                }
                for (unsigned bit = 1; bit < 64; bit++)
                        if ((entries[i] >> bit & 1) && !word_move(image, next + (bit - 1) * sizeof(uint64_t), offset))
                                return false;
                next += 63 * sizeof(uint64_t);
        }
        return true;
}

static bool ranges_overlap(AddressRange a, AddressRange b) {
        return a.n_bytes > 0 && b.n_bytes > 0 && a.address < b.address + b.n_bytes && b.address < a.address + a.n_bytes;
}

static AddressRange range_of(const ElfImage *image, int64_t address_tag, int64_t size_tag) {
        return (AddressRange){
                .address = elf_image_dynamic_value(image, address_tag),
                .n_bytes = elf_image_dynamic_value(image, size_tag),
        };
}

static bool all_relocations_move(const ElfImage *image, uint32_t offset) {
        const AddressRange plain = range_of(image, DT_RELA, DT_RELASZ);
        const AddressRange slots = range_of(image, DT_JMPREL, DT_PLTRELSZ);
        const AddressRange packed = range_of(image, DT_RELR, DT_RELRSZ);

        if (slots.n_bytes > 0 && elf_image_dynamic_value(image, DT_PLTREL) != DT_RELA)
                return false;
        return !ranges_overlap(plain, slots) && relocations_move(image, plain, offset) &&
               relocations_move(image, slots, offset) && packed_relocations_move(image, packed, offset);
}

/* ---- the dynamic section */

static const struct {
        int64_t tag;
        bool is_address;
} dynamic_tags[] = {
        { DT_NEEDED, false },
        { DT_PLTRELSZ, false },
        { DT_PLTGOT, true },
        { DT_HASH, true },
        { DT_STRTAB, true },
        { DT_SYMTAB, true },
        { DT_RELA, true },
        { DT_RELASZ, false },
        { DT_RELAENT, false },
        { DT_STRSZ, false },
        { DT_SYMENT, false },
        { DT_INIT, true },
        { DT_FINI, true },
        { DT_SONAME, false },
        { DT_RPATH, false },
        { DT_SYMBOLIC, false },
        { DT_PLTREL, false },
        { DT_JMPREL, true },
        { DT_BIND_NOW, false },
        { DT_INIT_ARRAY, true },
        { DT_FINI_ARRAY, true },
        { DT_INIT_ARRAYSZ, false },
        { DT_FINI_ARRAYSZ, false },
        { DT_RUNPATH, false },
        { DT_FLAGS, false },
        { DT_RELRSZ, false },
        { DT_RELR, true },
        { DT_RELRENT, false },
        { DT_GNU_HASH, true },
        { DT_TLSDESC_PLT, true },
        { DT_TLSDESC_GOT, true },
        { DT_X86_64_PLT, true },
        { DT_X86_64_PLTSZ, false },
        { DT_X86_64_PLTENT, false },
        { DT_VERSYM, true },
        { DT_RELACOUNT, false },
        { DT_FLAGS_1, false },
        { DT_VERDEF, true },
        { DT_VERDEFNUM, false },
        { DT_VERNEED, true },
        { DT_VERNEEDNUM, false },
};

static bool dynamic_entry_move(Elf64_Dyn *entry, uint32_t offset) {
        if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(dynamic_tags); i++) {
                if (dynamic_tags[i].tag != entry->d_tag)
                        continue;
                if (dynamic_tags[i].is_address)
                        entry->d_un.d_ptr += offset;
                return true;
        }
        return false;
}

static bool dynamic_move(const ElfImage *image, uint32_t offset) {
        Elf64_Dyn *entries;
        size_t n;

        entries = elf_image_dynamic(image, &n);
        for (size_t i = 0; entries && i < n; i++)
                if (!dynamic_entry_move(&entries[i], offset))
                        return false;
        return entries;
}

/* ---- all of it */

/* Sections lie after the loaded part, and are left out. */
static void header_move(const ElfImage *image, uint32_t offset) {
        Elf64_Ehdr *head = elf_image_at(image, 0, sizeof *head);

        head->e_phoff += offset;
        head->e_entry += head->e_entry ? offset : 0;
        head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
}

SampleImageState image_offset_apply(void *bytes, size_t n, uint32_t offset_bytes, ImageMove *ret_move) {
        uint32_t step, offset;
        Sections sections;
        SampleImageState state;
        ElfImage image;
        size_t end;

        if (!elf_image_read(bytes, n, &image) || !segments_can_move(&image))
                return IMAGE_FIXED_FORM;
        sections = sections_of(&image);
        if (!sections.rows)
                return IMAGE_FIXED_STRIPPED;
        state = image_find_freedom(&image, &sections);
        if (!sample_image_is_moved(state))
                return state;
        step = state == IMAGE_FREE ? ALIGNMENT_ANY : ALIGNMENT_WIDE;
        if (!image_has_room(&image, &sections, step))
                return IMAGE_FIXED_SEGMENTS;

        /* lookups use the old addresses, so the dynamic section is moved after its tables, and segments last */
        offset = offset_bytes / step * step;
        end = segments_end(&image);
        if (!all_relocations_move(&image, offset) || !symbols_move(&image, offset) || !dynamic_move(&image, offset))
                return IMAGE_FIXED_FORM;
        segments_move(&image, offset);
        header_move(&image, offset);
        *ret_move = (ImageMove){ .offset_bytes = offset, .n_bytes = end };
        return state;
}

static bool wish_has_library(const ImageCopyWish *wish, const char *name) {
        for (uint32_t i = 0; i < wish->n_libraries; i++)
                if (strcmp(wish->library_names[i], name) == 0)
                        return true;
        return false;
}

/* The tail of a string in the table is a valid string too. */
size_t image_copy_cut_paths(void *bytes, size_t n, const ImageCopyWish *wish) {
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

/* A memfd takes complete writes. */
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
 * Paths are cut before the image is moved, since afterwards its addresses are those of the copy. A failed move makes the image unusable,
 * so it is read from the file again.
 */
static int copy_image(char *image, size_t n, const ImageCopyWish *wish, ImageCopied *ret_copied) {
        ImageCopied copied = { .fd = -1, .state = IMAGE_AS_LINKED };
        ImageMove move = { .n_bytes = n };
        const size_t n_cut = image_copy_cut_paths(image, n, wish);

        if (n_cut == 0 && !wish->moves) {
                *ret_copied = copied;
                return 0;
        }
        if (wish->moves)
                copied.state = image_offset_apply(image, n, wish->image_offset_bytes, &move);
        if (copied.state != IMAGE_AS_LINKED && !sample_image_is_moved(copied.state)) {
                if (madvise(image, n, MADV_DONTNEED) < 0)
                        return error_origin(-errno);
                move = (ImageMove){ .n_bytes = n };
                (void)image_copy_cut_paths(image, n, wish);
        }
        copied.image_offset_bytes = move.offset_bytes;
        copied.fd = copy_new(image, &move);
        if (copied.fd < 0)
                return error_origin(-errno);
        *ret_copied = copied;
        return 0;
}

int image_copy(int fd, const ImageCopyWish *wish, ImageCopied *ret_copied) {
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
